/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A log-linear histogram of 64-bit values in constant memory.
 *
 * Values below 2^HISTOGRAM_BITS have a bucket each. Above, every power of two is divided into 2^(HISTOGRAM_BITS - 1)
 * buckets of equal width, so the width of a bucket is at most 1/128 of its lower edge, and its middle, which represents
 * all values in it, is off by at most 1/256. Example: 1000 = 0b1111101000 has ten bits; the top eight (250) and the
 * shift (2) give bucket [1000, 1003], whose middle 1001.5 is off by 0.15 %.
 */
#pragma once

#include <stdint.h>

#define HISTOGRAM_BITS		 8
#define HISTOGRAM_RELATIVE_ERROR (1.0 / 256)
#define HISTOGRAM_BUCKETS	 ((64 - HISTOGRAM_BITS + 2) << (HISTOGRAM_BITS - 1))

struct histogram {
	uint64_t count;
	uint64_t bucket[HISTOGRAM_BUCKETS];
};

static inline unsigned histogram_index(uint64_t value)
{
	unsigned shift;

	if (value < (1U << HISTOGRAM_BITS))
		return (unsigned)value;
	shift = 64 - HISTOGRAM_BITS - (unsigned)__builtin_clzll(value);
	return (shift << (HISTOGRAM_BITS - 1)) + (unsigned)(value >> shift);
}

static inline void histogram_record(struct histogram *histogram, uint64_t value)
{
	histogram->count++;
	histogram->bucket[histogram_index(value)]++;
}

void histogram_reset(struct histogram *histogram);
void histogram_add(struct histogram *into, const struct histogram *from);
/* The middle of a bucket. */
double histogram_value(unsigned index);
/* The maximum distance of a value from that middle, even in a bucket for one integer, to which it was rounded. */
double histogram_half_width(unsigned index);
/*
 * The value at or below which `percent` of all recorded values are: rank ceil(percent/100 * count), at least 1. 0 for
 * an empty histogram. 0 < percent <= 100.
 */
double histogram_percentile(const struct histogram *histogram, double percent);
/*
 * Are `count` samples enough for the percentile? At least one sample must be expected above it, count * (1 -
 * percent/100) >= 1; otherwise it only repeats the maximum. The 100th is the maximum by definition, for any number of
 * samples.
 */
int histogram_supports(uint64_t count, double percent);
