// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Do the results of several threads add up to the total? */
#include "cmocka_all.h"
#include "loops/run.h"

TEST(counts_are_added_and_the_time_is_common)
{
	struct run_result results[] = {
		{.posted = 10,
		 .completed = 9,
		 .received = 3,
		 .sampled = 9,
		 .unrated = 1,
		 .margins = 2,
		 .sampled_arrivals = 5,
		 .begin_cycles = 100,
		 .finish_cycles = 900,
		 .last_cycles = 910,
		 .most_found = 4,
		 .sent_all = true,
		 .peak = 7},
		{.posted = 20,
		 .completed = 18,
		 .received = 6,
		 .sampled = 18,
		 .unrated = 2,
		 .margins = 4,
		 .sampled_arrivals = 10,
		 .begin_cycles = 90,
		 .finish_cycles = 800,
		 .last_cycles = 1000,
		 .most_found = 2,
		 .sent_all = true,
		 .peak = 9},
	};
	struct run_result sum;

	run_sum(&sum, results, 2);
	assert_int_equal(sum.posted, 30);
	assert_int_equal(sum.completed, 27);
	assert_int_equal(sum.received, 9);
	assert_int_equal(sum.sampled, 27);
	assert_int_equal(sum.unrated, 3);
	assert_int_equal(sum.margins, 6);
	assert_int_equal(sum.sampled_arrivals, 15);
	assert_int_equal(sum.begin_cycles, 90);
	assert_int_equal(sum.finish_cycles, 900);
	assert_int_equal(sum.last_cycles, 1000);
	assert_int_equal(sum.most_found, 4);
	assert_true(sum.sent_all);
	assert_true(sum.peak == 0);
	assert_false(sum.stopped);
}

/* A receiver's clock starts with its first arrival. */
TEST(one_that_has_not_begun_has_no_time)
{
	struct run_result results[] = {{.sent_all = true}, {.begin_cycles = 50}, {.begin_cycles = 70}};
	struct run_result sum;

	run_sum(&sum, results, 3);
	assert_int_equal(sum.begin_cycles, 50);
	assert_false(sum.sent_all);
}

/*
 * 100 messages each, from 1000 on, one per 10 cycles. The first thread looks at once; the second one, which has to wait
 * for a CPU, finds 60 at 1600.
 */
TEST(arrivals_found_late_are_in_the_common_time)
{
	struct run_result results[] = {
		{.sampled = 100, .received = 100, .unrated = 2, .begin_cycles = 1020, .finish_cycles = 2000},
		{.sampled = 100, .received = 100, .unrated = 60, .begin_cycles = 1600, .finish_cycles = 2000},
	};
	struct run_result sum;

	run_sum(&sum, results, 2);
	assert_int_equal(sum.begin_cycles, 1020);
	assert_int_equal(sum.sampled - sum.unrated, 2 * (sum.finish_cycles - sum.begin_cycles) / 10);
	/* The row of each adds up to that. */
	assert_int_equal(results[0].unrated, 2);
	assert_int_equal(results[1].unrated, 2);
	/* The first one waited for its CPU, too, while all of both arrived: nothing is known of their rate. */
	results[0].unrated = 100;
	results[1].unrated = 100;
	run_sum(&sum, results, 2);
	assert_int_equal(sum.sampled, sum.unrated);
}

TEST(what_happened_to_one_happened_to_all)
{
	struct run_result results[] = {
		{.open_cycles = 5, .open_answered = true},
		{.open_cycles = 9, .stopped = true, .first_arrival_bytes = 8},
		{.clock_is_back = true},
	};
	struct run_result sum;

	run_sum(&sum, results, 3);
	assert_true(sum.stopped);
	assert_true(sum.clock_is_back);
	assert_int_equal(sum.open_cycles, 9);
	assert_false(sum.open_answered);
	assert_int_equal(sum.first_arrival_bytes, 8);
}

/* Stopped at 95, the window begins at 100: the second thread saw a moment of it. */
TEST(who_is_cut_short_before_the_window_counts_all)
{
	const struct run_plan plan = {.begin_sample_cycles = 100};
	struct run_result results[] = {
		{.sampled = 40, .begin_cycles = 10, .finish_cycles = 95},
		{.sampled = 1, .margins = 50, .begin_cycles = 100, .finish_cycles = 101},
	};
	struct run_result sum;

	run_sum(&sum, results, 2);
	run_sum_cut_short(&sum, &plan, results, 2);
	assert_int_equal(sum.sampled, 91);
	assert_int_equal(sum.margins, 0);
	assert_int_equal(sum.begin_cycles, 10);
	/* The row of each adds up to that. */
	assert_int_equal(results[0].sampled, 40);
	assert_int_equal(results[1].sampled, 51);
	assert_int_equal(results[1].margins, 0);
	/* None was: nothing changes. */
	results[1] = (struct run_result){.sampled = 1, .margins = 50, .begin_cycles = 100, .finish_cycles = 101};
	run_sum(&sum, results + 1, 1);
	run_sum_cut_short(&sum, &plan, results + 1, 1);
	assert_int_equal(sum.sampled, 1);
	assert_int_equal(sum.margins, 50);
}

TEST_MAIN(NULL, NULL)
