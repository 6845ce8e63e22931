// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The latency loops against a peer that answers at once: exchanges and samples on both sides, the queue's depth,
 * receives, and every way in which a run ends.
 */
#define _GNU_SOURCE /* ppoll() in fake_verbs.h */
#include <sys/syscall.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "fake_verbs.h"

#define ITERS 300 /* the byte of a write wraps */

static struct latency latency;
static uint8_t poll_byte;
static uint8_t post_byte;
static uint64_t answers; /* that the peer gives; then it is silent */

enum kind { WRITE, SENDING, REQUEST };

/* What the peer does when our message arrives. */
static void answer(void *arg)
{
	const struct run *run = arg;

	if (!answers)
		return;
	answers--;
	if (run->plan.opcode == IBV_WR_RDMA_WRITE) {
		assert_int_equal(post_byte, (uint8_t)fake.posts);
		/* The side that begins gets its own number back, the other one the next. */
		poll_byte = (uint8_t)(fake.posts + !run->plan.begins);
	} else if (run->plan.opcode == IBV_WR_SEND) {
		assert_true(fake.qps[0].receives > 0);
		fake.qps[0].arrivals++;
		fake_announce(1);
	}
}

/* Without depth, the room that verbs gives every queue of a latency test. */
static struct run make_run(enum kind kind, bool begins, bool wr_api, bool events)
{
	static const enum ibv_wr_opcode opcodes[] = {IBV_WR_RDMA_WRITE, IBV_WR_SEND, IBV_WR_RDMA_READ};
	struct run run = {
		.queues.num_tx = 1,
		.plan.opcode = opcodes[kind],
		.plan.size = 8,
		.plan.iters = ITERS,
		.plan.tx_depth = 1,
		.plan.rx_depth = 4,
		.plan.cq_mod = 1,
		.plan.post_list = 1,
		.plan.recv_post_list = 1,
		.plan.cqe_poll = 16,
		.plan.end_sample_cycles = UINT64_MAX,
		.plan.end_cycles = UINT64_MAX,
		.hooks.next_tick_cycles = UINT64_MAX,
		.hooks.idle = fake_idle_wait,
		.plan.latency = &latency,
		.plan.begins = begins || kind == REQUEST,
	};

	latency_close(&latency);
	assert_int_equal(latency_open(&latency, ITERS), 0);
	fake_reset(&run, wr_api, events);
	fake.byte_len = (uint32_t)run.plan.size;
	fake.depth = kind == REQUEST ? 1 : TX_MIN_LATENCY_DEPTH;
	fake.tx[0].step = fake.rx[0].step = 0;
	fake.tx[0].span = fake.rx[0].span = 1;
	fake.tx[0].poll_byte = &poll_byte;
	fake.tx[0].post_byte = &post_byte;
	poll_byte = 0;
	post_byte = 0;
	answers = UINT64_MAX;
	fake.posted = answer;
	if (kind == SENDING)
		assert_int_equal(loop_post_receives(&run), 0);
	if (!begins) {
		poll_byte = 1;
		fake.qps[0].arrivals = 1;
	}
	return run;
}

/* posted_arg is the run that is measured, so it is set where that has its place. */
static int measure(enum kind kind, struct run *run)
{
	static const loop_fn loops[] = {loop_lat_write, loop_lat_send, loop_lat_request};

	fake.posted_arg = run;
	return loops[kind](run);
}

static void check_whole(const struct run *run, enum kind kind)
{
	const uint64_t samples = ITERS - 1;

	assert_int_equal(run->result.posted, ITERS);
	assert_int_equal(run->result.completed, ITERS);
	assert_int_equal(run->result.received, kind == REQUEST ? 0 : ITERS);
	assert_int_equal(run->result.sampled, samples);
	assert_int_equal(latency.histogram.count, samples);
	assert_int_equal(latency.num_samples, samples);
	assert_false(run->result.stopped);
	assert_false(fake.overflowed);
	assert_false(fake.slept_unarmed);
	assert_true(run->result.sent_all);
	assert_int_equal(fake.num_ready, 0);
	assert_int_equal(fake.qps[0].freed, ITERS);
	assert_true(run->result.finish_cycles >= run->result.begin_cycles);
	/* The last message of the side that begins is posted in two: behind it one ends, before it the last begins. */
	assert_true(latency.sum.low - latency.samples[samples - 1] <=
		    run->result.finish_cycles - run->result.begin_cycles);
	assert_int_equal(fake.unacked, 0);
	if (kind == SENDING)
		assert_int_equal(fake.qps[0].receives, run->plan.rx_depth);
}

TEST(both_sides_make_all_exchanges)
{
	for (unsigned i = 0; i < 24; i++) {
		const enum kind kind = i % 3;
		const bool begins = (i / 3) & 1;
		const bool wr_api = (i / 6) & 1;
		const bool events = (i / 12) & 1;
		struct run run = make_run(kind, begins, wr_api, events);

		assert_int_equal(measure(kind, &run), 0);
		check_whole(&run, kind);
	}
}

/* A device that takes no request without IBV_SEND_SIGNALED. */
TEST(each_message_is_signalled_where_it_must_be)
{
	for (unsigned i = 0; i < 24; i++) {
		const enum kind kind = i % 3;
		struct run run = make_run(kind, (i / 3) & 1, (i / 6) & 1, (i / 12) & 1);

		run.plan.signals_all = true;
		fake.refuses_unsignalled = true;
		assert_int_equal(measure(kind, &run), 0);
		check_whole(&run, kind);
		assert_int_equal(fake.qps[0].signalled, ITERS);
	}
}

static uint8_t poll_bytes[FAKE_SLOTS * FAKE_STEP];
static uint8_t post_bytes[FAKE_SLOTS * FAKE_STEP];

/* As answer(), where the n-th message goes to the n-th slot. */
static void answer_in_slot(void *arg)
{
	const struct run *run = arg;
	const uint64_t n = fake.posts - 1;

	if (run->plan.opcode == IBV_WR_RDMA_WRITE) {
		assert_int_equal(post_bytes[n * FAKE_STEP], (uint8_t)fake.posts);
		poll_bytes[(n + !run->plan.begins) * FAKE_STEP] = (uint8_t)(fake.posts + !run->plan.begins);
	} else {
		answer(arg);
	}
}

/* --data_validation: from its own slot to its own, and no receive more than there are answers. */
TEST(every_message_has_a_slot)
{
	for (unsigned i = 0; i < 24; i++) {
		static struct arrival arrivals[FAKE_SLOTS];
		uint32_t num_arrivals = 0;
		const struct message_slots slots = {
			.arrivals = arrivals, .num_arrivals = &num_arrivals, .capacity = FAKE_SLOTS};
		const enum kind kind = i % 3;
		const bool begins = (i / 3) & 1;
		struct run run = make_run(kind, begins, (i / 6) & 1, (i / 12) & 1);
		struct tx_queue *tx = &fake.tx[0];
		struct rx_queue *rx = &fake.rx[0];

		run.plan.slots = &slots;
		tx->step = rx->step = FAKE_STEP;
		tx->span = rx->span = FAKE_SLOTS * FAKE_STEP;
		memset(poll_bytes, 0, sizeof(poll_bytes));
		poll_bytes[0] = !begins;
		tx->poll_byte = poll_bytes;
		tx->post_byte = post_bytes;
		fake.posted = answer_in_slot;
		answers = begins ? ITERS : ITERS - 1; /* there is no receive for one more */
		if (kind == SENDING) {
			rx->left = ITERS - rx->posted;
			memset(fake.received_in, 0, sizeof(fake.received_in));
		}
		assert_int_equal(measure(kind, &run), 0);
		assert_int_equal(run.result.posted, ITERS);
		assert_int_equal(run.result.sampled, ITERS - 1);
		assert_int_equal(num_arrivals, kind == SENDING ? ITERS : 0);
		for (unsigned n = 0; n < FAKE_SLOTS; n++) {
			assert_int_equal(fake.sent_from[0][n], n < ITERS);
			if (kind != SENDING)
				assert_int_equal(fake.sent_to[0][n], n < ITERS);
		}
		if (kind == SENDING)
			assert_int_equal(rx->posted, 0);
	}
}

/* Without a gap one reading of the clock ends a sample and begins the next: nothing is left out. */
TEST(samples_cover_the_time)
{
	for (enum kind kind = WRITE; kind <= REQUEST; kind++) {
		struct run run = make_run(kind, false, false, false);

		assert_int_equal(measure(kind, &run), 0);
		assert_int_equal(latency.sum.low, run.result.finish_cycles - run.result.begin_cycles);
	}
}

TEST(gaps_are_in_no_sample)
{
	struct run run = make_run(WRITE, true, false, false);

	run.plan.gap_cycles = clock_ns_to_cycles(10e3);
	assert_int_equal(measure(WRITE, &run), 0);
	check_whole(&run, WRITE);
	assert_true(latency.sum.low + (ITERS - 2) * run.plan.gap_cycles <=
		    run.result.finish_cycles - run.result.begin_cycles);
}

#define TURNS 100 /* samples where the sides take turns */

static uint64_t peer_gap;
static unsigned hand_overs;

static void spin(uint64_t cycles)
{
	const uint64_t begin = clock_cycles();

	while (clock_cycles() - begin < cycles)
		;
}

/* As answer(), by a peer that waits when it is its turn to ask. */
static void answer_by_turns(void *arg)
{
	const struct run *run = arg;
	const bool begins = run->plan.begins;

	if (fake.posts % 3 == (begins ? 2 : 0)) {
		hand_overs++;
		spin(peer_gap);
	}
	answer(arg);
}

/* The time between the first and the last sample has all gaps of both sides but those before and behind it. */
TEST(no_side_has_a_gap_in_its_samples)
{
	for (unsigned i = 0; i < 8; i++) {
		const enum kind kind = i % 2;
		const bool begins = (i / 2) & 1;
		struct run run = make_run(kind, begins, i / 4, false);

		run.plan.iters = 3 * TURNS + 1;
		run.plan.takes_turns = true;
		run.plan.gap_cycles = clock_ns_to_cycles(10e3);
		peer_gap = run.plan.gap_cycles;
		hand_overs = 0;
		fake.posted = answer_by_turns;
		assert_int_equal(measure(kind, &run), 0);
		assert_int_equal(run.result.posted, run.plan.iters);
		assert_int_equal(run.result.completed, run.plan.iters);
		assert_int_equal(hand_overs, TURNS);
		assert_int_equal(run.result.sampled, TURNS);
		assert_int_equal(latency.histogram.count, TURNS);
		assert_true(latency.sum.low + 2 * (TURNS - 1) * run.plan.gap_cycles <=
			    run.result.finish_cycles - run.result.begin_cycles);
		assert_true(run.result.sent_all);
		assert_false(fake.overflowed);
	}
}

/* Of a request, of a ping-pong without turns, and of both sides of one with: a rate of one sample is none of its own.
 */
TEST(the_gap_before_the_first_sample_is_in_the_time)
{
	for (unsigned i = 0; i < 4; i++) {
		const enum kind kind = i ? SENDING : REQUEST;
		const bool turns = i > 1;
		struct run run = make_run(kind, i != 3, false, false);

		run.plan.iters = turns ? 4 : 2;
		run.plan.takes_turns = turns;
		run.plan.gap_cycles = clock_ns_to_cycles(1e6);
		peer_gap = run.plan.gap_cycles;
		fake.posted = turns ? answer_by_turns : answer;
		assert_int_equal(measure(kind, &run), 0);
		assert_int_equal(run.result.sampled, 1);
		assert_true(latency.sum.low + run.plan.gap_cycles <=
			    run.result.finish_cycles - run.result.begin_cycles);
	}
}

static uint64_t post_cycles;

static void answer_after_long_post(void *arg)
{
	spin(post_cycles);
	answer(arg);
}

/* Something else gets this CPU, in the post of the last message. */
static void answer_after_long_last_post(void *arg)
{
	if (fake.posts == ITERS)
		spin(clock_ns_to_cycles(20e6));
	answer(arg);
}

/* The last message of the side that begins is posted in two samples; what held it up counts once. */
TEST(what_holds_a_post_up_counts_once)
{
	for (enum kind kind = WRITE; kind <= SENDING; kind++) {
		struct run run = make_run(kind, true, false, false);

		fake.posted = answer_after_long_last_post;
		assert_int_equal(measure(kind, &run), 0);
		check_whole(&run, kind);
		assert_true(latency.max >= clock_ns_to_cycles(20e6));
		assert_true(latency.sum.low <= run.result.finish_cycles - run.result.begin_cycles + latency.min);
	}
}

static uint64_t tick_now_and_then(struct run *run, uint64_t now)
{
	return now + 4 * post_cycles;
}

/* Whatever comes between an answer and the next message: a sample without a post would be the least of all. */
TEST(each_sample_has_a_post)
{
	for (unsigned i = 0; i < 24; i++) {
		const enum kind kind = i % 3;
		struct run run = make_run(kind, (i / 3) & 1, (i / 6) & 1, false);

		post_cycles = clock_ns_to_cycles(10e3);
		fake.posted = answer_after_long_post;
		run.hooks.tick = tick_now_and_then;
		run.hooks.next_tick_cycles = i / 12 ? 0 : UINT64_MAX;
		assert_int_equal(measure(kind, &run), 0);
		if (i / 12) /* a post before a tick is in two samples, and one behind it in none */
			assert_int_equal(latency.histogram.count, ITERS - 1);
		else
			check_whole(&run, kind);
		assert_true(latency.min >= post_cycles);
	}
}

/* The time is over behind the 50th message, whenever that is: a host may take the CPU away for longer than all take. */
static void end_behind_long_posts(void *arg)
{
	struct run *run = arg;

	answer_after_long_post(arg);
	if (fake.posts == 50)
		run->plan.end_cycles = run->plan.end_sample_cycles = clock_cycles();
}

/* Where the time or the user ends the run, too. */
TEST(each_sample_has_a_post_by_time)
{
	for (unsigned i = 0; i < 12; i++) {
		const enum kind kind = i % 3;
		struct run run = make_run(kind, (i / 3) & 1, false, false);

		post_cycles = clock_ns_to_cycles(10e3);
		fake.posted = i / 6 ? answer_after_long_post : end_behind_long_posts;
		fake.stop_at = i / 6 ? 50 : 0;
		run.plan.iters = 0;
		assert_int_equal(measure(kind, &run), 0);
		assert_int_equal(run.result.stopped, i / 6);
		assert_true(latency.histogram.count >= 48);
		assert_true(latency.min >= post_cycles);
		stop_flag = 0;
	}
}

static enum idle_answer stop_in_pause(struct run *run)
{
	fake.idle_calls++;
	assert_int_equal(run->result.posted, run->result.completed); /* nothing is awaited */
	return IDLE_ABORT;
}

static uint64_t stopping_user(struct run *run, uint64_t now)
{
	stop_flag = SIGINT;
	return UINT64_MAX;
}

/* A gap of hours is over when the peer goes, the user stops, or the time is over. */
TEST(a_gap_is_not_deaf)
{
	for (enum kind kind = WRITE; kind <= REQUEST; kind++) {
		for (unsigned how = 0; how < 3; how++) {
			struct run run = make_run(kind, true, false, false);

			run.plan.gap_cycles = clock_ns_to_cycles(36e12);
			if (how == 0) {
				run.hooks.idle = stop_in_pause;
			} else if (how == 1) {
				run.hooks.tick = stopping_user;
				run.hooks.next_tick_cycles = clock_cycles() + clock_ns_to_cycles(1e5);
			} else {
				run.plan.end_cycles = clock_cycles() + clock_ns_to_cycles(1e5);
			}
			assert_int_equal(measure(kind, &run), 0);
			assert_int_equal(run.result.posted, 0);
			assert_int_equal(run.result.stopped, how < 2);
			assert_int_equal(latency.histogram.count, 0);
			stop_flag = 0;
		}
	}
}

/* The first time it is called the window's end is set: the open exchange then is longer than any before it. */
static void set_end(struct run *run)
{
	if (fake.idle_calls++)
		return;
	run->plan.end_sample_cycles = clock_cycles() + 2 * latency.max + clock_ns_to_cycles(10e6);
	run->plan.end_cycles = run->plan.end_sample_cycles;
}

/* An answer that comes when the window is over. */
static enum idle_answer answer_late(struct run *run)
{
	set_end(run);
	if (clock_cycles() > run->plan.end_sample_cycles) {
		answers = 1;
		answer(run);
	}
	return IDLE_WAIT;
}

static struct run make_run_by_time(enum kind kind)
{
	struct run run = make_run(kind, true, false, false);

	run.plan.iters = 0;
	run.plan.begin_sample_cycles = clock_cycles();
	run.plan.end_sample_cycles = run.plan.begin_sample_cycles + clock_ns_to_cycles(36e12);
	run.plan.end_cycles = run.plan.end_sample_cycles;
	answers = 10;
	return run;
}

/* The time of the figures is the window, and an exchange that is open at its end is in them. */
TEST(an_outage_at_the_end_counts)
{
	for (enum kind kind = WRITE; kind <= SENDING; kind++) {
		struct run run = make_run_by_time(kind);

		run.hooks.idle = answer_late;
		assert_int_equal(measure(kind, &run), 0);
		assert_false(run.result.stopped);
		/* It ends with the message that follows it, whose answer is no sample. */
		assert_int_equal(run.result.completed, 12);
		assert_int_equal(latency.histogram.count, 10);
		assert_true(run.result.open_answered);
		assert_int_equal(run.result.open_cycles, latency.max);
		assert_int_equal(run.result.begin_cycles, run.plan.begin_sample_cycles);
		assert_int_equal(run.result.finish_cycles, run.plan.end_sample_cycles);
		/* Whole exchanges have exactly their time. */
		assert_true(run.result.last_cycles > run.plan.end_sample_cycles);
		assert_true(run.result.last_cycles - run.result.begin_cycles >= latency.sum.low);
	}
}

static enum idle_answer abort_late(struct run *run)
{
	set_end(run);
	return clock_cycles() > run->plan.end_sample_cycles ? IDLE_ABORT : IDLE_WAIT;
}

static enum idle_answer drain_late(struct run *run)
{
	set_end(run);
	return clock_cycles() > run->plan.end_sample_cycles ? IDLE_DRAIN : IDLE_WAIT;
}

/* It never ends: it counts as the part of the window in which it was open, whoever ends the run. */
TEST(an_exchange_without_an_end_counts_too)
{
	for (unsigned i = 0; i < 4; i++) {
		const enum kind kind = i % 2;
		struct run run = make_run_by_time(kind);

		run.hooks.idle = i / 2 ? abort_late : drain_late;
		assert_int_equal(measure(kind, &run), 0);
		assert_int_equal(run.result.stopped, i / 2);
		assert_int_equal(latency.histogram.count, 10);
		assert_false(run.result.open_answered);
		assert_int_equal(run.result.open_cycles, latency.max);
		assert_true(run.result.open_cycles <= run.plan.end_sample_cycles - run.plan.begin_sample_cycles);
		assert_int_equal(run.result.finish_cycles, run.plan.end_sample_cycles);
	}
}

static struct run *yielding;

/* The peer, to which this CPU goes, answers. A sanitizer's runtime yields, too. */
int sched_yield(void)
{
	if (!yielding)
		return (int)syscall(SYS_sched_yield);
	answers = 1;
	answer(yielding);
	return 0;
}

/* Without an answer for as long as two looks a side of the software device gives the CPU to the peer. */
TEST(a_side_that_polls_in_vain_yields)
{
	for (enum kind kind = WRITE; kind <= SENDING; kind++) {
		struct run run = make_run(kind, true, false, false);

		answers = 10;
		yielding = &run;
		run.plan.yields = true;
		assert_int_equal(measure(kind, &run), 0);
		yielding = NULL;
		check_whole(&run, kind);
	}
}

/* By time a side simply ends: the next run on its queue finds a completion, and messages that were not signalled. */
TEST(runs_by_time_leave_room_for_the_next)
{
	for (unsigned i = 0; i < 20; i++) {
		static struct run run;
		const enum kind kind = i / 10;

		if (i % 10 == 0)
			run = make_run_by_time(kind);
		fake.ready[fake.first_ready + fake.num_ready++] =
			(struct fake_ready){.qp = &fake.qps[0], .frees = fake.qps[0].freed};
		fake.idle_calls = fake.posts = 0;
		answers = 10;
		latency_reset(&latency);
		run.plan.end_sample_cycles = run.plan.end_cycles = UINT64_MAX;
		run.result = (struct run_result){0};
		run.hooks.idle = drain_late;
		assert_int_equal(measure(kind, &run), 0);
		assert_int_equal(run.result.posted, 11);
		assert_int_equal(fake.num_ready, 0);
	}
}

/* What goes on over the margin's end is in the window; what ended in the margin is not. */
static enum idle_answer answer_in_window(struct run *run)
{
	if (clock_cycles() > run->plan.begin_sample_cycles && fake.posts == 6) {
		answers = 1;
		answer(run);
	} else if (fake.posts == 7) {
		return IDLE_ABORT;
	}
	return IDLE_WAIT;
}

TEST(an_exchange_over_the_margins_end_counts)
{
	struct run run = make_run_by_time(WRITE);

	run.plan.begin_sample_cycles = clock_cycles() + clock_ns_to_cycles(300e6);
	answers = 5;
	run.hooks.idle = answer_in_window;
	assert_int_equal(measure(WRITE, &run), 0);
	assert_int_equal(run.result.completed, 6);
	assert_in_range(latency.histogram.count, 1, 2); /* and the seventh, where it took longer */
	assert_true(latency.max >= clock_ns_to_cycles(1e6));
	assert_int_equal(run.result.begin_cycles, run.plan.begin_sample_cycles);
}

static uint64_t slow_tick(struct run *run, uint64_t now)
{
	const uint64_t pause = clock_ns_to_cycles(50e3);

	while (clock_cycles() - now < pause)
		;
	return 0; /* again before the next message */
}

TEST(ticks_are_in_no_sample)
{
	struct run run = make_run(SENDING, true, false, false);

	run.hooks.next_tick_cycles = 0;
	run.hooks.tick = slow_tick;
	assert_int_equal(measure(SENDING, &run), 0);
	check_whole(&run, SENDING);
	assert_true(latency.sum.low + (ITERS - 2) * clock_ns_to_cycles(50e3) <=
		    run.result.finish_cycles - run.result.begin_cycles);
}

static uint64_t ticks;
static uint64_t due;

/* The rows of intervals count on it: what is recorded has ended before the tick was due, and all that has is. */
static uint64_t tick_of_an_interval(struct run *run, uint64_t now)
{
	const bool ended_later = run->result.sampled && run->result.finish_cycles >= due;

	assert_int_equal(latency.histogram.count, run->result.sampled - ended_later);
	ticks++;
	due = now + run->plan.gap_cycles * 7 / 10;
	return due;
}

TEST(a_tick_finds_the_samples_that_ended_before_it_was_due)
{
	for (unsigned i = 0; i < 12; i++) {
		const enum kind kind = i % 3;
		const bool gap = (i / 3) & 1;
		const bool turns = gap && i / 6 && kind != REQUEST;
		struct run run = make_run(kind, i % 2, false, false);

		if (gap)
			run.plan.gap_cycles = clock_ns_to_cycles(10e3);
		run.plan.takes_turns = turns;
		run.plan.iters = turns ? 3 * (ITERS / 3) - 2 : ITERS;
		ticks = 0;
		due = 0;
		run.hooks.tick = tick_of_an_interval;
		run.hooks.next_tick_cycles = 0;
		assert_int_equal(measure(kind, &run), 0);
		assert_true(ticks > 1);
	}
}

static uint64_t waits_at; /* the message whose answer comes behind a tick */

/* Of the samples that ended when it was due none is missing; two, and three with the pause, ended behind that. */
static uint64_t tick_in_a_wait(struct run *run, uint64_t now)
{
	assert_int_equal(run->result.sampled - latency.histogram.count, 2 + ticks);
	ticks++;
	return UINT64_MAX;
}

/* The first tick is due one message before the answer that comes late, the second one among answers that come at once.
 */
static void answer_behind_a_tick(void *arg)
{
	struct run *run = arg;

	if (fake.posts == waits_at - 1 || fake.posts == waits_at + 10)
		run->hooks.next_tick_cycles = clock_cycles();
	if (fake.posts == waits_at)
		answers = 0;
	answer(arg);
}

static enum idle_answer answer_after_the_tick(struct run *run)
{
	fake.idle_calls++;
	if (ticks && !answers) {
		answers = UINT64_MAX;
		answer(run);
	}
	return IDLE_WAIT;
}

/* A tick that waited too long is made while an answer is awaited: the sample that it ends is recorded before the next.
 */
TEST(a_tick_in_a_wait_keeps_no_sample_back)
{
	for (unsigned i = 0; i < 4; i++) {
		const enum kind kind = i % 2;
		struct run run = make_run(kind, i / 2, false, false);

		waits_at = 10;
		ticks = 0;
		run.hooks.tick = tick_in_a_wait;
		run.hooks.idle = answer_after_the_tick;
		fake.posted = answer_behind_a_tick;
		assert_int_equal(measure(kind, &run), 0);
		assert_int_equal(ticks, 2);
		assert_int_equal(run.result.sampled, ITERS - 1);
		assert_int_equal(latency.histogram.count, ITERS - 1);
		assert_int_equal(latency.num_samples, ITERS - 1);
	}
}

static uint64_t held_answers;

/* As answer(), by a peer whose every 50th message was held up. */
static void answer_held(void *arg)
{
	const struct run *run = arg;
	const bool held = fake.posts % 50 == 0;

	held_answers += held;
	if (run->plan.opcode == IBV_WR_RDMA_WRITE)
		poll_byte = (uint8_t)(((fake.posts + !run->plan.begins) & 0x7f) | (held ? 0x80 : 0));
	else
		answer(arg);
	fake.empty_arrival = held;
}

/* A few that are due before every message. */
static uint64_t few_ticks(struct run *run, uint64_t now)
{
	return ++ticks < 100 ? clock_cycles() : UINT64_MAX;
}

/* A message that was held up, here or there, costs one sample and makes one exchange more; there are iters - 1. */
TEST(held_up_messages_are_in_no_sample)
{
	for (unsigned i = 0; i < 16; i++) {
		const enum kind kind = i % 2;
		const bool ticking = i / 8;
		struct run run = make_run(kind, (i / 2) & 1, (i / 4) & 1, false);

		run.plan.marks_held = true;
		run.plan.inline_data = true;
		fake.posted = answer_held;
		held_answers = 0;
		ticks = 0;
		if (ticking) {
			run.hooks.tick = few_ticks;
			run.hooks.next_tick_cycles = clock_cycles();
		}
		assert_int_equal(measure(kind, &run), 0);
		assert_true(held_answers >= ITERS / 50);
		assert_int_equal(ticks, ticking ? 100 : 0);
		if (kind == SENDING)
			assert_in_range(fake.empty_posts, ticking ? 1 : 0, ticking ? 24 : 0);
		assert_int_equal(fake.empty_inline_posts, 0);
		assert_int_equal(run.result.sampled, ITERS - 1);
		assert_int_equal(latency.histogram.count, ITERS - 1);
		assert_in_range(run.result.posted, ITERS + held_answers - 1, ITERS + held_answers + (ticking ? 24 : 0));
		assert_true(run.result.sent_all);
	}
}

/* As answer(), by a peer that says of every message but its first that it was held up. */
static void answer_always_held(void *arg)
{
	const struct run *run = arg;
	const bool held = run->result.received > 0;

	if (run->plan.opcode == IBV_WR_RDMA_WRITE)
		poll_byte = (uint8_t)(((fake.posts + !run->plan.begins) & 0x7f) | (held ? 0x80 : 0));
	else
		answer(arg);
	fake.empty_arrival = held;
}

/* Each makes one exchange more: this side would never end. */
TEST(who_always_is_held_up_is_refused)
{
	for (unsigned i = 0; i < 4; i++) {
		const enum kind kind = i % 2;
		struct run run = make_run(kind, i / 2, false, false);

		run.plan.marks_held = true;
		fake.posted = answer_always_held;
		assert_int_equal(measure(kind, &run), -EBADE);
		assert_in_range(run.result.received, 8, 12);
	}
}

TEST(a_poll_that_boasts_is_refused)
{
	struct run run = make_run(SENDING, true, false, false);

	fake.poll_boasts = 4;
	assert_int_equal(measure(SENDING, &run), -EPROTO);
}

/* A device that gives no length with immediate data makes every message look held up: none is, then. */
TEST(a_device_without_lengths)
{
	for (unsigned begins = 0; begins < 2; begins++) {
		struct run run = make_run(SENDING, begins, false, false);

		run.plan.marks_held = true;
		fake.byte_len = 0;
		assert_int_equal(measure(SENDING, &run), 0);
		check_whole(&run, SENDING);
	}
}

TEST(another_length_of_the_first_answer)
{
	for (unsigned begins = 0; begins < 2; begins++) {
		struct run run = make_run(SENDING, begins, false, false);

		run.plan.arrival_bytes = 8;
		assert_int_equal(measure(SENDING, &run), 0);
		check_whole(&run, SENDING);

		run = make_run(SENDING, begins, false, false);
		run.plan.arrival_bytes = 8;
		fake.byte_len = 4;
		assert_int_equal(measure(SENDING, &run), -EMSGSIZE);
		assert_int_equal(run.result.first_arrival_bytes, 4);
		assert_int_equal(run.result.sampled, 0);
	}
}

/* The peer stood still for longer than a tick may take, and then had one. */
static enum idle_answer answer_after_standstill(struct run *run)
{
	fake.idle_calls++;
	if (run->result.posted == 10 && clock_cycles() - ticks > clock_ns_to_cycles(150e6)) {
		answers = UINT64_MAX;
		answer_held(run);
		fake.empty_arrival = true;
		poll_byte |= 0x80;
	}
	return IDLE_WAIT;
}

static void held_until_ten(void *arg)
{
	if (fake.posts != 10)
		answer_held(arg);
	else
		ticks = clock_cycles();
}

static uint64_t only_tick(struct run *run, uint64_t now)
{
	return UINT64_MAX;
}

/* And this side's tenth message was held up, too: the tick waits until no sample goes on, a message longer. */
static void tick_before_ten(void *arg)
{
	struct run *run = arg;

	if (fake.posts == 8) {
		run->hooks.tick = only_tick;
		run->hooks.next_tick_cycles = 0;
	}
	held_until_ten(arg);
}

/* ... which is a sample, for all that the messages say. */
TEST(a_standstill_is_no_tick)
{
	for (unsigned i = 0; i < 4; i++) {
		const enum kind kind = i % 2;
		struct run run = make_run(kind, true, false, false);

		run.plan.marks_held = true;
		run.hooks.idle = answer_after_standstill;
		fake.posted = i / 2 ? tick_before_ten : held_until_ten;
		held_answers = 0;
		assert_int_equal(measure(kind, &run), 0);
		assert_int_equal(run.result.sampled, ITERS - 1);
		assert_true(latency.max >= clock_ns_to_cycles(150e6));
	}
}

TEST(one_receive_is_enough)
{
	for (unsigned list = 1; list <= 4; list += 3) {
		struct run run = make_run(SENDING, false, false, false);

		run.plan.rx_depth = list;
		run.plan.recv_post_list = list;
		fake_reset(&run, false, false);
		fake.depth = TX_MIN_LATENCY_DEPTH;
		fake.posted = answer;
		assert_int_equal(loop_post_receives(&run), 0);
		fake.qps[0].arrivals = 1;
		assert_int_equal(measure(SENDING, &run), 0);
		assert_int_equal(run.result.completed, ITERS);
		assert_int_equal(fake.qps[0].max_receives, list);
	}
}

#define SILENT_AT 100 /* the message that gets no answer */

/* Once that message has been open for longer than each before it, whatever held this process up in one of those. */
static enum idle_answer abort_the_longest(struct run *run)
{
	const uint64_t since = clock_cycles();

	if (run->result.posted < SILENT_AT)
		return IDLE_WAIT;
	while (clock_cycles() - since <= latency.max)
		;
	return fake_idle_abort(run);
}

TEST(a_silent_peer_is_aborted_or_drained)
{
	for (enum kind kind = WRITE; kind <= REQUEST; kind++) {
		struct run run = make_run(kind, true, false, false);

		answers = 99;
		fake.silent_after = kind == REQUEST ? 99 : 0;
		run.hooks.idle = abort_the_longest;
		assert_int_equal(measure(kind, &run), 0);
		assert_true(run.result.stopped);
		assert_int_equal(run.result.posted, SILENT_AT);
		assert_int_equal(run.result.completed, 99);
		assert_int_equal(fake.idle_calls, 1);
		/* The open exchange took longer than all others, and counts as what it took until then. */
		assert_int_equal(latency.histogram.count, 99);
		assert_int_equal(run.result.sampled, 99);
		assert_true(run.result.open_cycles > 0 && run.result.open_cycles == latency.max);
		assert_false(run.result.open_answered);

		run = make_run(kind, true, false, false);
		answers = 99;
		fake.silent_after = kind == REQUEST ? 99 : 0;
		run.hooks.idle = fake_idle_drain;
		assert_int_equal(measure(kind, &run), 0);
		assert_false(run.result.stopped);
		assert_int_equal(run.result.completed, 99);
		assert_int_equal(fake.idle_calls, 1);
		/* The peer has ended in order: what it left open is no sample. */
		assert_int_equal(latency.histogram.count, 98);
		assert_int_equal(run.result.open_cycles, 0);
	}
}

#define SEEN_NS 50e6

static bool is_seen; /* the peer, after the last message that it answered, for that time or for the longest sample's */

static enum idle_answer peer_has_left(struct run *run)
{
	const uint64_t now = clock_cycles(), least = clock_ns_to_cycles(SEEN_NS);
	const uint64_t seen = latency.max > least ? latency.max : least;

	if (run->result.posted < SILENT_AT)
		return IDLE_WAIT;
	if (fake.idle_calls++ == 0)
		ticks = now;
	if (is_seen && now - ticks < 2 * seen)
		return IDLE_WAIT;
	run->result.peer_seen_cycles = is_seen ? ticks + seen : 1;
	return IDLE_ABORT;
}

/* The time until this side sees that is no latency; that in which the peer was there and did not answer is. */
TEST(the_end_of_the_peer_is_no_sample)
{
	for (unsigned i = 0; i < 6; i++) {
		const enum kind kind = i % 3;
		struct run run = make_run(kind, true, false, false);
		const uint64_t start = clock_cycles();

		answers = 99;
		is_seen = i / 3;
		fake.silent_after = kind == REQUEST ? 99 : 0;
		run.hooks.idle = peer_has_left;
		assert_int_equal(measure(kind, &run), 0);
		assert_true(run.result.stopped);
		assert_int_equal(run.result.completed, 99);
		assert_int_equal(latency.histogram.count, is_seen ? 99 : 98);
		assert_int_equal(run.result.open_cycles, is_seen ? latency.max : 0);
		if (is_seen)
			assert_in_range(latency.max, clock_ns_to_cycles(SEEN_NS), run.result.peer_seen_cycles - start);
	}
}

TEST(a_peer_that_never_begins_is_no_hang)
{
	for (enum kind kind = WRITE; kind <= SENDING; kind++) {
		struct run run = make_run(kind, false, false, false);

		poll_byte = 0;
		fake.qps[0].arrivals = 0;
		run.hooks.idle = fake_idle_abort;
		assert_int_equal(measure(kind, &run), 0);
		assert_true(run.result.stopped);
		assert_int_equal(run.result.posted, 0);
		assert_int_equal(latency.histogram.count, 0);
	}
}

/* One that failed at once was not open for a time that says anything, though there is no sample that was longer. */
TEST(a_failed_exchange_is_no_sample)
{
	struct run run = make_run(REQUEST, true, false, false);

	fake.fail_at = 2;
	assert_int_equal(measure(REQUEST, &run), -EIO);
	assert_int_equal(run.result.completed, 1);
	assert_int_equal(run.result.open_cycles, 0);
	assert_int_equal(latency.histogram.count, 0);
}

TEST(a_failure_ends_the_run)
{
	for (enum kind kind = WRITE; kind <= REQUEST; kind++) {
		struct run run = make_run(kind, true, false, false);

		fake.fail_at = kind == WRITE ? 3 : 50;
		assert_int_equal(measure(kind, &run), -EIO);
		assert_true(run.result.failure.status != IBV_WC_SUCCESS);
		assert_int_equal(run.result.failure.qp_num, 0x100);

		run = make_run(kind, true, false, false);
		fake.refuse_at = 70;
		assert_int_equal(measure(kind, &run), -ENOMEM);
		assert_int_equal(run.result.posted, 69);
		assert_int_equal(run.result.completed, 69);

		run = make_run(kind, true, false, false);
		fake.refuse_at = 70;
		fake.refuses_below_zero = true;
		assert_int_equal(measure(kind, &run), -ENOMEM);
	}
}

TEST(the_user_and_the_clock_end_a_run)
{
	for (enum kind kind = WRITE; kind <= REQUEST; kind++) {
		struct run run = make_run(kind, true, false, false);

		run.plan.iters = 0;
		fake.stop_at = 1000;
		assert_int_equal(measure(kind, &run), 0);
		assert_true(run.result.stopped);
		assert_int_equal(run.result.posted, 1000);
		assert_int_equal(run.result.completed, 1000);
		assert_false(fake.overflowed);

		run = make_run(kind, false, false, false);
		run.plan.iters = 0;
		run.plan.end_cycles = clock_cycles() + clock_ns_to_cycles(200e3);
		run.plan.begin_sample_cycles = run.plan.end_cycles - clock_ns_to_cycles(100e3);
		run.plan.end_sample_cycles = run.plan.end_cycles - clock_ns_to_cycles(50e3);
		assert_int_equal(measure(kind, &run), 0);
		assert_false(run.result.stopped);
		assert_int_equal(latency.histogram.count, run.result.sampled);
		assert_int_equal(run.result.begin_cycles, run.plan.begin_sample_cycles);
		assert_int_equal(run.result.finish_cycles, run.plan.end_sample_cycles);
	}
}

static uint64_t stopping_tick(struct run *run, uint64_t now)
{
	run->result.stopped = run->result.posted == 10;
	return 0;
}

TEST(a_tick_may_end_the_run)
{
	struct run run = make_run(WRITE, true, false, false);

	run.hooks.next_tick_cycles = 0;
	run.hooks.tick = stopping_tick;
	assert_int_equal(measure(WRITE, &run), 0);
	assert_int_equal(run.result.posted, 10);
	assert_true(run.result.stopped);
}

static int close_device(void **state)
{
	fake_close();
	latency_close(&latency);
	return 0;
}

int main(void)
{
	clock_start(false);
	return tests_run(NULL, close_device);
}
