// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Do confidence intervals contain the true value as often as they claim, and is a warm-up detected if there is one? */
#include <math.h>

#include "cmocka_all.h"
#include "random_numbers.h"
#include "stats/confidence.h"

#define TRUE_CENTER 100.0
#define TRIALS	    4000

static double normal(double spread)
{
	return TRUE_CENTER + spread * random_normal();
}

/* Of a long tail, as latencies are; its median is the true center. */
static double tailed(double spread)
{
	return TRUE_CENTER - spread * M_LN2 - spread * log(random_uniform());
}

/* Textbook values: 1, 2, 3, 4, 5 has the mean 3, s^2 = 2.5, and t(4) = 2.776445. */
TEST(mean_is_the_textbooks)
{
	const double values[] = {1, 2, 3, 4, 5};
	const struct confidence found = confidence_of_mean(values, 5);

	assert_true(fabs(found.center - 3) < 1e-12);
	assert_true(fabs(found.low - (3 - 2.7764451 * sqrt(0.5))) < 1e-7);
	assert_true(fabs(found.high - (3 + 2.7764451 * sqrt(0.5))) < 1e-7);
	assert_true(fabs(confidence_percent(&found) - 100 * 2.7764451 * sqrt(0.5) / 3) < 1e-5);
}

/* Published quantiles of Student's t, in the table and behind it. */
TEST(quantiles_are_the_published)
{
	static const struct {
		size_t freedom;
		double t;
	} known[] = {{9, 2.2621572},  {13, 2.1603687}, {20, 2.0859634}, {31, 2.0395134},
		     {40, 2.0210754}, {60, 2.0002978}, {120, 1.9799304}};
	double values[128];

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const size_t count = known[i].freedom + 1;
		struct confidence found;
		double squares = 0;

		for (size_t j = 0; j < count; j++) {
			values[j] = j % 2 ? 1 : -1;
			squares += 1;
		}
		found = confidence_of_mean(values, count);
		for (size_t j = 0; j < count; j++)
			squares -= found.center * found.center;
		assert_true(
			fabs((found.high - found.center) / sqrt(squares / (double)known[i].freedom / (double)count) -
			     known[i].t) < 4e-6);
	}
}

/* The published ranks: of 6 values the first and the last; of 20 the 6th; of 100 the 40th. */
TEST(median_takes_the_known_ranks)
{
	static const struct {
		size_t count, rank;
	} known[] = {{6, 1}, {8, 1}, {9, 2}, {11, 2}, {12, 3}, {20, 6}, {50, 18}, {100, 40}, {1000, 469}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const size_t count = known[i].count;
		double *values = malloc(count * sizeof(*values));
		struct confidence found;

		assert_non_null(values);
		for (size_t j = 0; j < count; j++)
			values[j] = (double)(count - j); /* descending: they have to be sorted */
		found = confidence_of_median(values, count);
		assert_true(found.low == (double)known[i].rank);
		assert_true(found.high == (double)(count + 1 - known[i].rank));
		assert_true(found.center == (double)(count + 1) / 2);
		free(values);
	}
}

TEST(too_few_are_not_known)
{
	double values[] = {1, 2, 3, 4, 5};
	struct confidence found = confidence_of_median(values, 5);

	assert_true(found.center == 3 && isnan(found.low) && isnan(found.high));
	assert_true(isnan(confidence_percent(&found)));
	found = confidence_of_mean(values, 1);
	assert_true(found.center == 1 && isnan(found.low));
	found = confidence_of_mean(values, 0);
	assert_true(isnan(found.center));
	found = confidence_of_median(values, 0);
	assert_true(isnan(found.center));
	values[2] = NAN;
	found = confidence_of_mean(values, 5);
	assert_true(isnan(found.low));
	found = confidence_of_median(values, 5);
	assert_true(isnan(found.center));
}

/* How many of 1000 intervals of so many values hold the center. */
static double covered(size_t count, double (*draw)(double spread), struct confidence (*interval)(double *, size_t))
{
	double values[64];
	unsigned held = 0;

	for (unsigned trial = 0; trial < TRIALS; trial++) {
		struct confidence found;

		for (size_t i = 0; i < count; i++)
			values[i] = draw(10);
		found = interval(values, count);
		held += found.low <= TRUE_CENTER && TRUE_CENTER <= found.high;
	}
	return 1000.0 * held / TRIALS;
}

static struct confidence mean_interval(double *values, size_t count)
{
	return confidence_of_mean(values, count);
}

/* Four standard errors of such a count are 14 of 1000. */
TEST(intervals_hold_the_truth)
{
	static const size_t counts[] = {6, 10, 33, 64};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		const double of_mean = covered(counts[i], normal, mean_interval);

		assert_true(of_mean > 936 && of_mean < 964);
		/* By order statistics it is 95 at least, and of few values more. */
		assert_true(covered(counts[i], normal, confidence_of_median) > 936);
		assert_true(covered(counts[i], tailed, confidence_of_median) > 936);
	}
}

static struct confidence settled_interval(double *values, size_t count)
{
	return confidence_of_settled_mean(values, count, confidence_warm_up(values, count));
}

/* By the deviation of what is left alone it would be 905 of 10 values, and 923 of 20. */
TEST(choice_of_a_warm_up_is_allowed_for)
{
	static const size_t counts[] = {10, 20, 64};
	double two[] = {5, 7};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		assert_true(covered(counts[i], normal, settled_interval) > 922);
	assert_true(confidence_of_settled_mean(two, 2, 0).high == confidence_of_mean(two, 2).high);
}

TEST(warm_up_is_left_out)
{
	double values[40];
	unsigned exact = 0;

	for (unsigned trial = 0; trial < 200; trial++) {
		size_t skipped;

		for (size_t i = 0; i < 40; i++)
			values[i] = normal(1) - (i < 7 ? 20 : 0);
		skipped = confidence_warm_up(values, 40);
		exact += skipped == 7;
		assert_in_range(skipped, 7, 20);
	}
	assert_in_range(exact, 120, 200);
}

/* Of values that are alike nothing is left out, and never more than half. */
TEST(steady_values_stay)
{
	const double two[] = {5, 6}; /* the second one alone has no deviation at all */
	double alike[15], falling[9], skipped = 0;

	for (size_t i = 0; i < 15; i++)
		alike[i] = 0.1; /* of which no sum is exact */
	for (size_t i = 0; i < 9; i++)
		falling[i] = 100 - (double)(i * i);
	assert_int_equal(confidence_warm_up(alike, 15), 0);
	assert_in_range(confidence_warm_up(falling, 9), 0, 4);
	assert_int_equal(confidence_warm_up(two, 2), 0);
	assert_int_equal(confidence_warm_up(alike, 1), 0);
	assert_int_equal(confidence_warm_up(alike, 0), 0);
	for (unsigned trial = 0; trial < 200; trial++) {
		double values[40];

		for (size_t i = 0; i < 40; i++)
			values[i] = normal(1);
		skipped += (double)confidence_warm_up(values, 40);
	}
	assert_true(skipped / 200 < 8); /* chance makes some beginnings look unlike the rest */
}

TEST_MAIN(NULL, NULL)
