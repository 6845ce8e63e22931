// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Figures from a histogram: the reading side; recording is inline. latency.c has one histogram per test. */
#include "stats/histogram.h"

#include <math.h>
#include <string.h>

/*
 * 99.9 % of 1000 is rank 999, but 999.0000000000001 in binary fractions. Decimal percentiles of fewer than 10^12
 * samples are correct.
 */
#define ROUNDING (1 - 1e-12)

void histogram_reset(struct histogram *histogram)
{
	memset(histogram, 0, sizeof(*histogram));
}

void histogram_add(struct histogram *into, const struct histogram *from)
{
	into->count += from->count;
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		into->bucket[i] += from->bucket[i];
}

double histogram_value(unsigned index)
{
	unsigned shift;
	uint64_t lower;

	if (index < (1U << HISTOGRAM_BITS))
		return index;
	/*
	 * The inverse of histogram_index(): the top bits that are kept are in [2^HISTOGRAM_BITS / 2, 2^HISTOGRAM_BITS).
	 */
	shift = (index >> (HISTOGRAM_BITS - 1)) - 1;
	lower = (uint64_t)(index - (shift << (HISTOGRAM_BITS - 1))) << shift;
	return (double)lower + (double)((1ULL << shift) - 1) / 2;
}

double histogram_half_width(unsigned index)
{
	return index < (1U << HISTOGRAM_BITS) ? 0.5 : (double)(1ULL << ((index >> (HISTOGRAM_BITS - 1)) - 1)) / 2;
}

double histogram_percentile(const struct histogram *histogram, double percent)
{
	double rank = ceil(percent / 100 * (double)histogram->count * ROUNDING);
	uint64_t seen = 0;
	unsigned last = 0;

	if (rank < 1)
		rank = 1;
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		if (!histogram->bucket[i])
			continue;
		last = i;
		seen += histogram->bucket[i];
		if ((double)seen >= rank)
			break;
	}
	return histogram_value(last);
}

int histogram_supports(uint64_t count, double percent)
{
	if (percent >= 100)
		return count > 0;
	/* 100 - 99.9 is 0.09999999999999432: corrects half a unit in the last place of 100. */
	return (double)count * (100 - percent + 1e-14) >= 100;
}
