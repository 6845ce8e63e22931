// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The loop that sends frames back: what is sent, from where, which receives are reposted, and how a run ends. */
#define _GNU_SOURCE /* ppoll() in fake_verbs.h */
#include "cmocka_all.h"
#include "fake_verbs.h"
#include "stats/clock.h"

#define ITERS 200
#define DEPTH 12
#define SLOTS 16
#define BYTES 60

static uint8_t places[SLOTS][FAKE_STEP];
static uint32_t brought, sent, dropped; /* frames */

/* The next frame comes to the oldest receive: those that came before it have left. */
static void bring(uint32_t byte_len)
{
	uint8_t *place = places[(brought + dropped) % SLOTS];

	for (unsigned i = 0; i < 6; i++) {
		place[i] = 0xaa;
		place[6 + i] = 0xbb;
	}
	memcpy(place + 12, &brought, sizeof(brought));
	fake.byte_len = byte_len;
	fake.qps[0].arrivals++;
}

static void check_sent(void *arg)
{
	const struct ibv_sge *sge = fake.tx[0].sge;
	const uint8_t *frame = (const uint8_t *)(uintptr_t)sge->addr;
	uint32_t number;

	memcpy(&number, frame + 12, sizeof(number));
	assert_int_equal(number, sent++);
	assert_int_equal(frame[0], 0xbb);
	assert_int_equal(frame[5], 0xbb);
	assert_int_equal(frame[6], 0xaa);
	assert_int_equal(frame[11], 0xaa);
}

/* One by one, as long as there are any. */
static enum idle_answer bring_one(struct run *run)
{
	if (brought == ITERS)
		return IDLE_DRAIN;
	if (fake.qps[0].receives && run->result.completed == run->result.posted) {
		bring(BYTES);
		brought++;
	}
	return IDLE_WAIT;
}

static struct run make_run(void)
{
	struct run run = {
		.queues.num_tx = 1,
		.plan.opcode = IBV_WR_SEND,
		.plan.size = BYTES + 4,
		.plan.iters = ITERS,
		.plan.tx_depth = DEPTH,
		.plan.rx_depth = DEPTH,
		.plan.cq_mod = 1,
		.plan.post_list = 1,
		.plan.recv_post_list = 1,
		.plan.cqe_poll = 16,
		.plan.end_sample_cycles = UINT64_MAX,
		.plan.end_cycles = UINT64_MAX,
		.hooks.next_tick_cycles = UINT64_MAX,
		.hooks.idle = bring_one,
	};

	clock_start(false);
	brought = sent = dropped = 0;
	fake_reset(&run, false /* ibv_wr_* */, false /* events */);
	fake.tx[0].sge->length = BYTES;
	fake.rx[0].base = (uintptr_t)places;
	fake.rx[0].step = FAKE_STEP;
	fake.rx[0].span = sizeof(places);
	fake.posted = check_sent;
	assert_int_equal(loop_post_receives(&run), 0);
	return run;
}

TEST(each_frame_goes_back)
{
	struct run run = make_run();

	assert_int_equal(loop_forward(&run), 0);
	assert_int_equal(run.result.received, ITERS);
	assert_int_equal(run.result.posted, ITERS);
	assert_int_equal(run.result.completed, ITERS);
	assert_int_equal(run.result.sampled, ITERS);
	assert_true(run.result.unrated < ITERS);
	assert_true(run.result.sent_all);
	assert_int_equal(sent, ITERS);
	assert_int_equal(fake.qps[0].receives, DEPTH);
	assert_false(fake.overflowed);
}

TEST(many_at_once_go_back)
{
	struct run run = make_run();

	run.plan.iters = DEPTH;
	run.hooks.idle = fake_idle_wait;
	for (; brought < DEPTH; brought++)
		bring(BYTES);
	assert_int_equal(loop_forward(&run), 0);
	assert_int_equal(sent, DEPTH);
	assert_int_equal(fake.qps[0].receives, DEPTH);
}

TEST(the_first_one_must_be_as_long)
{
	struct run run = make_run();

	bring(BYTES + 1);
	assert_int_equal(loop_forward(&run), -EMSGSIZE);
	assert_int_equal(run.result.first_arrival_bytes, BYTES + 1);
	assert_int_equal(sent, 0);
}

/* Between two others, again and again: more than there are receives. */
static enum idle_answer bring_others(struct run *run)
{
	if (!fake.qps[0].arrivals && run->result.completed == run->result.posted && brought && dropped < 3 * DEPTH) {
		if (dropped * 2 < brought * 2 + 1 && brought % 2) {
			bring(BYTES - 1);
			dropped++;
			return IDLE_WAIT;
		}
	}
	return fake.qps[0].arrivals ? IDLE_WAIT : bring_one(run);
}

TEST(others_stay_and_keep_no_receive)
{
	struct run run = make_run();

	run.hooks.idle = bring_others;
	assert_int_equal(loop_forward(&run), 0);
	assert_int_equal(run.result.received, ITERS);
	assert_int_equal(sent, ITERS);
	assert_true(dropped > DEPTH);
	assert_int_equal(fake.qps[0].receives, DEPTH);
}

TEST(silence_or_the_user_ends_it)
{
	struct run run = make_run();

	run.plan.iters = 2 * ITERS;
	assert_int_equal(loop_forward(&run), 0);
	assert_int_equal(run.result.received, ITERS);
	assert_false(run.result.stopped);
	run = make_run();
	fake.stop_at = 20;
	assert_int_equal(loop_forward(&run), 0);
	assert_true(run.result.stopped);
}

/* As session_tick() starts the clock of a run by time. */
static uint64_t start_clock(struct run *run, uint64_t now)
{
	if (!run->result.received)
		return 0;
	run->plan.begin_sample_cycles = now;
	run->plan.end_sample_cycles = run->plan.over_cycles = now + clock_ns_to_cycles(1e12);
	return UINT64_MAX;
}

TEST(the_first_frame_counts)
{
	struct run run = make_run();

	run.plan.begin_sample_cycles = UINT64_MAX;
	run.hooks.tick = start_clock;
	run.hooks.next_tick_cycles = 0;
	assert_int_equal(loop_forward(&run), 0);
	assert_int_equal(run.result.sampled, ITERS);
}

/* The window is this far from the first frame. */
static double margin_ns;

static uint64_t start_margin(struct run *run, uint64_t now)
{
	if (!run->result.received)
		return 0;
	run->plan.begin_sample_cycles = now + clock_ns_to_cycles(margin_ns);
	run->plan.end_sample_cycles = run->plan.begin_sample_cycles + clock_ns_to_cycles(1e6);
	run->plan.end_cycles = run->plan.over_cycles = run->plan.end_sample_cycles + clock_ns_to_cycles(1e6);
	return UINT64_MAX;
}

static struct run make_run_with_margin(double ns)
{
	struct run run = make_run();

	margin_ns = ns;
	run.plan.iters = 0;
	run.plan.begin_sample_cycles = UINT64_MAX;
	run.hooks.tick = start_margin;
	run.hooks.next_tick_cycles = 0;
	return run;
}

/* No rate is that of messages that were not in the window. */
TEST(what_ends_in_the_margin_is_in_no_rate)
{
	struct run run = make_run_with_margin(1e8);

	bring(BYTES);
	run.hooks.idle = fake_idle_wait;
	assert_int_equal(loop_forward(&run), 0);
	assert_int_equal(run.result.received, 1);
	assert_int_equal(run.result.sampled, 0);
	assert_int_equal(run.result.unrated, 0);
	assert_int_equal(run.result.finish_cycles, run.plan.end_sample_cycles);
}

TEST(before_its_window_all_count)
{
	struct run run = make_run_with_margin(1e14);

	assert_int_equal(loop_forward(&run), 0);
	assert_int_equal(run.result.sampled, ITERS);
	assert_true(run.result.unrated < ITERS);
	assert_int_equal(run.result.margins, 0);
}

TEST(a_failure_ends_it)
{
	struct run run = make_run();

	fake.fail_at = 5;
	assert_int_equal(loop_forward(&run), -EIO);
	run = make_run();
	fake.refuse_at = 3;
	assert_int_equal(loop_forward(&run), -ENOMEM);
	run = make_run();
	fake.stray = 1;
	assert_int_equal(loop_forward(&run), -EBADMSG);
}

TEST_MAIN(NULL, fake_teardown)
