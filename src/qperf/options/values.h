/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Numbers in the notation of qperf: sizes and times have other suffixes than in the other programs. Nothing is rounded
 * or truncated: what does not fit is refused. 0, or -EINVAL with the error in *fault.
 */
#pragma once

#include <stdint.h>

#define NS_PER_S 1000000000ULL

/* Decimal digits. */
int value_integer(const char *text, uint64_t *value, const char **fault);
/*
 * "64K", "1.5mib", "1e6", "0x10": a whole number of bytes. K, M, G and kib, mib, gib are powers of 1024; k, m, g and
 * kb, mb, gb powers of 1000.
 */
int value_size(const char *text, uint64_t *bytes, const char **fault);
/* "12.5": in thousandths. */
int value_real(const char *text, uint64_t *thousandths, const char **fault);
/* "90", "0.5", "2m", "1h", "1d": seconds, or the unit that follows, in upper or lower case. */
int value_time(const char *text, uint64_t *ns, const char **fault);
/* "4xQDR", "40": lanes and their speed, or Gb/s, as Gb/s; 0: no limit; -1: there is no such rate. */
double value_static_rate(const char *text);
