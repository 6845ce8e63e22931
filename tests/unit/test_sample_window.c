// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the bandwidth loop counts by time, and its peaks, on a fake device: the sample window, its margins, its ends. */
#define _GNU_SOURCE /* ppoll() in fake_verbs.h */
#include "bandwidth_rig.h"
#include "made_up_clock.h"

TEST(time_ends_a_sender)
{
	const bool uses_gettime = clock_uses_gettime;

	clock_uses_gettime = true;
	for (unsigned flags = BW_SENDS; flags < 2 * BW_RATE; flags++) {
		struct run run;

		if (!is_possible(flags) || (flags & BW_RECEIVES) || !(flags & BW_CLOCK))
			continue;
		run = make_run(flags);
		made_up_ns = 1000000000;
		run.plan.iters = 0;
		run.plan.want_peak = false;
		run.plan.begin_sample_cycles = made_up_ns + 200000;
		run.plan.end_sample_cycles = run.plan.begin_sample_cycles + 1800000;
		run.plan.end_cycles = run.plan.end_sample_cycles + 200000;
		run.plan.over_cycles = run.plan.end_cycles;
		assert_int_equal(bw_flags(&run, BW_SENDS), flags);
		assert_int_equal(bw_general(&run, flags), 0);
		made_up_ns = 0;
		assert_false(run.result.stopped);
		check_clean_end(&run);
		/* what was on its way when the time was over is neither of the window nor of the margins */
		assert_true(run.result.sampled && run.result.margins);
		assert_true(run.result.sampled + run.result.margins <= run.result.completed);
		assert_int_equal(run.result.begin_cycles, run.plan.begin_sample_cycles);
		assert_int_equal(run.result.finish_cycles, run.plan.end_sample_cycles);
	}
	clock_uses_gettime = uses_gettime;
}

#define SPEED_NS   1000.0
#define STALL_NS   50000.0
#define RETRIES_NS 1000000.0

static void spin(double ns)
{
	const uint64_t end = clock_cycles() + clock_ns_to_cycles(ns);

	while (clock_cycles() < end)
		;
}

/* Slow enough for a window to be full behind the end. */
static void work_slowly(void *arg)
{
	spin(SPEED_NS);
}

/* Of the time behind the end no interval has a peak, and a receiver counts until the end as a sender does. */
TEST(nothing_behind_the_end_is_of_the_run)
{
	struct run run = make_run(BW_SENDS | BW_CLOCK);

	run.plan.iters = 0;
	run.plan.begin_sample_cycles = clock_cycles();
	run.plan.end_cycles = run.plan.begin_sample_cycles + 1;
	run.plan.end_sample_cycles = run.plan.over_cycles = run.plan.end_cycles;
	fake.posted = work_slowly;
	assert_int_equal(loop_bw_send(&run), 0);
	assert_true(run.result.completed >= run.plan.tx_depth);
	assert_int_equal(run.result.sampled + run.result.margins, 0);
	assert_true(run.result.window.interval_peak == 0);

	run = make_run(BW_RECEIVES | BW_CLOCK);
	run.plan.begin_sample_cycles = 1;
	run.plan.end_sample_cycles = 2;
	run.plan.over_cycles = 3;
	assert_int_equal(loop_bw_recv(&run), 0);
	assert_int_equal(run.result.received, ITERS);
	assert_int_equal(run.result.margins, 0);
	run = make_run(BW_RECEIVES | BW_CLOCK);
	run.plan.begin_sample_cycles = 1;
	run.plan.end_sample_cycles = 2;
	run.plan.over_cycles = UINT64_MAX;
	assert_int_equal(loop_bw_recv(&run), 0);
	assert_int_equal(run.result.margins, ITERS);
}

TEST(only_the_window_is_sampled)
{
	struct run run = make_run(BW_SENDS | BW_CLOCK);

	run.plan.end_sample_cycles = 1; /* long ago */
	assert_int_equal(loop_bw_send(&run), 0);
	assert_int_equal(run.result.completed, ITERS);
	assert_int_equal(run.result.sampled, 0);

	run = make_run(BW_SENDS | BW_CLOCK);
	run.plan.begin_sample_cycles = UINT64_MAX - 1; /* never */
	assert_int_equal(loop_bw_send(&run), 0);
	assert_int_equal(run.result.sampled, 0);

	run = make_run(BW_RECEIVES | BW_CLOCK);
	run.plan.begin_sample_cycles = 1;
	assert_int_equal(loop_bw_recv(&run), 0);
	assert_int_equal(run.result.sampled, ITERS);
}

/* What completed or arrived with an error, in the same poll, counts as what came in the polls before it does. */
TEST(what_came_with_an_error_counts)
{
	for (unsigned flags = 0; flags < 2 * BW_RATE; flags++) {
		struct run run;

		if (!is_possible(flags))
			continue;
		for (uint64_t fail_at = 21; fail_at < 31; fail_at++) {
			run = make_run(flags);
			run.plan.begin_sample_cycles = flags & BW_CLOCK ? 1 : 0;
			fake.fail_at = fail_at;
			assert_int_equal(bw_general(&run, flags), -EIO);
			assert_int_equal(run.result.sampled,
					 flags & BW_SENDS ? run.result.completed : run.result.received);
			assert_true(run.result.finish_cycles > run.result.begin_cycles ||
				    run.result.sampled == run.result.unrated);
			assert_int_equal(run.result.last_cycles, run.result.finish_cycles);
		}
	}
}

static void wait_for_retries(void)
{
	if (fake.completions == fake.fail_at)
		spin(RETRIES_NS);
}

/* A request that failed is nothing that moved: the time ends before the retries that led to it. */
TEST(an_error_alone_is_no_end)
{
	struct run run = make_run(BW_SENDS | BW_CLOCK);

	run.plan.cqe_poll = 1;
	fake.whole_polls = true;
	fake.polled = wait_for_retries;
	fake.fail_at = 50;
	assert_int_equal(loop_bw_send(&run), -EIO);
	assert_int_equal(run.result.sampled, 49);
	assert_true(clock_cycles_to_ns((double)(clock_cycles() - run.result.finish_cycles)) >= RETRIES_NS);
}

/* By time: what a refused post cut short did not last until the window's end. */
TEST(a_refused_post_ends_the_time)
{
	struct run run = make_run(BW_SENDS | BW_CLOCK);

	run.plan.end_sample_cycles = clock_cycles() + clock_ns_to_cycles(3600e9);
	run.plan.end_cycles = run.plan.end_sample_cycles;
	fake.refuse_at = 100;
	assert_int_equal(loop_bw_send(&run), -ENOMEM);
	assert_true(run.result.sampled > 0);
	assert_true(run.result.finish_cycles <= clock_cycles());
	assert_int_equal(run.result.last_cycles, run.result.finish_cycles);
}

/* A device that works while a message is posted, at one speed, and a program that now and then stands still. */
static void work_at_one_speed(void *arg)
{
	spin(SPEED_NS);
	if (fake.posts % 97 == 0)
		spin(STALL_NS);
}

TEST(no_peak_is_above_what_the_device_did)
{
	const unsigned variants[] = {0,		BW_MANY,	  BW_MODERATED, BW_LIST, BW_MANY | BW_MODERATED,
				     BW_WR_API, BW_MANY | BW_LIST};
	const double speed = 1 / (double)clock_ns_to_cycles(SPEED_NS);

	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		for (int dynamic = 0; dynamic < 2; dynamic++) {
			struct run run = make_run(BW_SENDS | BW_CLOCK | variants[i]);

			run.plan.dynamic_poll = dynamic;
			run.plan.cqe_poll = 3;
			fake.whole_polls = true;
			fake.posted = work_at_one_speed;
			assert_int_equal(loop_bw_send(&run), 0);
			assert_true(run.result.peak > 0);
			assert_true(run.result.peak <= speed);
		}
	}
}

static unsigned polls_of_sends;

/* A poll finds half of what is in flight, and the next one too. Then the program stalls, and all completes meanwhile.
 */
static void complete_while_it_stalls(void)
{
	if (polls_of_sends++ % 3 != 1)
		return;
	spin(STALL_NS);
	fake.held = 0;
}

static void hold_back(void *arg)
{
	const uint64_t half = *(const uint32_t *)arg / 2;

	if (polls_of_sends % 3 != 2)
		fake.held = fake.num_ready < half ? fake.num_ready : half;
}

TEST(a_stall_behind_a_poll_is_in_the_next_window)
{
	struct run run = make_run(BW_SENDS | BW_CLOCK);

	polls_of_sends = 0;
	run.plan.iters = 400;
	run.plan.dynamic_poll = true;
	fake.whole_polls = true;
	fake.posted = hold_back;
	fake.posted_arg = &run.plan.tx_depth;
	fake.polled = complete_while_it_stalls;
	assert_int_equal(loop_bw_send(&run), 0);
	assert_true(run.result.peak > 0);
	assert_true(run.result.peak <= 2 * run.plan.tx_depth / (double)clock_ns_to_cycles(STALL_NS));
}

/* All completions of a run are found at once, after a stall at its end: they are no window that begins there. */
TEST(a_run_of_one_window_has_no_peak)
{
	struct run run = make_run(BW_SENDS | BW_CLOCK);

	run.plan.iters = run.plan.tx_depth - 1;
	assert_int_equal(loop_bw_send(&run), 0);
	assert_true(run.result.peak == 0);

	run = make_run(BW_SENDS);
	assert_int_equal(loop_bw_send(&run), 0);
	assert_true(run.result.peak == 0);
}

/* A round of --data_validation: a window is a part of all rounds. */
TEST(the_width_is_that_of_all_rounds)
{
	struct run run = make_run(BW_SENDS | BW_CLOCK);

	run.plan.all_iters = ITERS * 64 + 64;
	assert_int_equal(loop_bw_send(&run), 0);
	assert_int_equal(run.result.window.width, ITERS + 1);
	assert_true(run.result.peak == 0);
}

/* What came with the first look has no time; with a rate limit of the sender that is a burst. */
TEST(a_receiver_rates_what_comes_after_its_first_look)
{
	const unsigned variants[] = {BW_RECEIVES, BW_RECEIVES | BW_MANY, BW_RECEIVES | BW_CLOCK};

	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		struct run run = make_run(variants[i]);

		assert_int_equal(loop_bw_recv(&run), 0);
		assert_int_equal(run.result.unrated, 3);
		assert_int_equal(run.result.sampled, run.plan.iters * run.queues.num_tx);

		run = make_run(variants[i]);
		run.plan.begin_after = 100;
		assert_int_equal(loop_bw_recv(&run), 0);
		assert_in_range(run.result.unrated, 100, 116);

		run = make_run(variants[i]);
		run.plan.begin_after = ITERS * run.queues.num_tx + 1;
		assert_int_equal(loop_bw_recv(&run), 0);
		assert_int_equal(run.result.unrated, run.result.sampled);
		assert_int_equal(run.result.finish_cycles, run.result.begin_cycles);
	}
}

/* A look that found as much as it asked for may leave behind what has come as early, and has no time either. */
TEST(what_a_receiver_found_in_full_batches_is_not_rated)
{
	const unsigned variants[] = {BW_RECEIVES, BW_RECEIVES | BW_MANY, BW_RECEIVES | BW_CLOCK};

	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		struct run run = make_run(variants[i]);
		const uint64_t posted = (uint64_t)run.plan.rx_depth * run.queues.num_tx;

		run.plan.cqe_poll = 5;
		fake.whole_polls = true;
		assert_int_equal(loop_bw_recv(&run), 0);
		assert_in_range(run.result.unrated, posted, posted + 4);
		assert_int_equal(run.result.sampled, run.plan.iters * run.queues.num_tx);

		run = make_run(variants[i]);
		run.plan.cqe_poll = 5;
		run.plan.iters = 12;
		for (unsigned qp = 0; qp < run.queues.num_tx; qp++)
			fake.qps[qp].arrivals = run.plan.iters;
		fake.whole_polls = true;
		assert_int_equal(loop_bw_recv(&run), 0);
		assert_int_equal(run.result.unrated, run.result.sampled);
	}
}

TEST(a_receiver_by_time_of_nothing_has_its_window)
{
	struct run run = make_run(BW_RECEIVES | BW_CLOCK);

	run.hooks.idle = fake_idle_drain;
	run.plan.begin_sample_cycles = clock_cycles();
	run.plan.end_sample_cycles = run.plan.begin_sample_cycles + 1;
	fake.qps[0].arrivals = 0;
	assert_int_equal(loop_bw_recv(&run), 0);
	assert_int_equal(run.result.sampled, 0);
	assert_int_equal(run.result.finish_cycles - run.result.begin_cycles, 1);
}

int main(void)
{
	clock_start(false);
	return tests_run(NULL, fake_teardown);
}
