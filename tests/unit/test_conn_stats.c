// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Statistics of many connections: the parts of a step, sums over instances, rates over time. */
#include "cmocka_all.h"

#include <math.h>

#include "cmtime/conn_stats.h"
#include "stats/clock.h"

static struct conn_stats *opened(void)
{
	struct conn_stats *stats;

	assert_int_equal(conn_stats_open(&stats), 0);
	return stats;
}

static int use_gettime(void **state)
{
	clock_start(true /* cycles are nanoseconds */);
	return 0;
}

static const struct latency *measure(const struct conn_stats *stats, enum step step, enum measure which)
{
	return &stats->steps[step].measures[which];
}

static void assert_one(const struct conn_stats *stats, enum step step, enum measure which, uint64_t value)
{
	assert_int_equal(measure(stats, step, which)->histogram.count, 1);
	assert_int_equal(measure(stats, step, which)->min, value);
	assert_int_equal(measure(stats, step, which)->max, value);
}

TEST(a_call_that_waited_for_a_thread)
{
	struct conn_stats *stats = opened();
	const struct step_times times = {.asked = 100, .begin = 400, .end = 450};

	conn_stats_record(stats, STEP_CREATE_QP, &times);
	assert_one(stats, STEP_CREATE_QP, MEASURE_TIME, 50);
	assert_one(stats, STEP_CREATE_QP, MEASURE_SERVICE, 50);
	assert_one(stats, STEP_CREATE_QP, MEASURE_QUEUED, 300);
	conn_stats_close(stats);
}

TEST(an_answer_that_waited_for_a_thread)
{
	struct conn_stats *stats = opened();
	const struct step_times times = {.asked = 100, .begin = 110, .event = 1110, .taken = 1140, .end = 1200};

	conn_stats_record(stats, STEP_CM_CONNECT, &times);
	assert_one(stats, STEP_CM_CONNECT, MEASURE_TIME, 1090);
	assert_one(stats, STEP_CM_CONNECT, MEASURE_SERVICE, 1000);
	assert_one(stats, STEP_CM_CONNECT, MEASURE_QUEUED, 40);
	conn_stats_close(stats);
}

TEST(a_call_that_nothing_waited_for_has_no_queue)
{
	struct conn_stats *stats = opened();
	const struct step_times times = {.begin = 10, .end = 20}, unfinished = {.begin = 10}, none = {0};

	conn_stats_record(stats, STEP_BIND_ADDR, &times);
	assert_one(stats, STEP_BIND_ADDR, MEASURE_TIME, 10);
	assert_int_equal(measure(stats, STEP_BIND_ADDR, MEASURE_QUEUED)->histogram.count, 0);
	conn_stats_record(stats, STEP_CREATE_ID, &unfinished);
	conn_stats_record(stats, STEP_CREATE_ID, &none);
	assert_int_equal(measure(stats, STEP_CREATE_ID, MEASURE_TIME)->histogram.count, 0);
	conn_stats_close(stats);
}

/* The whole is made of the other steps: its parts would be theirs. */
TEST(a_full_connect_has_a_time_only)
{
	struct conn_stats *stats = opened();
	const struct step_times times = {.begin = 10, .end = 20};

	conn_stats_record(stats, STEP_FULL_CONNECT, &times);
	assert_one(stats, STEP_FULL_CONNECT, MEASURE_TIME, 10);
	assert_int_equal(measure(stats, STEP_FULL_CONNECT, MEASURE_SERVICE)->histogram.count, 0);
	conn_stats_close(stats);
}

/* One instance has 990 fast ones, the other 10 slow ones: no mean of percentiles would find the 99th. */
TEST(percentiles_of_several_are_those_of_the_whole)
{
	struct conn_stats *fast = opened(), *slow = opened(), *whole = opened();
	const struct latency *time = measure(whole, STEP_CM_CONNECT, MEASURE_TIME);

	for (unsigned i = 0; i < 990; i++)
		conn_stats_record(fast, STEP_CM_CONNECT, &(struct step_times){.begin = 1000, .end = 1100});
	for (unsigned i = 0; i < 10; i++)
		conn_stats_record(slow, STEP_CM_CONNECT, &(struct step_times){.begin = 1000, .end = 1001000});
	fast->steps[STEP_CM_CONNECT].total_ns = 7;
	slow->steps[STEP_CM_CONNECT].total_ns = 9;
	conn_stats_add_steps(whole, slow);
	conn_stats_add_steps(whole, fast);
	assert_int_equal(time->histogram.count, 1000);
	assert_int_equal(time->min, 100);
	assert_int_equal(time->max, 1000000);
	assert_int_equal(time->sum.high, 0);
	assert_int_equal(time->sum.low, 990 * 100 + 10 * 1000000);
	assert_true(latency_percentile(time, 99) < 101e-9);
	assert_true(latency_percentile(time, 99.1) > 990000e-9);
	assert_int_equal(whole->steps[STEP_CM_CONNECT].total_ns, 9); /* they ran side by side */
	conn_stats_close(fast);
	conn_stats_close(slow);
	conn_stats_close(whole);
}

static uint64_t all_of(const struct rate *rate)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < rate->used; i++)
		all += rate->counts[i];
	return all;
}

TEST(intervals_widen_in_a_long_run)
{
	static struct rate rate = {.width_ns = RATE_WIDTH_NS};
	const uint64_t steps = 3 * RATE_INTERVALS;

	for (uint64_t i = 0; i < steps; i++)
		rate_count(&rate, i * RATE_WIDTH_NS, 1);
	assert_int_equal(rate.width_ns, 4 * RATE_WIDTH_NS);
	assert_int_equal(rate.used, steps / 4);
	assert_int_equal(all_of(&rate), steps);
	for (uint32_t i = 0; i < rate.used; i++)
		assert_int_equal(rate.counts[i], 4);
}

TEST(rates_of_different_width_are_added)
{
	static struct rate fine = {.width_ns = RATE_WIDTH_NS}, wide = {.width_ns = RATE_WIDTH_NS}, both;

	for (unsigned i = 0; i < 8; i++)
		rate_count(&fine, i * (uint64_t)RATE_WIDTH_NS, 1);
	rate_count(&wide, 2ULL * RATE_INTERVALS * RATE_WIDTH_NS, 1);
	assert_int_equal(wide.width_ns, 4 * RATE_WIDTH_NS);
	both = fine;
	rate_add(&both, &wide, 0);
	assert_int_equal(both.width_ns, 4 * RATE_WIDTH_NS);
	assert_int_equal(both.counts[0], 4);
	assert_int_equal(both.counts[1], 4);
	assert_int_equal(both.counts[RATE_INTERVALS / 2], 1);
	both = wide;
	rate_add(&both, &fine, 0);
	assert_int_equal(both.counts[1], 4);
	assert_int_equal(all_of(&both), 9);
}

/* Ten in the first interval, none in the second and five in the third, of which only a tenth has passed. */
TEST(a_peak_is_of_whole_intervals)
{
	struct conn_stats *stats = opened();

	assert_true(isnan(conn_rate_peak(&stats->totals)));
	stats->totals.began_ns = 1000000000;
	stats->totals.ended_ns = 1210000000;
	for (stats->totals.connections = 0; stats->totals.connections < 10; stats->totals.connections++)
		rate_count(&stats->totals.rate, stats->totals.connections, 1);
	assert_true(isnan(conn_rate_peak(&stats->totals))); /* it goes on */
	for (; stats->totals.connections < 15; stats->totals.connections++)
		rate_count(&stats->totals.rate, 2ULL * RATE_WIDTH_NS + stats->totals.connections, 1);
	assert_float_equal(conn_rate_average(&stats->totals), 15 / 0.21, 1e-6);
	assert_float_equal(conn_rate_peak(&stats->totals), 100, 1e-6);
	/* Most came in the end: no whole interval was as good as the average. */
	for (; stats->totals.connections < 60; stats->totals.connections++)
		rate_count(&stats->totals.rate, 2ULL * RATE_WIDTH_NS + stats->totals.connections, 1);
	assert_float_equal(conn_rate_peak(&stats->totals), 60 / 0.21, 1e-6);
	conn_stats_close(stats);
}

/* Rounded to whole intervals; nothing is lost. */
TEST(what_began_later_is_added_later)
{
	static struct rate late = {.width_ns = RATE_WIDTH_NS}, both;

	for (unsigned i = 0; i < 3; i++)
		rate_count(&late, i * (uint64_t)RATE_WIDTH_NS, i + 1);
	both = late;
	rate_add(&both, &late, (int64_t)(RATE_WIDTH_NS * 1.6));
	assert_int_equal(both.counts[0], 1);
	assert_int_equal(both.counts[2], 3 + 1);
	assert_int_equal(both.counts[4], 3);
	assert_int_equal(both.used, 5);
	assert_int_equal(all_of(&both), 12);
}

TEST(the_classic_names)
{
	static const char *const names[] = {
		"full connect", "create id", "bind addr",   "resolve addr", "resolve route", "create qp",
		"init qp attr", "init qp",   "rtr qp attr", "rtr qp",	    "rts qp attr",   "rts qp",
		"cm connect",	"establish", "disconnect",  "destroy id",   "destroy qp",
	};

	assert_int_equal(sizeof(names) / sizeof(names[0]), STEP_COUNT);
	for (unsigned step = 0; step < STEP_COUNT; step++)
		assert_string_equal(step_name((enum step)step), names[step]);
}

TEST_MAIN(use_gettime, NULL)
