// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Does the histogram keep its bound for every value, and are its percentiles those of the sorted samples? */
#include "cmocka_all.h"
#include "random_numbers.h"
#include "stats/histogram.h"

static struct histogram histogram, other;

static void error_within_bound(uint64_t value)
{
	long double middle = histogram_value(histogram_index(value));
	long double off = fabsl(middle - (long double)value);

	assert_true(off <= (long double)value * HISTOGRAM_RELATIVE_ERROR);
}

/*
 * The lower edge of every bucket, found by bisection from the index function alone, so that
 * nothing is taken from histogram_value().
 */
static uint64_t lower_edge(unsigned index)
{
	uint64_t low = 0, high = UINT64_MAX;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (histogram_index(middle) >= index)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

TEST(every_bucket_keeps_the_bound_at_both_edges)
{
	uint64_t low = lower_edge(0);

	assert_int_equal(low, 0);
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		/* the next bucket begins where this one ends: no gaps, no overlap, none empty */
		uint64_t next = i + 1 < HISTOGRAM_BUCKETS ? lower_edge(i + 1) : 0;
		uint64_t high = next - 1; /* of the last one: 2^64 - 1 */

		assert_true(high >= low);
		assert_int_equal(histogram_index(low), i);
		assert_int_equal(histogram_index(high), i);
		error_within_bound(low);
		error_within_bound(high);
		if (high < 256)
			assert_true(histogram_value(i) == (double)low);
		low = next;
	}
	assert_int_equal(histogram_index(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
}

TEST(index_never_falls)
{
	for (unsigned bit = 0; bit < 64; bit++) {
		uint64_t power = 1ULL << bit;

		assert_true(histogram_index(power - 1) <= histogram_index(power));
		assert_true(histogram_index(power) <= histogram_index(power + 1));
		for (int i = 0; i < 1000; i++) {
			uint64_t value = power | (random_u64() & (power - 1));

			error_within_bound(value);
			if (value < UINT64_MAX)
				assert_true(histogram_index(value) <= histogram_index(value + 1));
		}
	}
}

TEST(example_of_the_header)
{
	assert_int_equal(histogram_index(1000), histogram_index(1003));
	assert_int_not_equal(histogram_index(999), histogram_index(1000));
	assert_int_not_equal(histogram_index(1003), histogram_index(1004));
	assert_true(histogram_value(histogram_index(1000)) == 1001.5);
	assert_true(histogram_half_width(histogram_index(1000)) == 2 && histogram_half_width(255) == 0.5);
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* ceil(percent / 100 * count) by integers: percent in millionths. */
static uint64_t rank_of(uint64_t percent_millionths, uint64_t count)
{
	uint64_t rank = (percent_millionths * count + 99999999) / 100000000;

	return rank ? rank : 1;
}

TEST(percentiles_are_those_of_sorted_samples)
{
	static const uint64_t percents[] = {1,	      100000,	1000000,  25000000, 50000000, 75000000, 90000000,
					    99000000, 99900000, 99990000, 99999000, 99999900, 100000000};
	static const size_t counts[] = {1, 2, 3, 10, 99, 100, 101, 1000, 1001, 20000};
	static uint64_t samples[20000];

	for (size_t c = 0; c < sizeof(counts) / sizeof(*counts); c++) {
		histogram_reset(&histogram);
		for (size_t i = 0; i < counts[c]; i++) {
			samples[i] = random_u64() >> (random_u64() % 60);
			histogram_record(&histogram, samples[i]);
		}
		qsort(samples, counts[c], sizeof(*samples), compare_u64);
		for (size_t p = 0; p < sizeof(percents) / sizeof(*percents); p++) {
			uint64_t exact = samples[rank_of(percents[p], counts[c]) - 1];
			double read = histogram_percentile(&histogram, (double)percents[p] / 1e6);

			assert_true(fabsl((long double)read - (long double)exact) <=
				    (long double)exact * HISTOGRAM_RELATIVE_ERROR);
		}
	}
}

/* Values with a bucket each make a wrong rank visible. */
TEST(ranks_are_exact)
{
	histogram_reset(&histogram);
	for (uint64_t value = 1; value <= 200; value++)
		for (int i = 0; i < 5; i++)
			histogram_record(&histogram, value);
	assert_true(histogram_percentile(&histogram, 0.1) == 1);    /* rank 1 */
	assert_true(histogram_percentile(&histogram, 0.5) == 1);    /* rank 5 */
	assert_true(histogram_percentile(&histogram, 0.6) == 2);    /* rank 6 */
	assert_true(histogram_percentile(&histogram, 50) == 100);   /* rank 500 */
	assert_true(histogram_percentile(&histogram, 50.1) == 101); /* rank 501 */
	assert_true(histogram_percentile(&histogram, 99) == 198);   /* rank 990 */
	assert_true(histogram_percentile(&histogram, 99.5) == 199); /* rank 995 */
	assert_true(histogram_percentile(&histogram, 99.9) == 200); /* rank 999 */
	assert_true(histogram_percentile(&histogram, 100) == 200);

	histogram_reset(&histogram);
	for (uint64_t value = 0; value < 1000; value++)
		histogram_record(&histogram, value < 999 ? 7 : 9);
	assert_true(histogram_percentile(&histogram, 99.9) == 7); /* rank 999, not 999.0000000000001 */
}

TEST(an_empty_one_answers_zero)
{
	histogram_reset(&histogram);
	assert_true(histogram_percentile(&histogram, 50) == 0);
	assert_true(histogram_percentile(&histogram, 100) == 0);
}

TEST(adding_is_recording_both)
{
	struct histogram *both = calloc(1, sizeof(*both));

	assert_non_null(both);
	histogram_reset(&histogram);
	histogram_reset(&other);
	for (int i = 0; i < 5000; i++) {
		uint64_t value = random_u64() >> (random_u64() % 64);

		histogram_record(i % 3 ? &histogram : &other, value);
		histogram_record(both, value);
	}
	histogram_add(&histogram, &other);
	assert_memory_equal(&histogram, both, sizeof(*both));
	free(both);
}

TEST(reset_forgets_all)
{
	static const struct histogram empty;

	histogram_record(&histogram, 5);
	histogram_record(&histogram, UINT64_MAX);
	histogram_reset(&histogram);
	assert_memory_equal(&histogram, &empty, sizeof(empty));
}

TEST(support_wants_one_sample_above)
{
	assert_false(histogram_supports(0, 50));
	assert_false(histogram_supports(1, 50));
	assert_true(histogram_supports(2, 50));
	assert_false(histogram_supports(99, 99));
	assert_true(histogram_supports(100, 99));
	assert_false(histogram_supports(999, 99.9));
	assert_true(histogram_supports(1000, 99.9));
	assert_false(histogram_supports(9999, 99.99));
	assert_true(histogram_supports(10000, 99.99));
	assert_false(histogram_supports(99999, 99.999));
	assert_true(histogram_supports(100000, 99.999));
	assert_false(histogram_supports(999999, 99.9999));
	assert_true(histogram_supports(1000000, 99.9999));
	assert_true(histogram_supports(1, 100));
	assert_true(histogram_supports(UINT64_MAX, 100));
	assert_false(histogram_supports(0, 100));
}

TEST_MAIN(NULL, NULL)
