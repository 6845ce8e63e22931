// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is a schedule exact over hours, reproducible, and a Poisson process if requested? */
#include <math.h>

#include "cmocka_all.h"
#include "stats/schedule.h"

#define BEGIN	 123456789012345ULL
#define REQUESTS 200000

/* An interval that no sum of whole cycles, nor of floats, would keep. */
TEST(equal_intervals_lose_nothing)
{
	const struct pace pace = {.mean_cycles = 2.6e9 / 700001};
	struct schedule schedule;
	uint64_t due = 0;

	schedule_begin(&schedule, &pace, BEGIN);
	for (uint64_t n = 1; n <= 20000000; n++) {
		due = schedule_next(&schedule);
		if (n % 99991 == 0) {
			const double exact = (double)n * pace.mean_cycles;

			assert_true(fabs((double)(due - BEGIN) - floor(exact)) <= 1);
		}
	}
	assert_true(due > BEGIN);
}

/* A day at a request a second and a counter of 2.6 GHz that is no whole number. */
TEST(a_day_is_a_day)
{
	const struct pace pace = {.mean_cycles = 2599999999.7};
	struct schedule schedule;
	uint64_t due = 0;

	schedule_begin(&schedule, &pace, BEGIN);
	for (unsigned n = 0; n < 86400; n++)
		due = schedule_next(&schedule);
	assert_in_range(due - BEGIN, 86400 * 25999999997ULL / 10 - 1, 86400 * 25999999997ULL / 10);
}

TEST(a_saturating_pace_is_always_due)
{
	const struct pace pace = {.mean_cycles = 0};
	struct schedule schedule;

	schedule_begin(&schedule, &pace, BEGIN);
	for (unsigned n = 0; n < 10; n++)
		assert_int_equal(schedule_next(&schedule), BEGIN);
}

static int compare(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* Intervals in units of the mean, in order of time. */
static double *poisson_intervals(uint64_t seed)
{
	const struct pace pace = {.mean_cycles = 1e6, .is_poisson = true, .seed = seed};
	double *intervals = calloc(REQUESTS, sizeof(*intervals));
	struct schedule schedule;
	uint64_t last = BEGIN;

	assert_non_null(intervals);
	schedule_begin(&schedule, &pace, BEGIN);
	for (unsigned n = 0; n < REQUESTS; n++) {
		const uint64_t due = schedule_next(&schedule);

		intervals[n] = (double)(due - last) / pace.mean_cycles;
		last = due;
	}
	return intervals;
}

/* Kolmogorov and Smirnov: the distance from the distribution; 1.95 / sqrt(n) is passed once in a thousand. */
TEST(poisson_intervals_are_exponential)
{
	for (uint64_t seed = 1; seed <= 3; seed++) {
		double *intervals = poisson_intervals(seed);
		double distance = 0, sum = 0, squares = 0;

		for (unsigned n = 0; n < REQUESTS; n++) {
			sum += intervals[n];
			squares += intervals[n] * intervals[n];
		}
		/* Mean 1 and variance 1, each within four of its standard errors: 1/sqrt(n), sqrt(8/n). */
		assert_true(fabs(sum / REQUESTS - 1) < 4 / sqrt(REQUESTS));
		assert_true(fabs(squares / REQUESTS - sum * sum / REQUESTS / REQUESTS - 1) < 4 * sqrt(8.0 / REQUESTS));
		qsort(intervals, REQUESTS, sizeof(*intervals), compare);
		for (unsigned n = 0; n < REQUESTS; n++) {
			const double share = 1 - exp(-intervals[n]);

			distance = fmax(distance, fmax((n + 1.0) / REQUESTS - share, share - (double)n / REQUESTS));
		}
		assert_true(distance < 1.95 / sqrt(REQUESTS));
		free(intervals);
	}
}

/* ... and independent: neighbours are not correlated. */
TEST(poisson_intervals_know_nothing_of_each_other)
{
	double *intervals = poisson_intervals(7);
	double sum = 0;

	for (unsigned n = 0; n + 1 < REQUESTS; n++)
		sum += (intervals[n] - 1) * (intervals[n + 1] - 1);
	assert_true(fabs(sum / REQUESTS) < 4 / sqrt(REQUESTS));
	free(intervals);
}

/* As the manual page says how to compute it: here for seed 1, by another program (Python, exact integers). */
TEST(a_seed_makes_one_schedule)
{
	static const uint64_t first[] = {568169, 861491, 890917, 1702039, 2513374};
	const struct pace pace = {.mean_cycles = 1e6, .is_poisson = true, .seed = 1};
	double *one = poisson_intervals(1), *again = poisson_intervals(1), *other = poisson_intervals(2);
	struct schedule schedule;

	assert_memory_equal(one, again, REQUESTS * sizeof(*one));
	assert_true(memcmp(one, other, sizeof(*one)) != 0);
	schedule_begin(&schedule, &pace, 0);
	for (unsigned n = 0; n < sizeof(first) / sizeof(first[0]); n++)
		assert_int_equal(schedule_next(&schedule), first[n]);
	free(one);
	free(again);
	free(other);
}

TEST_MAIN(NULL, NULL)
