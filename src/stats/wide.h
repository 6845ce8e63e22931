/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * 128-bit integers in two words, for the sums of latency.h: compilers for 32-bit machines have no __int128. All
 * arithmetic is unsigned and modulo 2^128.
 */
#ifndef STATS_WIDE_H
#define STATS_WIDE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

struct wide {
	uint64_t high;
	uint64_t low;
};

static inline struct wide wide_of(uint64_t value)
{
	return (struct wide){.low = value};
}

static inline struct wide wide_add(struct wide a, struct wide b)
{
	const uint64_t low = a.low + b.low;

	return (struct wide){.high = a.high + b.high + (low < a.low), .low = low};
}

static inline struct wide wide_subtract(struct wide a, struct wide b)
{
	return (struct wide){.high = a.high - b.high - (a.low < b.low), .low = a.low - b.low};
}

static inline bool wide_is_at_most(struct wide a, struct wide b)
{
	return a.high < b.high || (a.high == b.high && a.low <= b.low);
}

/* The exact product. */
static inline struct wide wide_multiply(uint64_t a, uint64_t b)
{
	const uint64_t a_high = a >> 32, a_low = (uint32_t)a;
	const uint64_t b_high = b >> 32, b_low = (uint32_t)b;
	uint64_t middle;

	if (__builtin_expect(!(a_high | b_high), 1))
		return wide_of(a_low * b_low);
	/* Each part is at most (2^32 - 1)^2, so two more 32-bit words can be added to it without overflow. */
	middle = a_high * b_low + ((a_low * b_low) >> 32);
	return (struct wide){
		.high = a_high * b_high + (middle >> 32) + ((a_low * b_high + (uint32_t)middle) >> 32),
		.low = a * b,
	};
}

static inline struct wide wide_scale(struct wide a, uint64_t factor)
{
	struct wide product = wide_multiply(a.low, factor);

	product.high += a.high * factor;
	return product;
}

/* The quotient, rounded down; a.high < divisor, so that it fits 64 bits. */
static inline uint64_t wide_divide(struct wide a, uint64_t divisor)
{
	uint64_t rest = a.high, quotient = 0;

	for (int bit = 63; bit >= 0; bit--) {
		const uint64_t carry = rest >> 63;

		rest = rest << 1 | (a.low >> bit & 1);
		if (carry || rest >= divisor) {
			rest -= divisor;
			quotient |= 1ULL << bit;
		}
	}
	return quotient;
}

static inline double wide_to_double(struct wide a)
{
	return ldexp((double)a.high, 64) + (double)a.low;
}

#endif
