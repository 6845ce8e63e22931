// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Does a run stop when it is certain, no earlier, and how often is it right? What is the result of its measurements? */
#include <math.h>

#include "cmocka_all.h"
#include "random_numbers.h"
#include "session/measure/measurement.h"

#define TRUE_RATE 1e9 /* bytes per second */

static const struct repeat_config goal_of_2 = {
	.plan = {.count = 1, .until_percent = 2, .most = 300, .most_s = 3600}, .measures = true, .own = true};

static void add_rate(struct repeats *repeats, double rate)
{
	const struct report_row row = {.bw_average = rate, .message_rate = rate / 64, .iterations = 10, .seconds = 1};
	const struct report_row none = {0};

	assert_int_equal(repeats_add(repeats, &row, &none, &none), 0);
}

/* As measure.c does it, with a peer that always has enough. */
static struct series_result run_of(struct repeats *repeats, double (*measure)(unsigned n))
{
	struct report_row local, remote, total;

	repeats_begin(repeats);
	do
		add_rate(repeats, measure(repeats->series.count));
	while (series_vote(&repeats->series) == SERIES_AGAIN);
	repeats_conclude(repeats, &local, &remote, &total);
	return total.repeats;
}

static double spread_of_5(unsigned n)
{
	return TRUE_RATE * (1 + 0.05 * random_normal());
}

/* The first of them are of a cold machine. */
static double with_warm_up(unsigned n)
{
	return spread_of_5(n) * (n < 8 ? 0.5 : 1);
}

/*
 * Of runs that stop themselves: 5 % of spread takes some 27 measurements for an interval within 2 %. Four standard
 * errors of 1500 trials are 25 of 1000.
 */
TEST(interval_holds_the_truth)
{
	struct repeats repeats;
	unsigned held = 0, reached = 0;
	const unsigned trials = 1500;

	assert_int_equal(repeats_open(&repeats, &goal_of_2, false), 0);
	for (unsigned i = 0; i < trials; i++) {
		const struct series_result found = run_of(&repeats, spread_of_5);

		held += found.confidence.low <= TRUE_RATE && TRUE_RATE <= found.confidence.high;
		reached += found.reached;
		assert_true(!found.reached || confidence_percent(&found.confidence) <= 2);
		assert_in_range(found.count, SERIES_LEAST + 1, 300);
	}
	assert_int_equal(reached, trials);
	assert_in_range(1000 * held / trials, 915, 975);
	repeats_close(&repeats);
}

/* With the warm-up in it the interval is not where the truth is; without it, it is. */
TEST(steady_leaves_the_warm_up_out)
{
	struct repeat_config config = goal_of_2;
	unsigned held[2] = {0};

	for (unsigned steady = 0; steady < 2; steady++) {
		struct repeats repeats;

		config.plan.steady = steady;
		assert_int_equal(repeats_open(&repeats, &config, false), 0);
		for (unsigned i = 0; i < 200; i++) {
			const struct series_result found = run_of(&repeats, with_warm_up);

			held[steady] += found.confidence.low <= TRUE_RATE && TRUE_RATE <= found.confidence.high;
			if (steady)
				assert_true(found.left_out >= 8 && found.count >= SERIES_LEAST);
			else
				assert_int_equal(found.left_out, 0);
		}
		repeats_close(&repeats);
	}
	assert_in_range(held[0], 0, 100);
	assert_in_range(held[1], 176, 200);
}

static unsigned held_of_1000(bool steady, double (*measure)(unsigned n))
{
	struct repeat_config config = goal_of_2;
	const unsigned trials = 4000;
	struct repeats repeats;
	unsigned held = 0;

	config.plan.steady = steady;
	assert_int_equal(repeats_open(&repeats, &config, false), 0);
	for (unsigned i = 0; i < trials; i++) {
		const struct series_result found = run_of(&repeats, measure);

		held += found.confidence.low <= TRUE_RATE && TRUE_RATE <= found.confidence.high;
	}
	repeats_close(&repeats);
	return 1000 * held / trials;
}

/* By the deviation of what is left alone it would be 895 of 1000: the choice favours measurements that are alike. */
TEST(interval_without_a_warm_up_holds_the_truth)
{
	assert_in_range(held_of_1000(true, spread_of_5), 907, 965);
}

static double skewed_of_5(unsigned n)
{
	return TRUE_RATE * (0.95 - 0.05 * log(random_uniform()));
}

/* The manual has these numbers. */
TEST(skewed_measurements_hold_it_less_often)
{
	assert_in_range(held_of_1000(false, skewed_of_5), 855, 925);
	assert_in_range(held_of_1000(true, skewed_of_5), 750, 830);
}

TEST(limits_end_it)
{
	struct repeat_config config = goal_of_2;
	struct repeats repeats;
	struct series_result found;

	config.plan.until_percent = 0.01;
	config.plan.most = 12;
	assert_int_equal(repeats_open(&repeats, &config, false), 0);
	found = run_of(&repeats, spread_of_5);
	assert_int_equal(found.count, 12);
	assert_false(found.reached);
	repeats_close(&repeats);

	config.plan.most = 300;
	config.plan.most_s = 0; /* it is over at once */
	assert_int_equal(repeats_open(&repeats, &config, false), 0);
	found = run_of(&repeats, spread_of_5);
	assert_int_equal(found.count, 1);
	assert_true(isnan(found.confidence.low));
	repeats_close(&repeats);
}

/* What has no rate is none to go by, and a side without figures wants no more of them. */
TEST(unknown_figures_are_left_out)
{
	struct repeat_config config = goal_of_2;
	struct report_row local, remote, total;
	struct repeats repeats;

	config.plan.most = 20;
	assert_int_equal(repeats_open(&repeats, &config, false), 0);
	repeats_begin(&repeats);
	add_rate(&repeats, NAN);
	assert_int_equal(series_vote(&repeats.series), SERIES_ENOUGH);
	for (unsigned i = 0; i < SERIES_LEAST; i++) {
		add_rate(&repeats, TRUE_RATE);
		assert_int_equal(series_vote(&repeats.series), SERIES_AGAIN);
	}
	add_rate(&repeats, TRUE_RATE);
	assert_int_equal(series_vote(&repeats.series), SERIES_ENOUGH);
	repeats_conclude(&repeats, &local, &remote, &total);
	assert_int_equal(total.repeats.count, SERIES_LEAST + 2);
	assert_true(total.repeats.reached && fabs(local.bw_average - TRUE_RATE) < 1);
	repeats_close(&repeats);

	config.measures = false;
	assert_int_equal(repeats_open(&repeats, &config, false), 0);
	repeats_begin(&repeats);
	add_rate(&repeats, 0);
	assert_int_equal(series_vote(&repeats.series), SERIES_ENOUGH);
	repeats_close(&repeats);
}

/* The larger of both votes counts, so that a peer that always votes for more gets no more than was agreed on. */
TEST(no_more_than_was_agreed_on)
{
	const struct repeat_config config = {.plan = {.count = 2}, .measures = true, .own = true};
	const struct report_row row = {.bw_average = TRUE_RATE}, none = {0};
	struct repeats repeats;

	assert_int_equal(repeats_open(&repeats, &config, false), 0);
	repeats_begin(&repeats);
	assert_int_equal(repeats_add(&repeats, &row, &none, &none), 0);
	assert_int_equal(series_vote(&repeats.series), SERIES_AGAIN);
	assert_int_equal(repeats_add(&repeats, &row, &none, &none), 0);
	assert_int_equal(series_vote(&repeats.series), SERIES_NO_MORE);
	repeats_close(&repeats);
}

TEST(rows_are_sums_and_means)
{
	const struct repeat_config config = {.plan = {.count = 3}, .measures = true, .both = true};
	struct report_row local, remote, total;
	struct repeats repeats;

	assert_int_equal(repeats_open(&repeats, &config, false), 0);
	repeats_begin(&repeats);
	for (unsigned i = 0; i < 3; i++) {
		const struct report_row own = {.iterations = 100,
					       .seconds = 2,
					       .bw_average = 10 * (i + 1),
					       .message_rate = i + 1,
					       .bw_peak = i == 1 ? 50 : 40,
					       .lost = i,
					       .cpu_percent = i == 0 ? NAN : 20.0 * i}; /* not known of the first */
		const struct report_row peer = {.iterations = 100,
						.bw_average = 100,
						.lost = i == 2 ? REPORT_NOT_KNOWN : 1,
						.cpu_percent = NAN};

		/* Together they took 4 s, half of which at once; the last ones one after the other. */
		const struct report_row both = {.iterations = 100,
						.seconds = 4,
						.bw_average = own.bw_average + peer.bw_average,
						.overlap = {true, i < 2 ? 50 : 0, 1e-5}};

		assert_int_equal(repeats_add(&repeats, &own, &peer, &both), 0);
		assert_int_equal(series_vote(&repeats.series), i < 2 ? SERIES_AGAIN : SERIES_NO_MORE);
	}
	repeats_conclude(&repeats, &local, &remote, &total);
	assert_int_equal(local.iterations, 300);
	assert_true(local.seconds == 6 && fabs(local.bw_average - 20) < 1e-9 && fabs(local.message_rate - 2) < 1e-9);
	assert_true(local.bw_peak == 50 && local.lost == 3 && fabs(local.cpu_percent - 30) < 1e-9);
	assert_true(remote.lost == REPORT_NOT_KNOWN && isnan(remote.cpu_percent));
	assert_true(total.iterations == 300 && total.seconds == 12 && fabs(total.bw_average - 120) < 1e-9);
	assert_true(total.overlap.known && fabs(total.overlap.percent - 100.0 / 3) < 1e-9);
	/* 110, 120, 130: t(2) * 10 / sqrt(3) */
	assert_int_equal(total.repeats.count, 3);
	assert_true(fabs(total.repeats.confidence.center - 120) < 1e-9);
	assert_true(fabs(total.repeats.confidence.high - (120 + 4.3026527 * 10 / sqrt(3))) < 1e-6);
	assert_true(total.repeats.each[0] == 110 && total.repeats.each[1] == 120 && total.repeats.each[2] == 130);
	assert_true(local.repeats.each[2] == 30 && remote.repeats.each[0] == 100);
	assert_true(fabs(local.repeats.confidence.center - 20) < 1e-9);
	assert_true(remote.repeats.confidence.low == 100 && remote.repeats.confidence.high == 100);
	repeats_close(&repeats);
}

/* A receiver that has found everything at once has counted, but has no rate. */
TEST(a_measurement_without_a_rate_counts)
{
	const struct repeat_config config = {.plan = {.count = 4}, .measures = true, .own = true};
	struct report_row local, remote, total;
	struct repeats repeats;

	assert_int_equal(repeats_open(&repeats, &config, false), 0);
	repeats_begin(&repeats);
	for (unsigned i = 0; i < 4; i++) {
		const double rate = i % 2 ? 100 * i : NAN;
		const struct report_row own = {.iterations = 10, .bw_average = rate, .message_rate = rate, .lost = 1};

		assert_int_equal(repeats_add(&repeats, &own, &own, &own), 0);
		assert_int_equal(series_vote(&repeats.series), i < 3 ? SERIES_AGAIN : SERIES_NO_MORE);
	}
	repeats_conclude(&repeats, &local, &remote, &total);
	assert_int_equal(total.repeats.count, 4);
	assert_int_equal(local.iterations, 40);
	assert_int_equal(local.lost, 4);
	/* Of 100 and 300. */
	assert_true(fabs(local.bw_average - 200) < 1e-9 && fabs(total.repeats.confidence.center - 200) < 1e-9);
	assert_true(isnan(total.repeats.each[0]) && total.repeats.each[1] == 100 && isnan(total.repeats.each[2]) &&
		    total.repeats.each[3] == 300);

	/* Of none of them. */
	repeats_begin(&repeats);
	for (unsigned i = 0; i < 2; i++)
		add_rate(&repeats, NAN);
	repeats_conclude(&repeats, &local, &remote, &total);
	assert_true(total.repeats.count == 2 && local.iterations == 20 && isnan(local.bw_average));
	assert_true(isnan(total.repeats.confidence.low) && isnan(total.repeats.each[1]));
	repeats_close(&repeats);
}

/* --steady leaves out measurements, of which some have no figure. */
TEST(a_warm_up_without_a_rate)
{
	const struct repeat_config config = {.plan = {.count = 12, .steady = true}, .measures = true, .own = true};
	struct report_row local, remote, total;
	struct repeats repeats;

	assert_int_equal(repeats_open(&repeats, &config, false), 0);
	repeats_begin(&repeats);
	for (unsigned i = 0; i < 12; i++)
		add_rate(&repeats, i % 4 == 0 ? NAN : i < 4 ? 10 : i % 2 ? 101 : 99);
	repeats_conclude(&repeats, &local, &remote, &total);
	/* NaN, 10, 10, 10 */
	assert_int_equal(total.repeats.left_out, 4);
	assert_int_equal(total.repeats.count, 8);
	assert_true(fabs(local.bw_average - (4 * 101 + 2 * 99) / 6.0) < 1e-9);
	assert_true(fabs(total.repeats.confidence.center - local.bw_average) < 1e-9);
	repeats_close(&repeats);
}

/* Samples of all measurements are in the row; the interval is that of the measurements' medians. */
TEST(medians_have_the_interval)
{
	const struct repeat_config config = {.plan = {.count = 6}, .measures = true, .own = true};
	struct report_row local, remote, none = {0};
	struct report_row total;
	struct repeats repeats;
	struct latency *one = calloc(1, sizeof(*one));

	assert_non_null(one);
	assert_int_equal(latency_open(one, 0), 0);
	assert_int_equal(repeats_open(&repeats, &config, true), 0);
	repeats_begin(&repeats);
	for (uint64_t i = 1; i <= 6; i++) {
		const struct report_row row = {.latency = one, .iterations = 3};
		const uint64_t median = 10 * (7 - i); /* falling: sorting them would show */

		latency_reset(one);
		one->tick_seconds = 0.5;
		latency_record(one, median);
		latency_record(one, median);
		latency_record(one, 200);
		assert_int_equal(repeats_add(&repeats, &row, &none, &none), 0);
	}
	repeats_conclude(&repeats, &local, &remote, &total);
	assert_int_equal(local.latency->histogram.count, 18);
	assert_int_equal(local.latency->min, 10);
	assert_int_equal(local.latency->max, 200);
	assert_int_equal(local.iterations, 18);
	assert_true(total.repeats.each[0] == 30 && total.repeats.each[5] == 5);
	/* each is known to half a tick */
	assert_true(total.repeats.confidence.low == 4.75 && total.repeats.confidence.high == 30.25 &&
		    total.repeats.confidence.center == 17.5);
	/* the next size begins with nothing */
	repeats_begin(&repeats);
	assert_int_equal(repeats.series.count, 0);
	/* medians of one bucket, 1000 to 1003 */
	for (uint64_t i = 1; i <= 6; i++) {
		const struct report_row row = {.latency = one, .iterations = 3};

		latency_reset(one);
		one->tick_seconds = 0.5;
		latency_record(one, 999);
		latency_record(one, 1000 + i % 4);
		latency_record(one, 2000);
		assert_int_equal(repeats_add(&repeats, &row, &none, &none), 0);
	}
	repeats_conclude(&repeats, &local, &remote, &total);
	assert_true(total.repeats.confidence.low == (1001.5 - 2) / 2 &&
		    total.repeats.confidence.high == (1001.5 + 2) / 2);
	repeats_close(&repeats);
	latency_close(one);
	free(one);
}

TEST_MAIN(NULL, NULL)
