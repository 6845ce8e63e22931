/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Values in the notation of qperf, where sizes have other suffixes than in the other programs. */
#pragma once

#include <stdint.h>

#define NS_PER_S	1000000000ULL
#define VALUE_MOST_SIZE (1ULL << 53)

/*
 * "64K", "1.5mib", "1e6", "0x10": a whole number of bytes, as units_parse_size() parses those of other programs. K, M,
 * G and kib, mib, gib are powers of 1024; k, m, g and kb, mb, gb powers of 1000.
 */
int value_size(const char *text, uint64_t min, uint64_t max, uint64_t *bytes);
/* The same for a rate, as results have it: K, M and G, too, are powers of 1000. */
int value_rate(const char *text, uint64_t min, uint64_t max, uint64_t *per_second);
/* "4xQDR", "40": lanes and their speed, or Gb/s, as Gb/s; 0: no limit; -1: there is no such rate. */
double value_static_rate(const char *text);
