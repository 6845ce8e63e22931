// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Are mean, deviation, extremes and percentiles those of the samples, however far from zero they lie? */
#include <math.h>

#include "cmocka_all.h"
#include "random_numbers.h"
#include "stats/latency.h"

#define MAX_SAMPLES 100000

static struct latency latency, other;
static uint64_t samples[MAX_SAMPLES];

/* The textbook's two passes, in long double, over distances from the first sample. */
static void reference(size_t count, long double *mean, long double *stdev)
{
	long double sum = 0, squares = 0, offset;

	for (size_t i = 0; i < count; i++)
		sum += (long double)(int64_t)(samples[i] - samples[0]);
	offset = sum / count;
	for (size_t i = 0; i < count; i++) {
		long double distance = (long double)(int64_t)(samples[i] - samples[0]) - offset;

		squares += distance * distance;
	}
	*mean = samples[0] + offset;
	*stdev = sqrtl(squares / count);
}

static void assert_near(double value, long double expected, double relative_error)
{
	assert_true(fabsl(value - expected) <= fabsl(expected) * relative_error);
}

static void moments_match(size_t count)
{
	long double mean, stdev;

	latency_reset(&latency);
	for (size_t i = 0; i < count; i++)
		latency_record(&latency, samples[i]);
	reference(count, &mean, &stdev);
	assert_int_equal(latency.histogram.count, count);
	assert_near(latency_mean(&latency), mean, 1e-15);
	assert_near(latency_stdev(&latency), stdev, 1e-12);
}

TEST(moments_match_at_every_offset_and_spread)
{
	/* spread up to 2^31 around offsets from 0 to 2^63: the squares pass 2^128 on the way */
	for (unsigned offset_bit = 0; offset_bit <= 63; offset_bit += 7) {
		for (unsigned spread_bit = 0; spread_bit <= 31; spread_bit++) {
			for (size_t i = 0; i < 1000; i++)
				samples[i] = (1ULL << offset_bit) + (random_u64() & ((1ULL << spread_bit) - 1));
			moments_match(1000);
		}
	}
}

TEST(moments_match_for_few_and_many)
{
	for (size_t i = 0; i < MAX_SAMPLES; i++)
		samples[i] = 1000 + random_u64() % 64 + (random_u64() % 1000 ? 0 : 1000000);
	for (size_t count = 1; count < 100; count++)
		moments_match(count);
	moments_match(MAX_SAMPLES);
}

/* One outlier among equals: the mean lies a hair beside an integer, where cancellation would show. */
TEST(one_outlier_is_not_lost)
{
	static const uint64_t offsets[] = {0, 1000, 1ULL << 40, 1ULL << 62};

	for (size_t o = 0; o < 4; o++) {
		for (int direction = 0; direction < 2; direction++) {
			for (size_t i = 0; i < MAX_SAMPLES; i++)
				samples[i] = offsets[o] + (direction ? i == 7 : i != 7);
			moments_match(MAX_SAMPLES);
		}
	}
}

TEST(equal_samples_do_not_deviate)
{
	latency_reset(&latency);
	for (int i = 0; i < 12345; i++)
		latency_record(&latency, UINT64_MAX - 3);
	assert_true(latency_stdev(&latency) == 0);
	assert_true(latency_mean(&latency) == (double)(UINT64_MAX - 3));
}

TEST(sub_cycle_figures_of_known_sets)
{
	static const uint64_t set[] = {2, 4, 4, 4, 5, 5, 7, 9}; /* mean 5, deviation 2 */

	latency_reset(&latency);
	for (size_t i = 0; i < 8; i++)
		latency_record(&latency, set[i]);
	assert_true(latency_mean(&latency) == 5);
	assert_true(latency_stdev(&latency) == 2);

	latency_reset(&latency);
	latency_record(&latency, 1);
	latency_record(&latency, 2);
	assert_true(latency_mean(&latency) == 1.5);
	assert_true(latency_stdev(&latency) == 0.5);
}

TEST(extremes_are_true)
{
	latency_reset(&latency);
	latency_record(&latency, 500);
	assert_int_equal(latency.min, 500);
	assert_int_equal(latency.max, 500);
	for (int i = 0; i < 1000; i++)
		latency_record(&latency, 600);
	latency_record(&latency, 123456789);
	latency_record(&latency, 3);
	latency_record(&latency, 700);
	assert_int_equal(latency.min, 3);
	assert_int_equal(latency.max, 123456789);
	/* no percentile leaves the range of what was measured */
	assert_true(latency_percentile(&latency, 100) == 123456789);
	assert_true(latency_percentile(&latency, 0.01) == 3);
}

TEST(an_unsupported_percentile_is_the_maximum)
{
	latency_reset(&latency);
	for (uint64_t i = 1; i <= 100; i++)
		latency_record(&latency, i);
	assert_true(latency_percentile(&latency, 50) == 50);
	assert_true(latency_percentile(&latency, 99) == 99);
	assert_true(latency_percentile(&latency, 99.9) == 100);

	latency_reset(&latency);
	for (uint64_t i = 1; i <= 99; i++)
		latency_record(&latency, 1);
	latency_record(&latency, 1001);
	latency_record(&latency, 1002);
	latency_record(&latency, 1003); /* the same bucket; its middle is 1001.5 */
	assert_true(latency_percentile(&latency, 99.9) == 1003);
}

/* There is nothing above it, however many samples there are: no bucket's middle stands for it. */
TEST(the_hundredth_percentile_is_the_maximum)
{
	latency_reset(&latency);
	for (uint64_t i = 0; i < 1000; i++)
		latency_record(&latency, 1000003 + i);
	assert_true(latency_percentile(&latency, 100) == 1001002);
	latency_record(&latency, 77777777);
	assert_true(latency_percentile(&latency, 100) == 77777777);
}

/* Two CPUs whose counters are out of step. */
TEST(a_clock_that_goes_back_makes_no_sample)
{
	latency_reset(&latency);
	latency_reset(&other);
	latency_record_between(&latency, 1000, 1100);
	latency_record_between(&latency, 1100, 1090);
	latency_record_between(&other, UINT64_MAX, 0);
	latency_record_between(&other, 50, 50);
	assert_int_equal(latency.backward, 1);
	assert_int_equal(latency.max, 100);
	latency_add(&latency, &other);
	assert_int_equal(latency.backward, 2);
	assert_int_equal(latency.histogram.count, 2);
	assert_int_equal(latency.max, 100);
	assert_int_equal(latency.min, 0);
	latency_reset(&latency);
	assert_int_equal(latency.backward, 0);
}

/* The middle of a bucket may lie outside of what was measured. */
TEST(percentiles_stay_between_the_extremes)
{
	latency_reset(&latency);
	for (int i = 0; i < 1000; i++)
		latency_record(&latency, 1003); /* bucket middle 1001.5 */
	assert_true(latency_percentile(&latency, 50) == 1003);

	latency_reset(&latency);
	for (int i = 0; i < 1000; i++)
		latency_record(&latency, 1000);
	assert_true(latency_percentile(&latency, 50) == 1000);
}

TEST(an_empty_set_is_zero)
{
	latency_reset(&latency);
	assert_true(latency_mean(&latency) == 0);
	assert_true(latency_stdev(&latency) == 0);
	assert_true(latency_percentile(&latency, 50) == 0);
	assert_int_equal(latency.min, UINT64_MAX);
	assert_int_equal(latency.max, 0);
}

TEST(adding_is_recording_both)
{
	double mean, stdev, tail;

	latency_reset(&latency);
	for (int i = 0; i < 3000; i++) {
		samples[i] = random_u64() >> (random_u64() % 40);
		latency_record(&latency, samples[i]);
	}
	mean = latency_mean(&latency);
	stdev = latency_stdev(&latency);
	tail = latency_percentile(&latency, 99);

	latency_reset(&latency);
	latency_reset(&other);
	for (int i = 0; i < 3000; i++)
		latency_record(i < 1000 ? &latency : &other, samples[i]);
	latency_add(&latency, &other);
	assert_int_equal(latency.histogram.count, 3000);
	assert_true(latency_mean(&latency) == mean);
	assert_true(latency_stdev(&latency) == stdev);
	assert_true(latency_percentile(&latency, 99) == tail);

	/* an empty one adds nothing, not even an extreme */
	latency_reset(&other);
	latency_add(&latency, &other);
	assert_true(latency_mean(&latency) == mean);
	assert_true(latency.min < UINT64_MAX && latency.max > 0);
}

TEST(raw_samples_are_kept_in_order_up_to_the_limit)
{
	struct latency *raw = calloc(1, sizeof(*raw));

	assert_non_null(raw);
	assert_int_equal(latency_open(raw, 100), 0);
	for (uint64_t i = 0; i < 150; i++)
		latency_record(raw, 1000 - i);
	assert_int_equal(raw->num_samples, 100);
	for (uint64_t i = 0; i < 100; i++)
		assert_int_equal(raw->samples[i], 1000 - i);
	assert_int_equal(raw->histogram.count, 150);
	assert_int_equal(raw->min, 851);

	latency_reset(raw);
	assert_int_equal(raw->num_samples, 0);
	latency_record(raw, 42);
	assert_int_equal(raw->samples[0], 42);
	latency_close(raw);
	latency_close(raw); /* zeroed now */

	assert_int_equal(latency_open(raw, 0), 0);
	latency_record(raw, 42);
	assert_null(raw->samples);
	assert_int_equal(raw->num_samples, 0);
	latency_close(raw);

	assert_int_equal(latency_open(raw, SIZE_MAX / 4), -ENOMEM);
	assert_null(raw->samples);
	free(raw);
}

#define TWO_64 ((unsigned __int128)1 << 64)

/* Two samples of 100 and 300 cycles, as another program may describe them. */
TEST(what_cannot_be_of_the_samples_is_found)
{
	static const struct {
		uint64_t min, max;
		unsigned __int128 sum, squares;
		const char *fault;
	} cases[] = {
		{100, 300, 400, 100000, NULL},
		{100, 300, 400, 80000, NULL}, /* as of two of 200, by which it still is a deviation */
		{100, 300, 400, 79999, "squares"},
		{100, 300, 400, 100001, "squares"},
		{100, 300, 400, TWO_64, "squares"},
		{100, 300, 400, -1, "squares"},
		{100, 300, 600, 180000, NULL},
		{100, 300, 199, 100000, "sum"},
		{100, 300, 601, 100000, "sum"},
		{100, 300, TWO_64 + 400, 100000, "sum"},
		{99, 300, 400, 100000, "extremes"},
		{100, 100, 200, 20000, "extremes"},
		{300, 100, 400, 100000, "extremes"},
	};

	latency_reset(&latency);
	assert_null(latency_fault(&latency));
	latency.sum_squares.value = 1;
	assert_non_null(latency_fault(&latency));
	latency_reset(&latency);
	latency_record(&latency, 100);
	latency_record(&latency, 300);
	assert_null(latency_fault(&latency));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *fault;

		latency.min = cases[i].min;
		latency.max = cases[i].max;
		latency.sum.value = cases[i].sum;
		latency.sum_squares.value = cases[i].squares;
		fault = latency_fault(&latency);
		if (!fault != !cases[i].fault || (fault && !strstr(fault, cases[i].fault)))
			fail_msg("case %zu: %s", i, fault ? fault : "no fault");
	}
}

/* What is recorded is never refused. */
TEST(true_samples_have_no_fault)
{
	for (unsigned bits = 1; bits < 44; bits++) {
		latency_reset(&latency);
		for (unsigned i = 0; i < 1000; i++) {
			latency_record(&latency, (UINT64_C(1) << bits) + i % 2);
			assert_null(latency_fault(&latency));
		}
		latency_record(&latency, 0);
		assert_null(latency_fault(&latency));
	}
}

TEST_MAIN(NULL, NULL)
