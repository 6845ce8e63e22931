/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Integer arithmetic that many files need. */
#pragma once

#include <stdint.h>

static inline uint64_t arith_smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The least common multiple of two numbers, neither of which is 0. */
static inline uint64_t arith_common_multiple(uint32_t a, uint32_t b)
{
	uint32_t x = a, y = b;

	while (y) {
		uint32_t rest = x % y;

		x = y;
		y = rest;
	}
	return (uint64_t)(a / x) * b;
}

/* Rounds up to a multiple of unit, which is not 0. */
static inline uint64_t arith_round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}
