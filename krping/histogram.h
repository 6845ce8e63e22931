/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A log-linear histogram of latencies, with the same buckets as the rest of the suite: values below 256 ns have one
 * each, above that every power of two is divided into 128, so that the middle of a bucket is off by at most 1/256. It
 * ends at 2^40 ns, 18 minutes, where longer values are counted.
 *
 * Example: 1000 ns = 0b1111101000 has ten bits; the top eight (250) and the shift (2) give bucket 2 * 128 + 250.
 */
#ifndef KRPING_HISTOGRAM_H
#define KRPING_HISTOGRAM_H

#include <linux/bitops.h>
#include <linux/types.h>

#define KRPING_HISTOGRAM_BITS 8
#define KRPING_VALUE_BITS     40
#define KRPING_BUCKETS	      ((KRPING_VALUE_BITS - KRPING_HISTOGRAM_BITS + 2) << (KRPING_HISTOGRAM_BITS - 1))

struct krping_histogram {
	u64 count;
	u64 min;	/* ns */
	u64 max;	/* ns */
	u64 sum;	/* ns */
	u64 squares[2]; /* sum of the squares, ns^2: high and low half */
	u64 *bucket;	/* [KRPING_BUCKETS], or NULL: nothing is recorded */
};

static inline unsigned int krping_bucket_of(u64 value)
{
	unsigned int shift;

	if (value >> KRPING_HISTOGRAM_BITS == 0)
		return value;
	if (value >> KRPING_VALUE_BITS)
		return KRPING_BUCKETS - 1;
	shift = fls64(value) - KRPING_HISTOGRAM_BITS;
	return (shift << (KRPING_HISTOGRAM_BITS - 1)) + (unsigned int)(value >> shift);
}

/* The smallest value of a bucket. */
static inline u64 krping_bucket_edge(unsigned int index)
{
	unsigned int shift = 0;

	if (index >> KRPING_HISTOGRAM_BITS)
		shift = (index >> (KRPING_HISTOGRAM_BITS - 1)) - 1;
	return (u64)(index - (shift << (KRPING_HISTOGRAM_BITS - 1))) << shift;
}

void krping_histogram_record(struct krping_histogram *histogram, u64 value);
/* The middle of the bucket that contains the percentile `per_10000`; 9990 is 99.9 %. 0 for an empty histogram. */
u64 krping_histogram_percentile(const struct krping_histogram *histogram, unsigned int per_10000);

#endif
