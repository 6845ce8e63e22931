// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is a difference of pairs found when there is one, and only as often as promised when there is none? */
#include <math.h>

#include "cmocka_all.h"
#include "random_numbers.h"
#include "stats/paired.h"

#define LEVEL  0.05
#define TRIALS 2000

/* As front/compare/comparison.c does. */
static int judge(const double *differences, unsigned count, double level, struct paired *paired)
{
	return paired_judge(differences, count, paired_clip(count), level, paired);
}

/*
 * Nine patients with depression (Hollander, Wolfe and Chicken, table 3.1; the example of R's wilcox.test(x, y, paired =
 * TRUE), which prints V = 40 and p = 0.03906). The book's estimate is -0.46, and its interval of 96.1 % (-0.786,
 * -0.010).
 */
TEST(depression_is_the_books)
{
	static const double before[] = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
	static const double after[] = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
	double differences[9];
	struct paired found;

	for (unsigned i = 0; i < 9; i++)
		differences[i] = after[i] - before[i];
	assert_int_equal(paired_judge(differences, 9, 9, LEVEL, &found), 0);
	assert_true(fabs(found.p - 0.0390625) < 1e-12); /* 2 * 10 of 2^9 changes of signs */
	assert_true(fabs(found.change + 0.46) < 1e-9);
	assert_true(fabs(found.low + 0.786) < 1e-9);
	assert_true(fabs(found.high + 0.010) < 1e-9);
}

/* By enumeration: how many of all changes of signs give a sum of signed scores at least as far from 0? */
static double enumerated(const double *differences, unsigned count, unsigned most_score)
{
	double ranks[12], seen = 0;
	unsigned extreme = 0;

	for (unsigned i = 0; i < count; i++) {
		ranks[i] = 1;
		for (unsigned j = 0; j < count; j++)
			ranks[i] += fabs(differences[j]) < fabs(differences[i]);
		ranks[i] = fmin(ranks[i], most_score);
		seen += differences[i] > 0 ? ranks[i] : -ranks[i];
	}
	for (unsigned signs = 0; signs < 1U << count; signs++) {
		double sum = 0;

		for (unsigned i = 0; i < count; i++)
			sum += signs >> i & 1 ? ranks[i] : -ranks[i];
		extreme += fabs(sum) >= fabs(seen);
	}
	return (double)extreme / (double)(1U << count);
}

/* And 0 is outside of the interval of a level if and only if p is at most that level. */
TEST(p_is_that_of_all_changes_of_signs)
{
	double differences[12];
	struct paired found;

	for (unsigned trial = 0; trial < 400; trial++) {
		const unsigned count = 1 + trial % 12, most_score = 1 + (unsigned)random_below(count);

		for (unsigned i = 0; i < count; i++)
			differences[i] = random_normal() + 0.5;
		assert_int_equal(paired_judge(differences, count, most_score, LEVEL, &found), 0);
		assert_true(fabs(found.p - fmin(1, enumerated(differences, count, most_score))) < 1e-12);
		assert_int_equal(found.low > 0 || found.high < 0, found.p <= LEVEL);
		assert_true(found.low <= found.change && found.change <= found.high);
	}
}

/* The ends of an interval and the change are centers: of the differences from them the test says what it must. */
TEST(interval_is_where_the_test_finds_nothing)
{
	double differences[40], from[40];
	struct paired found, at;

	for (unsigned trial = 0; trial < 200; trial++) {
		const unsigned count = 6 + trial % 35;
		const double step = 1e-6;

		for (unsigned i = 0; i < count; i++)
			differences[i] = random_normal();
		assert_int_equal(judge(differences, count, LEVEL, &found), 0);
		for (unsigned end = 0; end < 4; end++) {
			const double center = (end < 2 ? found.low : found.high) + (end % 2 ? step : -step);

			for (unsigned i = 0; i < count; i++)
				from[i] = differences[i] - center;
			assert_int_equal(judge(from, count, LEVEL, &at), 0);
			assert_int_equal(at.p > LEVEL, end == 1 || end == 2);
		}
		for (unsigned i = 0; i < count; i++)
			from[i] = differences[i] - found.change;
		assert_int_equal(judge(from, count, LEVEL, &at), 0);
		assert_true(at.p >= 0.5 && fabs(at.change) < 1e-9);
	}
}

TEST(few_ties_and_none)
{
	static const double equal[8] = {0}, ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
	static const double ties[6] = {0.01, -0.01, 0.01, -0.01, 0, 0};
	struct paired found;

	assert_int_equal(judge(equal, 0, LEVEL, &found), 0);
	assert_true(isnan(found.change) && found.p >= 1);
	assert_int_equal(judge(ones, 5, LEVEL, &found), 0); /* 2 of 2^5 is more than 5 % */
	assert_true(isinf(found.low) && isinf(found.high) && found.p > LEVEL);
	assert_int_equal(judge(ones, 8, LEVEL, &found), 0);
	assert_true(fabs(found.p - 2.0 / 256) < 1e-12 && found.low >= 1 && found.high <= 1);
	assert_int_equal(judge(equal, 8, LEVEL, &found), 0);
	assert_true(found.p >= 1 && found.change <= 0 && found.change >= 0);
	assert_int_equal(judge(ties, 6, LEVEL, &found), 0);
	assert_true(found.p >= 1);
	assert_int_equal(paired_least(LEVEL), 6);
	assert_int_equal(paired_least(LEVEL / 2), 7);
	assert_int_equal(paired_least(2.0 / 1024), 10);
}

/* p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") of R gives 0.03, 0.06, 0.06 and 0.02: the first and the last differ. */
TEST(levels_are_holms)
{
	static const double p[] = {0.01, 0.04, 0.03, 0.005};
	static const double expected[] = {LEVEL / 3, LEVEL / 2, LEVEL / 2, LEVEL / 4};
	double levels[4];

	paired_levels(p, 4, LEVEL, levels);
	for (unsigned i = 0; i < 4; i++)
		assert_true(fabs(levels[i] - expected[i]) < 1e-12);
	paired_levels((const double[]){0.02, 0.01, 0.02}, 3, LEVEL, levels);
	assert_true(fabs(levels[1] - LEVEL / 3) < 1e-12); /* then 0.02 is at most a half of it, and at most all of it */
	assert_true(fabs(levels[0] - LEVEL / 2) < 1e-12 && fabs(levels[2] - LEVEL) < 1e-12);
}

/* Of three pairs one has a run that is slowed by up to a half: Wilcoxon's own scores find 5 % in 76 of 100. */
TEST(a_busy_neighbour_does_not_hide_it)
{
	double differences[30];
	struct paired paired;
	unsigned found = 0, by_ranks = 0;

	for (unsigned trial = 0; trial < TRIALS; trial++) {
		for (unsigned i = 0; i < 30; i++) {
			const double slow = random_below(3) ? 0 : 0.7 * random_uniform();

			differences[i] = log(0.95) + 0.02 * random_normal() + (random_below(2) ? slow : -slow);
		}
		assert_int_equal(judge(differences, 30, LEVEL, &paired), 0);
		found += paired.p <= LEVEL;
		assert_int_equal(paired_judge(differences, 30, 30, LEVEL, &paired), 0);
		by_ranks += paired.p <= LEVEL;
	}
	assert_true(found >= 0.95 * TRIALS && by_ranks < 0.85 * TRIALS);
}

TEST_MAIN(NULL, NULL)
