// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Counts latencies, and computes their statistics. Called by the tests and by result.c. */
#include <linux/kernel.h>
#include <linux/math64.h>

#include "histogram.h"

/* squares += value^2, in 128 bits: the squares of six hours of samples of 1 ms, in ns, do not fit into 64. */
static void add_square(u64 squares[2], u64 value)
{
	u64 high = value >> 32, low = (u32)value;
	u64 middle = high * low * 2; /* value has at most 41 bits here, so this has at most 42 */
	u64 sum;

	squares[0] += high * high + (middle >> 32);
	sum = squares[1] + (middle << 32);
	squares[0] += sum < squares[1];
	squares[1] = sum + low * low;
	squares[0] += squares[1] < sum;
}

void krping_histogram_record(struct krping_histogram *histogram, u64 value)
{
	if (!histogram->bucket)
		return;
	if (!histogram->count || value < histogram->min)
		histogram->min = value;
	if (value > histogram->max)
		histogram->max = value;
	histogram->count++;
	histogram->sum += value;
	add_square(histogram->squares, min_t(u64, value, 1ULL << KRPING_VALUE_BITS));
	histogram->bucket[krping_bucket_of(value)]++;
}

u64 krping_histogram_percentile(const struct krping_histogram *histogram, unsigned int per_10000)
{
	/* rounded up without a product that could overflow */
	u64 whole = div64_u64(histogram->count, 10000), rest = histogram->count - whole * 10000;
	u64 rank = whole * per_10000 + div64_u64(rest * per_10000 + 9999, 10000);
	u64 seen = 0;
	unsigned int i;

	if (!histogram->bucket || !histogram->count)
		return 0;
	for (i = 0; i < KRPING_BUCKETS - 1; i++) {
		seen += histogram->bucket[i];
		if (seen >= rank)
			return (krping_bucket_edge(i) + krping_bucket_edge(i + 1) - 1) / 2;
	}
	return histogram->max;
}
