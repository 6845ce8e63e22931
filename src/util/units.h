/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Numbers as users write them. Every parser reads the whole text and checks the range before it stores anything: 0, or
 * -EINVAL (empty, blanks, not a number, or trailing characters), or -ERANGE (a number outside min..max; any negative
 * integer is, too). Decimal or 0x hexadecimal; a leading 0 does not mean octal.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

int units_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *value);
/* A number, with an optional suffix K, M or G (2^10, 2^20, 2^30; either case). */
int units_parse_size(const char *text, uint64_t min, uint64_t max, uint64_t *value);
/* Seconds, with an optional suffix s, m, h or d (60 s, 60 m, 24 h; either case). */
int units_parse_seconds(const char *text, uint64_t min, uint64_t max, uint64_t *value);
/* The same with a fraction, in ns; but for 0 a millisecond at least. */
int units_parse_ns(const char *text, double min_s, double max_s, uint64_t *ns);
/* Does text end in a suffix of a size? */
bool units_has_suffix(const char *text);
/* Decimal, with an optional fraction and exponent: "2", ".5", "1e-3"; no hexadecimal, nan or inf. */
int units_parse_double(const char *text, double min, double max, double *value);
