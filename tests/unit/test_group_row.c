// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The combined row of several pairs: figures computed by hand, and samples of different clocks. */
#include <math.h>

#include "cmocka_all.h"
#include "session/group/group.h"

#define SECOND INT64_C(1000000000)

static struct member_slot *slots;
static struct group_process pairs[3];
static struct group_row merged;

static int set_up(void **state)
{
	slots = calloc(3, sizeof(*slots));
	for (unsigned i = 0; i < 3; i++)
		pairs[i] = (struct group_process){.name = "10.0.0.1:4711", .slot = &slots[i], .measured = true};
	return slots && !group_row_open(&merged, 3) ? 0 : -1;
}

static int tear_down(void **state)
{
	group_row_close(&merged);
	free(slots);
	return 0;
}

static void assert_near(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-9 * fabs(expected)))
		fail_msg("%.12g, expected %.12g", value, expected);
}

/* So many messages of 100 bytes in `seconds` from `begin_s` on. */
static void pair_moves(unsigned n, double messages, double begin_s, double seconds)
{
	slots[n].row = (struct report_row){
		.size = 100,
		.iterations = (uint64_t)messages,
		.seconds = seconds,
		.bw_peak = 1e9,
		.bw_average = messages * 100 / seconds,
		.message_rate = messages / seconds,
		.cpu_percent = NAN,
	};
	slots[n].begin_ns = 5 * SECOND + (int64_t)(begin_s * 1e9);
	slots[n].end_ns = slots[n].begin_ns + (int64_t)(seconds * 1e9);
}

TEST(all_at_once)
{
	pair_moves(0, 1000, 0, 2);
	pair_moves(1, 1000, 0, 2);
	pair_moves(2, 4000, 0, 2);
	assert_int_equal(group_row_make(&merged, pairs, 3, NULL), 0);
	assert_near(merged.row.bw_average, 300000);
	assert_near(merged.row.message_rate, 3000);
	assert_near(merged.row.seconds, 2);
	assert_int_equal(merged.row.iterations, 6000);
	assert_true(merged.row.bw_peak == 0 && !merged.row.partial);
	assert_int_equal(merged.peers.count, 3);
	assert_near(merged.peers.least, 50000);
	assert_near(merged.peers.most, 200000);
	assert_near(merged.peers.fairness, 36.0 / (3 * 18));
	assert_near(merged.row.overlap.percent, 100);
}

/* 0..2, 1..5 and 1.5..2.5 s: all run in half a second of five. */
TEST(in_part_at_once)
{
	pair_moves(0, 1000, 0, 2);
	pair_moves(1, 1000, 1, 4);
	pair_moves(2, 1000, 1.5, 1);
	slots[0].error_ns = 1000;
	slots[1].error_ns = 2000;
	assert_int_equal(group_row_make(&merged, pairs, 3, NULL), 0);
	assert_near(merged.row.bw_average, 300000.0 / 5);
	assert_near(merged.row.overlap.percent, 10);
	assert_near(merged.row.overlap.error_s, 2e-6);
	assert_near(merged.list[2].begin_s, 1.5);
}

TEST(one_after_the_other)
{
	pair_moves(0, 1000, 0, 1);
	pair_moves(1, 1000, 2, 1);
	assert_int_equal(group_row_make(&merged, pairs, 2, NULL), 0);
	assert_near(merged.row.bw_average, 200000.0 / 3);
	assert_true(merged.row.overlap.known && merged.row.overlap.percent == 0);
}

/* -b: 1000 messages in 1 s, and 1000 of the other direction in 4 s; and the same again after that. */
TEST(directions_with_times_of_their_own)
{
	for (unsigned i = 0; i < 2; i++) {
		pair_moves(i, 1000, 4.0 * i, 4);
		slots[i].row.iterations_of[REPORT_OWN] = slots[i].row.iterations_of[REPORT_PEER] = 1000;
		slots[i].row.message_rate = 1000 + 250;
		slots[i].row.bw_average = slots[i].row.message_rate * 100;
	}
	assert_int_equal(group_row_make(&merged, pairs, 2, NULL), 0);
	assert_near(merged.row.message_rate, 4000.0 / 8);
	assert_near(merged.row.bw_average, 400000.0 / 8);
	assert_near(merged.peers.most, 125000);
}

TEST(one_is_lost)
{
	pair_moves(0, 1000, 0, 1);
	pair_moves(1, 1000, 0, 9);
	pair_moves(2, 3000, 0, 1);
	pairs[1].measured = false;
	assert_int_equal(group_row_make(&merged, pairs, 3, NULL), 0);
	pairs[1].measured = true;
	assert_near(merged.row.bw_average, 400000);
	assert_int_equal(merged.peers.count, 2);
	assert_int_equal(merged.peers.num_listed, 3);
	assert_null(merged.list[1].row);
	assert_true(merged.row.partial);
	assert_near(merged.peers.least, 100000);
}

TEST(times_that_are_not_known)
{
	pair_moves(0, 1000, 0, 1);
	pair_moves(1, 3000, 0, 1);
	slots[1].begin_ns = slots[1].end_ns = 0;
	assert_int_equal(group_row_make(&merged, pairs, 2, NULL), 0);
	assert_true(isnan(merged.row.bw_average) && isnan(merged.row.message_rate) && isnan(merged.row.seconds));
	assert_true(!merged.row.overlap.known && isnan(merged.list[1].begin_s));
	assert_near(merged.peers.most, 300000);
	/* of one that moved nothing there is nothing to know */
	pair_moves(1, 0, 0, 1);
	slots[1].begin_ns = slots[1].end_ns = 0;
	assert_int_equal(group_row_make(&merged, pairs, 2, NULL), 0);
	assert_near(merged.row.bw_average, 100000);
	assert_true(!merged.row.overlap.known);
	assert_near(merged.list[0].begin_s + 1, 1);
}

TEST(nothing_is_shared)
{
	pair_moves(0, 0, 0, 1);
	pair_moves(1, 0, 0, 1);
	assert_int_equal(group_row_make(&merged, pairs, 2, NULL), 0);
	assert_true(isnan(merged.peers.fairness) && merged.row.bw_average == 0);
}

TEST(sizes_that_differ)
{
	pair_moves(0, 1000, 0, 1);
	pair_moves(1, 1000, 0, 1);
	slots[1].row.size = 50;
	assert_int_equal(group_row_make(&merged, pairs, 2, NULL), -EPROTO);
}

/* `count` samples of `usec`, by a clock of so many ticks a microsecond. */
static void pair_samples(unsigned n, unsigned count, double usec, double ticks_per_usec)
{
	pair_moves(n, count, 0, 1);
	latency_reset(&slots[n].samples);
	for (unsigned i = 0; i < count; i++)
		latency_record(&slots[n].samples, (uint64_t)(usec * ticks_per_usec));
	slots[n].row.latency = &slots[n].samples;
	slots[n].samples.tick_seconds = 1e-6 / ticks_per_usec;
}

TEST(samples_of_clocks_that_differ)
{
	const double tick = 1e-6 / 2400.1; /* of the finest */
	const struct latency *all;

	pair_samples(0, 100, 2, 2400);
	pair_samples(1, 100, 5, 1000);
	pair_samples(2, 1, 40, 2400.1); /* the same clock, calibrated twice */
	assert_int_equal(group_row_make(&merged, pairs, 3, NULL), 0);
	all = merged.row.latency;
	assert_int_equal(all->histogram.count, 201);
	assert_true(fabs(merged.row.latency->tick_seconds - tick) < 1e-15);
	assert_true(fabs((double)all->min * tick - 2e-6) < 1e-9);
	assert_true(fabs((double)all->max * tick - 40e-6) < 40e-9);
	assert_true(fabs(latency_mean(all) - (200e-6 + 500e-6 + 40e-6) / 201) < 1e-8);
	/* twice the histogram's own error, and the rounding of 4800 ticks */
	assert_true(latency_relative_error(all) > 1.0 / 128 && latency_relative_error(all) < 1.0 / 127);
	assert_true(fabs(latency_percentile(all, 75) - 5e-6) < 5e-6 / 128);
	assert_true(fabs(latency_percentile(all, 25) - 2e-6) < 2e-6 / 256);
	assert_near(merged.peers.most, latency_percentile(&slots[2].samples, 50));
	/* deviation: by hand, of 100 times 2, 100 times 5, once 40 */
	assert_true(fabs(latency_stdev(all) / sqrt((400 + 2500 + 1600) / 201.0 - pow(740.0 / 201, 2)) / 1e-6 - 1) <
		    1e-3);
}

/* The finer clock's times are not cut down to the ticks of the coarser one, whichever is first, and none is cut off. */
TEST(samples_of_a_coarse_clock)
{
	for (unsigned coarse = 0; coarse < 2; coarse++) {
		const struct latency *all;

		pair_samples(coarse, 100, 20, 0.1);    /* two ticks of 10 us */
		pair_samples(!coarse, 100, 7.5, 2400); /* as they are */
		assert_int_equal(group_row_make(&merged, pairs, 2, NULL), 0);
		all = merged.row.latency;
		assert_near(merged.row.latency->tick_seconds, 1e-6 / 2400);
		assert_int_equal(all->min, 7.5 * 2400);
		assert_int_equal(all->max, 20 * 2400);
	}
	/* 4 ticks of 1 ns are 9.6 of the other clock's */
	pair_samples(0, 10, 1, 2400);
	pair_samples(1, 10, 0.004, 1000);
	assert_int_equal(group_row_make(&merged, pairs, 2, NULL), 0);
	assert_int_equal(merged.row.latency->min, 10);
	assert_true(latency_relative_error(merged.row.latency) >= 0.4 / 9.6);
	assert_int_equal(merged.row.latency->max, 2400);
	pair_samples(1, 0, 0, 1000); /* has no median, and is not the one with the least */
	assert_int_equal(group_row_make(&merged, pairs, 2, NULL), 0);
	assert_true(isnan(merged.peers.least) && isnan(merged.peers.most));
}

/* Multicast: the sender's figures, the mean of what was lost, and no rate where all had arrived before the start. */
TEST(one_sender)
{
	const struct report_row sent = {
		.iterations = 2000, .seconds = 4, .bw_peak = 7e4, .bw_average = 5e4, .message_rate = 500};

	pair_moves(0, 1990, 0, 4);
	pair_moves(1, 2000, 0, 2);
	pair_moves(2, 2000, 0, 2);
	slots[0].row.lost = 10;
	slots[2].row.bw_average = slots[2].row.message_rate = NAN;
	slots[2].begin_ns = slots[2].end_ns = 0;
	assert_int_equal(group_row_make(&merged, pairs, 3, &sent), 0);
	assert_int_equal(merged.row.iterations, 2000);
	assert_true(merged.row.seconds == 4 && merged.row.bw_peak == 7e4 && merged.row.bw_average == 5e4);
	assert_near(merged.row.message_rate, 500);
	assert_int_equal(merged.row.lost, 4);
	assert_int_equal(merged.peers.count, 3);
	/* those of two would look like those of three */
	assert_true(isnan(merged.peers.least) && isnan(merged.peers.most) && isnan(merged.peers.fairness));
	assert_false(merged.row.overlap.known);
	pairs[2].measured = false;
	assert_int_equal(group_row_make(&merged, pairs, 3, &sent), 0);
	assert_near(merged.peers.least, 1990 * 100 / 4.0);
	assert_near(merged.peers.most, 2000 * 100 / 2.0);
	assert_true(merged.peers.fairness < 1);
	assert_int_equal(merged.row.lost, 5);
	assert_true(merged.row.partial);
	pairs[2].measured = true;
}

TEST_MAIN(set_up, tear_down)
