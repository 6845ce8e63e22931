// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The bandwidth loop in all its variants on a fake device: what is posted, signalled and counted, and how a run ends.
 */
#define _GNU_SOURCE /* ppoll() in fake_verbs.h */
#include "loops/bandwidth.h"

#include <limits.h>
#include <sys/syscall.h>

#include "cmocka_all.h"
#include "fake_verbs.h"
#include "loops/post.h"
#include "verbs/credit.h"

#define ITERS 1000

/* A run whose bw_flags() are these, on a fresh device. */
static struct run make_run(unsigned flags)
{
	struct run run = {
		.queues.num_tx = flags & BW_MANY ? 3 : 1,
		.plan.opcode = flags & BW_RECEIVES ? IBV_WR_SEND : IBV_WR_RDMA_WRITE,
		.plan.size = 8,
		.plan.iters = ITERS,
		.plan.tx_depth = flags & BW_LIST ? 24 : 20,
		.plan.rx_depth = 16,
		.plan.cq_mod = flags & BW_MODERATED ? 7
			       : flags & BW_LIST    ? 4
						    : 1,
		.plan.post_list = flags & BW_LIST ? 8 : 1,
		.plan.recv_post_list = flags & BW_LIST ? 4 : 1,
		.plan.cqe_poll = 16,
		.plan.want_peak = flags & BW_CLOCK,
		.plan.end_sample_cycles = UINT64_MAX,
		.plan.end_cycles = UINT64_MAX,
		.plan.message_cycles = flags & BW_RATE ? 1.0 / 3 : 0,
		.plan.burst_size = 3,
		.hooks.next_tick_cycles = UINT64_MAX,
		.hooks.idle = fake_idle_wait,
	};

	fake_reset(&run, flags & BW_WR_API, flags & BW_EVENTS);
	if (flags & BW_SHARED)
		fake_share(&run);
	if (flags & BW_RECEIVES) {
		assert_int_equal(loop_post_receives(&run), 0);
		for (unsigned i = 0; i < run.queues.num_tx; i++)
			fake.qps[i].arrivals = ITERS;
	}
	return run;
}

/* Flag sets that exist: a role, and of the rest what goes together. */
static bool is_possible(unsigned flags)
{
	if (!(flags & (BW_SENDS | BW_RECEIVES)))
		return false;
	if (!(flags & BW_SENDS) && (flags & (BW_MODERATED | BW_LIST | BW_WR_API | BW_RATE)))
		return false;
	return !((flags & BW_MODERATED) && (flags & BW_LIST));
}

static void check_counts(const struct run *run, unsigned flags)
{
	const uint64_t total = (uint64_t)run->plan.iters * run->queues.num_tx;
	const uint64_t sent = flags & BW_SENDS ? total : 0;
	const uint64_t arrived = flags & BW_RECEIVES ? total : 0;

	assert_int_equal(run->result.posted, sent);
	assert_int_equal(run->result.completed, sent);
	assert_int_equal(run->result.received, arrived);
	assert_int_equal(run->result.sampled, total);
	assert_false(run->result.stopped);
	assert_false(fake.overflowed);
	assert_false(fake.slept_unarmed);
	assert_int_equal(run->result.failure.status, IBV_WC_SUCCESS);
	assert_true(run->result.finish_cycles >= run->result.begin_cycles);
	assert_int_equal(fake.unacked, 0);
	for (unsigned i = 0; sent && i < run->queues.num_tx; i++) {
		const struct fake_qp *qp = &fake.qps[i];

		assert_int_equal(qp->posted, run->plan.iters);
		assert_int_equal(qp->freed, run->plan.iters);
		assert_true(qp->last_signalled);
		assert_int_equal(qp->signalled, (run->plan.iters + run->plan.cq_mod - 1) / run->plan.cq_mod);
	}
}

static void every_combination_counts_exactly(void **state)
{
	(void)state;
	for (unsigned flags = 0; flags < 2 * BW_RATE; flags++) {
		struct run run;

		if (!is_possible(flags))
			continue;
		run = make_run(flags);
		assert_int_equal(bw_flags(&run, flags & (BW_SENDS | BW_RECEIVES)), flags);
		assert_int_equal(bw_general(&run, flags), 0);
		check_counts(&run, flags);
	}
}

/* The same requests in the same order with the same flags and addresses, and the same counts. */
static void every_instance_is_the_general_loop(void **state)
{
	(void)state;
	assert_true(bw_num_instances > 20);
	for (size_t i = 0; i < bw_num_instances; i++) {
		const unsigned flags = bw_instances[i].flags;
		uint64_t hash;
		uint64_t polls;
		struct run run;

		assert_true(is_possible(flags));
		run = make_run(flags);
		assert_int_equal(bw_general(&run, flags), 0);
		hash = fake.hash;
		polls = fake.polls;
		run = make_run(flags);
		assert_int_equal(bw_instances[i].loop(&run), 0);
		check_counts(&run, flags);
		assert_int_equal(fake.hash, hash);
		assert_int_equal(fake.polls, polls);
	}
}

/* A run with a slot for each message, on the device of the same run without. */
static struct run make_run_with_slots(unsigned flags, struct message_slots *slots)
{
	static struct arrival arrivals[3][FAKE_SLOTS];
	static uint32_t num_arrivals[3];
	struct run run = make_run(flags & ~BW_RECEIVES);

	if (flags & BW_RECEIVES)
		run.plan.opcode = IBV_WR_SEND;
	memset(num_arrivals, 0, sizeof(num_arrivals));
	*slots = (struct message_slots){
		.first_message = 7,
		.arrivals = arrivals[0],
		.num_arrivals = num_arrivals,
		.capacity = FAKE_SLOTS,
	};
	run.plan.slots = slots;
	for (unsigned i = 0; i < run.queues.num_tx; i++) {
		fake.tx[i].step = fake.rx[i].step = FAKE_STEP;
		fake.tx[i].span = fake.rx[i].span = FAKE_SLOTS * FAKE_STEP;
		if (flags & BW_RECEIVES)
			fake.qps[i].arrivals = ITERS;
	}
	if (flags & BW_RECEIVES)
		assert_int_equal(loop_post_receives(&run), 0);
	return run;
}

static void check_slots(unsigned flags, const struct run *run)
{
	for (unsigned i = 0; i < run->queues.num_tx; i++) {
		for (unsigned n = 0; n < FAKE_SLOTS; n++) {
			assert_int_equal(fake.sent_from[i][n], flags & BW_SENDS && n < ITERS);
			if (!(flags & BW_RECEIVES))
				assert_int_equal(fake.sent_to[i][n], n < ITERS);
			assert_int_equal(fake.received_in[i][n], flags & BW_RECEIVES && n < ITERS);
		}
		assert_int_equal(run->plan.slots->num_arrivals[i], flags & BW_RECEIVES ? ITERS : 0);
		assert_int_equal(fake.rx[i].posted, 0);
		assert_int_equal(fake.rx[i].left, 0);
	}
}

/* Lists and moderation, queues that are shorter than the round: each message from its own slot to its own. */
static void every_message_has_a_slot(void **state)
{
	(void)state;
	for (unsigned flags = 0; flags < 2 * BW_RATE; flags++) {
		struct message_slots slots;
		struct run run;

		if (!is_possible(flags))
			continue;
		run = make_run_with_slots(flags, &slots);
		assert_int_equal(bw_flags(&run, flags & (BW_SENDS | BW_RECEIVES)), flags | BW_SLOTS);
		assert_int_equal(bw_slots(&run, flags), 0);
		check_counts(&run, flags);
		check_slots(flags, &run);
	}
}

/* Of three queue pairs one is the first port's. */
static void each_port_is_counted(void **state)
{
	static const unsigned variants[] = {
		BW_SENDS,
		BW_SENDS | BW_MODERATED,
		BW_SENDS | BW_LIST | BW_WR_API,
		BW_SENDS | BW_RATE,
		BW_RECEIVES,
		BW_SENDS | BW_RECEIVES | BW_MODERATED,
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		const unsigned flags = variants[i] | BW_MANY | BW_CLOCK;
		struct run run = make_run(flags);

		run.plan.per_port = true;
		run.plan.want_peak = true;
		assert_int_equal(bw_flags(&run, flags & (BW_SENDS | BW_RECEIVES)), flags | BW_PORTS);
		assert_int_equal(bw_ports(&run, flags), 0);
		check_counts(&run, flags);
		assert_int_equal(run.result.port_sampled[0], ITERS);
		assert_int_equal(run.result.port_sampled[1], 2 * ITERS);
		assert_int_equal(run.result.port_unrated[0] + run.result.port_unrated[1], run.result.unrated);
	}
}

/* In every way to end, and beside a message that was taken before the loop. */
static void each_receive_queue_is_counted(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		const unsigned flags = BW_RECEIVES | BW_MANY | (i & 1 ? BW_CLOCK : 0) | (i & 2 ? BW_EVENTS : 0);
		uint64_t received[3] = {0}, sampled[3] = {0};
		struct run run = make_run(flags);

		run.plan.by_queue = (struct queue_counts){received, sampled};
		fake.qps[1].arrivals = ITERS + 7;
		fake.qps[2].arrivals = ITERS - 7;
		assert_int_equal(loop_await_first(&run), 0);
		assert_int_equal(received[0] + received[1] + received[2], 1);
		if (flags & BW_CLOCK)
			run.plan.end_cycles = run.plan.end_sample_cycles = UINT64_MAX - 1;
		assert_int_equal(bw_flags(&run, BW_RECEIVES), flags | BW_QUEUES);
		assert_int_equal(loop_bw_recv(&run), 0);
		assert_int_equal(received[0], ITERS);
		assert_int_equal(received[1], ITERS + 7);
		assert_int_equal(received[2], ITERS - 7);
		assert_int_equal(run.result.received, 3 * ITERS);
		assert_int_equal(sampled[0] + sampled[1] + sampled[2], run.result.sampled);
		/* By time the first message is of no window. */
		assert_int_equal(run.result.sampled, 3 * ITERS - !!(flags & BW_CLOCK));
	}
}

/* --- flow control --- */

#define WINDOW 16 /* receives of a queue pair */

static struct credit credits[3];
static uint32_t told[3], replaced[3];

/* A run with credits, as bw_flags() then sees it. */
static struct run make_run_with_credits(unsigned flags)
{
	struct run run = make_run(flags | BW_MANY);

	assert_int_equal(run.plan.rx_depth, WINDOW);
	memset(told, 0, sizeof(told));
	memset(replaced, 0, sizeof(replaced));
	for (unsigned i = 0; i < 3; i++) {
		credits[i] = (struct credit){
			.told = &told[i],
			.replaced = &replaced[i],
			.tells = true,
			.wr = {.sg_list = &credits[i].sge,
			       .num_sge = 1,
			       .opcode = IBV_WR_RDMA_WRITE,
			       .send_flags = IBV_SEND_SIGNALED},
		};
		fake.tx[i].credit = &credits[i];
	}
	fake.depth += CREDIT_WRITES;
	assert_int_equal(bw_flags(&run, flags & (BW_SENDS | BW_RECEIVES)) & (BW_MANY | BW_CREDITS),
			 BW_MANY | BW_CREDITS);
	return run;
}

/* None is posted without a receive. The peer is five messages behind with what it tells. */
static void posts_into_receives(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < 3; i++)
		assert_true(fake.qps[i].posted - told[i] <= WINDOW);
}

static void tells_late(void)
{
	for (unsigned i = 0; i < 3; i++)
		if (fake.qps[i].posted - told[i] > 5)
			told[i]++;
}

static void a_sender_waits_for_receives(void **state)
{
	static const unsigned variants[] = {0,	       BW_MODERATED, BW_LIST, BW_WR_API, BW_RATE | BW_MODERATED,
					    BW_EVENTS, BW_CLOCK};

	(void)state;
	for (unsigned i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		const unsigned flags = BW_SENDS | variants[i];
		struct run run = make_run_with_credits(flags);

		fake.posted = posts_into_receives;
		fake.polled = tells_late;
		assert_int_equal(loop_bw_send(&run), 0);
		check_counts(&run, flags | BW_MANY);
		assert_int_equal(credits[2].sent, ITERS);
	}
}

/* What a run has left untold, the next one tells. */
static void a_receiver_tells_of_new_receives(void **state)
{
	(void)state;
	for (unsigned list = 0; list <= BW_LIST; list += BW_LIST) {
		struct run run = make_run_with_credits(BW_RECEIVES | list);

		for (unsigned rounds = 1; rounds <= 2; rounds++) {
			assert_int_equal(loop_bw_recv(&run), 0);
			check_counts(&run, BW_RECEIVES | BW_MANY);
			for (unsigned i = 0; i < 3; i++) {
				assert_int_equal(credits[i].arrived, rounds * ITERS);
				/* What is not told at the end holds nobody up. */
				assert_in_range(replaced[i], rounds * ITERS - WINDOW, rounds * ITERS);
				/* Each time about a third has come, and no more often. */
				assert_in_range(fake.qps[i].posted, rounds * ITERS / WINDOW,
						rounds * ITERS / (WINDOW / 3));
				assert_in_range(fake.qps[i].max_receives, 1, WINDOW);
				fake.qps[i].arrivals = ITERS;
			}
			run.result = (struct run_result){0};
		}
	}
}

static uint64_t looked_at;

static void look_at(const void *data, uint64_t length)
{
	(void)data;
	(void)length;
	looked_at++;
}

/* qperf's -ar, in one direction and in both. */
static void what_is_under_control_is_handed_over_too(void **state)
{
	static const unsigned roles[] = {BW_RECEIVES, BW_SENDS | BW_RECEIVES};

	(void)state;
	for (unsigned i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		struct run run = make_run_with_credits(roles[i]);

		looked_at = 0;
		run.hooks.arrived = look_at;
		fake.polled = roles[i] & BW_SENDS ? tells_late : NULL;
		assert_int_equal((roles[i] & BW_SENDS ? loop_bw_both : loop_bw_recv)(&run), 0);
		assert_int_equal(looked_at, 3 * ITERS);
	}
}

static void both_directions_tell_and_wait(void **state)
{
	struct run run = make_run_with_credits(BW_SENDS | BW_RECEIVES);

	(void)state;
	fake.polled = tells_late;
	assert_int_equal(loop_bw_both(&run), 0);
	assert_int_equal(run.result.completed, 3 * ITERS);
	assert_int_equal(run.result.received, 3 * ITERS);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(credits[i].sent, ITERS);
		assert_in_range(replaced[i], ITERS - WINDOW, ITERS);
		assert_in_range(credits[i].under_way, 0, CREDIT_WRITES);
	}
	assert_false(fake.overflowed);
}

/* linux-rdma perftest counts each run by itself. */
static void a_classic_peer_begins_anew(void **state)
{
	struct run run = make_run_with_credits(BW_SENDS);

	(void)state;
	run.plan.credits_restart = true;
	told[0] = told[1] = told[2] = 4711;
	credits[0].sent = credits[1].sent = credits[2].sent = 4711;
	fake.posted = posts_into_receives;
	fake.polled = tells_late;
	assert_int_equal(loop_bw_send(&run), 0);
	assert_int_equal(credits[0].sent, ITERS);
}

/* What it wrote last in the run before comes into this one. */
static void tells_of_the_run_before(void)
{
	for (unsigned i = 0; i < 3; i++) {
		if (fake.qps[i].posted > WINDOW / 3)
			told[i] = (uint32_t)fake.qps[i].posted - 5;
		else if (fake.qps[i].posted)
			told[i] = ITERS;
	}
}

static void a_late_word_of_the_run_before_holds_nobody_up(void **state)
{
	struct run run = make_run_with_credits(BW_SENDS);

	(void)state;
	run.plan.credits_restart = true;
	told[0] = 0;
	told[1] = told[2] = ITERS;
	fake.polled = tells_of_the_run_before;
	assert_int_equal(loop_bw_send(&run), 0);
	assert_int_equal(credits[2].sent, ITERS);
	assert_int_equal(credit_room(&(struct credit){.told = &told[0], .sent = 3}, WINDOW), WINDOW - 3);
}

/* --- what arrives is handed over --- */

static const unsigned char *next_place, *first_place;
static uint64_t places, step_of_places, handed_over;

static void note_place(const void *data, uint64_t length)
{
	assert_ptr_equal(data, next_place);
	assert_int_equal(length, 8);
	handed_over++;
	next_place = first_place + handed_over % places * step_of_places;
}

static void expect_places(uint64_t base, uint32_t step, uint32_t span)
{
	first_place = next_place = (const unsigned char *)(uintptr_t)base;
	step_of_places = step;
	places = span / step;
	handed_over = 0;
}

/* In order, each in the receive that was posted for it, or where the READ put it. */
static void what_arrives_is_handed_over(void **state)
{
	static const unsigned roles[] = {BW_RECEIVES, BW_SENDS | BW_RECEIVES, BW_SENDS};

	(void)state;
	for (unsigned i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		for (unsigned more = 0; more <= BW_MODERATED; more += BW_MODERATED) {
			const unsigned flags = roles[i] | (roles[i] & BW_SENDS ? more : 0);
			struct run run = make_run(flags & ~BW_RECEIVES);

			fake.tx[0].step = fake.rx[0].step = 64;
			fake.tx[0].span = fake.rx[0].span = 4096;
			run.hooks.arrived = note_place;
			if (flags & BW_RECEIVES) {
				run.plan.opcode = IBV_WR_SEND;
				fake.qps[0].arrivals = ITERS;
				fake.byte_len = UINT32_MAX; /* cut to plan.size */
				assert_int_equal(loop_post_receives(&run), 0);
				expect_places(fake.rx[0].base, 64, 4096);
			} else {
				run.plan.opcode = IBV_WR_RDMA_READ;
				expect_places(fake.tx[0].local_base, 64, 4096);
			}
			assert_int_equal(bw_flags(&run, roles[i]), flags | BW_READS);
			assert_int_equal(bw_reads(&run, flags), 0);
			check_counts(&run, flags);
			assert_int_equal(handed_over, ITERS);
		}
	}
}

/* What is left over of a round is used up by the next: no receive too many is posted. */
static void leftover_receives_count(void **state)
{
	struct message_slots slots;
	struct run run = make_run_with_slots(BW_RECEIVES, &slots);

	(void)state;
	assert_int_equal(fake.rx[0].posted, run.plan.rx_depth);
	assert_int_equal(fake.rx[0].left, ITERS - run.plan.rx_depth);
	fake.rx[0].posted = 5;
	run.plan.iters = 12;
	assert_int_equal(loop_post_receives(&run), 0);
	assert_int_equal(fake.rx[0].posted, 12);
	assert_int_equal(fake.rx[0].left, 0);
	run.plan.iters = 9;
	assert_int_equal(loop_post_receives(&run), 0);
	assert_int_equal(fake.rx[0].posted, 12);
	assert_int_equal(fake.rx[0].left, 0);
}

/* One receive queue of three queue pairs (SRQ): it is kept full, whichever of them uses its receives up. */
static void queue_pairs_share_receives(void **state)
{
	struct run run = make_run(BW_RECEIVES | BW_MANY | BW_SHARED);

	(void)state;
	assert_int_equal(fake.shared_receives, run.plan.rx_depth);
	fake.qps[0].arrivals = 10;
	fake.qps[1].arrivals = 2 * ITERS;
	fake.qps[2].arrivals = ITERS - 10;
	assert_int_equal(loop_bw_recv(&run), 0);
	assert_int_equal(run.result.received, 3 * ITERS);
	assert_int_equal(fake.max_shared_receives, run.plan.rx_depth);
	assert_int_equal(fake.shared_receives, run.plan.rx_depth);
	assert_int_equal(fake.rx[0].posted, run.plan.rx_depth);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(fake.qps[i].max_receives, 0);
}

/* Then only the number in the completion says to which queue pair a message came. */
static void shared_receives_tell_their_queue_pair(void **state)
{
	struct message_slots slots;
	struct run run = make_run_with_slots(BW_RECEIVES | BW_MANY, &slots);

	(void)state;
	fake_reset(&run, false, false);
	fake_share(&run);
	fake.qps[1].qpx.qp_base.qp_num = 0x108; /* in a table of 8 these two meet */
	fake.qps[2].qpx.qp_base.qp_num = 0x110;
	assert_int_equal(queue_set_number(&run.queues, NULL, false), 0);
	run.plan.iters = 100;
	assert_int_equal(loop_post_receives(&run), 0);
	fake.qps[0].arrivals = 40;
	fake.qps[1].arrivals = 160;
	fake.qps[2].arrivals = 100;
	assert_int_equal(loop_bw_recv(&run), 0);
	assert_int_equal(slots.num_arrivals[0], 40);
	assert_int_equal(slots.num_arrivals[1], 160);
	assert_int_equal(slots.num_arrivals[2], 100);
	assert_int_equal(fake.rx[0].left, 0);
	assert_int_equal(fake.shared_receives, 0);
	assert_int_equal(queue_set_arrival(&run.queues, &(struct ibv_wc){.qp_num = 0x999}), 0);
	queue_set_forget(&run.queues);
}

static void small_messages_walk_over_a_page(void **state)
{
	struct run run = make_run(BW_SENDS);

	(void)state;
	run.plan.iters = FAKE_SPAN / 64 + 1;
	assert_int_equal(loop_bw_send(&run), 0);
	/* Once round and one more: the last message is back at the first slot. */
	assert_int_equal(fake.send_sge[0][0].addr, FAKE_LOCAL(0));
	assert_int_equal(fake.send_wr[0][0].wr.rdma.remote_addr, FAKE_REMOTE(0));

	run = make_run(BW_SENDS);
	run.plan.iters = 3;
	assert_int_equal(loop_bw_send(&run), 0);
	assert_int_equal(fake.send_sge[0][0].addr, FAKE_LOCAL(0) + 2 * 64);
	assert_int_equal(fake.send_wr[0][0].wr.rdma.remote_addr, FAKE_REMOTE(0) + 2 * 64);

	/* The union of a UD send's address is left alone. */
	run = make_run(BW_SENDS);
	run.plan.opcode = IBV_WR_SEND;
	fake.send_wr[0][0].opcode = IBV_WR_SEND;
	fake.send_wr[0][0].wr.ud.ah = (struct ibv_ah *)&run;
	assert_int_equal(loop_bw_send(&run), 0);
	assert_ptr_equal(fake.send_wr[0][0].wr.ud.ah, &run);
}

static void a_failed_completion_ends_the_run(void **state)
{
	const unsigned variants[] = {BW_SENDS, BW_SENDS | BW_MANY, BW_SENDS | BW_MODERATED, BW_SENDS | BW_LIST,
				     BW_SENDS | BW_MANY | BW_MODERATED | BW_CLOCK};

	(void)state;
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		struct run run = make_run(variants[i]);

		fake.fail_at = 50;
		assert_int_equal(loop_bw_send(&run), -EIO);
		assert_int_equal(run.result.failure.status, IBV_WC_RETRY_EXC_ERR);
		assert_int_equal(run.result.failure.vendor_err, 0x81);
		assert_in_range(run.result.failure.qp_num, 0x100, 0x102);
		assert_int_equal(run.result.completed, 49 * run.plan.cq_mod);
		assert_int_equal(run.result.posted, fake.posts);
	}
}

static void a_flush_gives_way_to_the_error_behind_it(void **state)
{
	const struct ibv_wc polled[] = {{.status = IBV_WC_WR_FLUSH_ERR, .qp_num = 1},
					{.status = IBV_WC_SUCCESS, .qp_num = 2},
					{.status = IBV_WC_WR_FLUSH_ERR, .qp_num = 3},
					{.status = IBV_WC_REM_ACCESS_ERR, .qp_num = 4},
					{.status = IBV_WC_LOC_PROT_ERR, .qp_num = 5}};
	struct run run = {.result.failure.status = IBV_WC_SUCCESS};

	(void)state;
	assert_int_equal(post_note_failure(&run, polled, polled + 5, true /* receive */), -EIO);
	assert_int_equal(run.result.failure.status, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(run.result.failure.qp_num, 4);
	assert_true(run.result.failure.receive);
	/* not behind the end; and an error that is none stays */
	post_note_failure(&run, polled, polled + 3, false /* receive */);
	assert_int_equal(run.result.failure.status, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(run.result.failure.qp_num, 1);
	post_note_failure(&run, polled + 4, polled + 5, false /* receive */);
	assert_int_equal(run.result.failure.status, IBV_WC_LOC_PROT_ERR);
}

static void a_failed_arrival_ends_the_run(void **state)
{
	struct run run = make_run(BW_RECEIVES);

	(void)state;
	fake.fail_at = 30;
	assert_int_equal(loop_bw_recv(&run), -EIO);
	assert_int_equal(run.result.failure.status, IBV_WC_LOC_LEN_ERR);
	assert_int_equal(run.result.received, 29);
}

static void a_refused_post_ends_the_run(void **state)
{
	const unsigned variants[] = {BW_SENDS, BW_SENDS | BW_MODERATED, BW_SENDS | BW_WR_API,
				     BW_SENDS | BW_MANY | BW_MODERATED};

	(void)state;
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		/* 105 is the signalled message of a group of 7; 103 is in the middle of one. */
		for (uint64_t refused = 103; refused <= 105; refused++) {
			struct run run = make_run(variants[i]);

			fake.refuse_at = refused;
			fake.refuses_below_zero = refused % 2;
			assert_int_equal(loop_bw_send(&run), -ENOMEM);
			assert_int_equal(run.result.posted, refused - 1);
			assert_int_equal(run.result.failure.status, IBV_WC_SUCCESS);
		}
	}
}

/* Every queue pair's last message is signalled, so all that was posted is seen to complete. */
static void check_clean_end(const struct run *run)
{
	assert_int_equal(run->result.completed, run->result.posted);
	assert_true(run->result.sent_all);
	assert_false(fake.overflowed);
	for (unsigned i = 0; i < run->queues.num_tx; i++) {
		if (fake.qps[i].posted)
			assert_true(fake.qps[i].last_signalled);
	}
}

static void the_user_stops_a_sender(void **state)
{
	(void)state;
	for (unsigned flags = BW_SENDS; flags < 2 * BW_RATE; flags++) {
		struct run run;

		if (!is_possible(flags) || !(flags & BW_SENDS))
			continue;
		run = make_run(flags);
		run.plan.iters = 0;
		fake.stop_at = 333;
		assert_int_equal(bw_general(&run, flags), 0);
		assert_true(run.result.stopped);
		check_clean_end(&run);
		assert_in_range(run.result.posted, 333, 20000);
	}
}

/* Each poll finds a hundred messages: the look must not wait for as many polls as an idle loop makes. */
static void few_completions_do_not_delay_the_stop(void **state)
{
	struct run run = make_run(BW_SENDS | BW_MODERATED);

	(void)state;
	run.plan.iters = 0;
	run.plan.tx_depth = 128;
	fake.depth = 128;
	run.plan.cq_mod = 100;
	fake.stop_at = 333;
	assert_int_equal(bw_general(&run, BW_SENDS | BW_MODERATED), 0);
	assert_true(run.result.stopped);
	assert_in_range(run.result.posted, 333, 1000);
}

static void time_ends_a_sender(void **state)
{
	(void)state;
	for (unsigned flags = BW_SENDS; flags < 2 * BW_RATE; flags++) {
		struct run run;

		if (!is_possible(flags) || (flags & BW_RECEIVES) || !(flags & BW_CLOCK))
			continue;
		run = make_run(flags);
		run.plan.iters = 0;
		run.plan.want_peak = false;
		/* Two milliseconds for the loop to begin before the window does, as other programs want the CPU, too.
		 */
		run.plan.end_cycles = clock_cycles() + clock_ns_to_cycles(4e6);
		run.plan.begin_sample_cycles = run.plan.end_cycles - clock_ns_to_cycles(2e6);
		run.plan.end_sample_cycles = run.plan.end_cycles - clock_ns_to_cycles(200e3);
		run.plan.over_cycles = run.plan.end_cycles;
		assert_int_equal(bw_flags(&run, BW_SENDS), flags);
		assert_int_equal(bw_general(&run, flags), 0);
		assert_false(run.result.stopped);
		check_clean_end(&run);
		/* what was on its way when the time was over is neither of the window nor of the margins */
		assert_true(run.result.sampled + run.result.margins <= run.result.completed);
		assert_int_equal(run.result.begin_cycles, run.plan.begin_sample_cycles);
		assert_int_equal(run.result.finish_cycles, run.plan.end_sample_cycles);
	}
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
	(void)arg;
	spin(SPEED_NS);
}

/* Of the time behind the end no interval has a peak, and a receiver counts until the end as a sender does. */
static void nothing_behind_the_end_is_of_the_run(void **state)
{
	struct run run = make_run(BW_SENDS | BW_CLOCK);

	(void)state;
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

static void only_the_window_is_sampled(void **state)
{
	struct run run = make_run(BW_SENDS | BW_CLOCK);

	(void)state;
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
static void what_came_with_an_error_counts(void **state)
{
	(void)state;
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
static void an_error_alone_is_no_end(void **state)
{
	struct run run = make_run(BW_SENDS | BW_CLOCK);

	(void)state;
	run.plan.cqe_poll = 1;
	fake.whole_polls = true;
	fake.polled = wait_for_retries;
	fake.fail_at = 50;
	assert_int_equal(loop_bw_send(&run), -EIO);
	assert_int_equal(run.result.sampled, 49);
	assert_true(clock_cycles_to_ns((double)(clock_cycles() - run.result.finish_cycles)) >= RETRIES_NS);
}

/* By time: what a refused post cut short did not last until the window's end. */
static void a_refused_post_ends_the_time(void **state)
{
	struct run run = make_run(BW_SENDS | BW_CLOCK);

	(void)state;
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
	(void)arg;
	spin(SPEED_NS);
	if (fake.posts % 97 == 0)
		spin(STALL_NS);
}

static void no_peak_is_above_what_the_device_did(void **state)
{
	const unsigned variants[] = {0,		BW_MANY,	  BW_MODERATED, BW_LIST, BW_MANY | BW_MODERATED,
				     BW_WR_API, BW_MANY | BW_LIST};
	const double speed = 1 / (double)clock_ns_to_cycles(SPEED_NS);

	(void)state;
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

static void a_stall_behind_a_poll_is_in_the_next_window(void **state)
{
	struct run run = make_run(BW_SENDS | BW_CLOCK);

	(void)state;
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
static void a_run_of_one_window_has_no_peak(void **state)
{
	struct run run = make_run(BW_SENDS | BW_CLOCK);

	(void)state;
	run.plan.iters = run.plan.tx_depth - 1;
	assert_int_equal(loop_bw_send(&run), 0);
	assert_true(run.result.peak == 0);

	run = make_run(BW_SENDS);
	assert_int_equal(loop_bw_send(&run), 0);
	assert_true(run.result.peak == 0);
}

/* A round of --data_validation: a window is a part of all rounds. */
static void the_width_is_that_of_all_rounds(void **state)
{
	struct run run = make_run(BW_SENDS | BW_CLOCK);

	(void)state;
	run.plan.all_iters = ITERS * 64 + 64;
	assert_int_equal(loop_bw_send(&run), 0);
	assert_int_equal(run.result.window.width, ITERS + 1);
	assert_true(run.result.peak == 0);
}

/* What came with the first look has no time; with a rate limit of the sender that is a burst. */
static void a_receiver_rates_what_comes_after_its_first_look(void **state)
{
	const unsigned variants[] = {BW_RECEIVES, BW_RECEIVES | BW_MANY, BW_RECEIVES | BW_CLOCK};

	(void)state;
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
static void what_a_receiver_found_in_full_batches_is_not_rated(void **state)
{
	const unsigned variants[] = {BW_RECEIVES, BW_RECEIVES | BW_MANY, BW_RECEIVES | BW_CLOCK};

	(void)state;
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

static void a_receiver_by_time_of_nothing_has_its_window(void **state)
{
	struct run run = make_run(BW_RECEIVES | BW_CLOCK);

	(void)state;
	run.hooks.idle = fake_idle_drain;
	run.plan.begin_sample_cycles = clock_cycles();
	run.plan.end_sample_cycles = run.plan.begin_sample_cycles + 1;
	fake.qps[0].arrivals = 0;
	assert_int_equal(loop_bw_recv(&run), 0);
	assert_int_equal(run.result.sampled, 0);
	assert_int_equal(run.result.finish_cycles - run.result.begin_cycles, 1);
}

static void receive_of_nobody_is_refused(void **state)
{
	const unsigned variants[] = {BW_RECEIVES | BW_MANY, BW_SENDS | BW_RECEIVES | BW_MANY};
	const uint64_t strays[] = {0, 3, 1ULL << 40, UINT64_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		for (size_t n = 0; n < sizeof(strays) / sizeof(strays[0]); n++) {
			struct run run = make_run(variants[i]);

			fake.stray = strays[n];
			assert_int_equal(bw_general(&run, variants[i]), strays[n] ? -EBADMSG : 0);
		}
	}
}

static void send_of_nobody_is_refused(void **state)
{
	const unsigned variants[] = {BW_SENDS | BW_MANY, BW_SENDS | BW_MANY | BW_CLOCK, BW_SENDS | BW_MANY | BW_LIST};
	const uint64_t strays[] = {0, 3, 1ULL << 40, UINT64_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		for (size_t n = 0; n < sizeof(strays) / sizeof(strays[0]); n++) {
			struct run run = make_run(variants[i]);

			fake.stray_send = strays[n];
			assert_int_equal(bw_general(&run, variants[i]), strays[n] ? -EBADMSG : 0);
		}
	}
}

/* More completions than there was room for are none that may be looked at. */
static void a_poll_that_boasts_is_refused(void **state)
{
	const unsigned variants[] = {BW_SENDS, BW_RECEIVES, BW_SENDS | BW_RECEIVES, BW_SENDS | BW_MANY};
	const int boasts[] = {1024, INT_MAX - 64, INT_MIN};

	(void)state;
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		for (size_t n = 0; n < sizeof(boasts) / sizeof(boasts[0]); n++) {
			struct run run = make_run(variants[i]);

			fake.poll_boasts = boasts[n];
			assert_int_equal(bw_general(&run, variants[i]), boasts[n] < 0 ? -EIO : -EPROTO);
		}
	}
}

/* Where each is signalled and counted as it comes, and the run would end well. */
static void more_completions_than_requests_are_refused(void **state)
{
	struct run run = make_run(BW_SENDS);

	(void)state;
	run.plan.cqe_poll = 16;
	run.plan.tx_depth = (uint32_t)run.plan.iters;
	fake.depth = (uint32_t)run.plan.iters * 2;
	fake.whole_polls = true;
	fake.poll_boasts = 1;
	run.plan.iters = 15;
	assert_int_equal(bw_general(&run, BW_SENDS), -EBADMSG);
}

static void another_length_is_refused(void **state)
{
	const unsigned variants[] = {BW_RECEIVES, BW_RECEIVES | BW_MANY, BW_SENDS | BW_RECEIVES};

	(void)state;
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		struct run run = make_run(variants[i]);

		run.plan.arrival_bytes = 8;
		fake.byte_len = 8;
		assert_int_equal(bw_general(&run, variants[i]), 0);
		assert_int_equal(run.result.received, run.plan.iters * run.queues.num_tx);

		run = make_run(variants[i]);
		run.plan.arrival_bytes = 8;
		fake.byte_len = 4;
		assert_int_equal(bw_general(&run, variants[i]), -EMSGSIZE);
		assert_int_equal(run.result.received, 0);
		assert_int_equal(run.result.first_arrival_bytes, 4);
	}
}

static uint64_t told_at; /* stamp of the first idle() with sent_all */

static enum idle_answer note_when_sent(struct run *run)
{
	if (run->result.sent_all && !told_at)
		told_at = clock_cycles();
	return IDLE_WAIT;
}

/* With -b the side that is through with its sends does not charge them for the wait. */
static void a_direction_ends_with_its_last_completion(void **state)
{
	const unsigned variants[] = {BW_SENDS | BW_RECEIVES, BW_SENDS | BW_RECEIVES | BW_CLOCK};

	(void)state;
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		struct run run = make_run(variants[i]);

		told_at = 0;
		run.hooks.idle = note_when_sent;
		fake.arrivals_a_poll = 1;
		assert_int_equal(loop_bw_both(&run), 0);
		assert_true(told_at > run.result.begin_cycles);
		assert_true(run.result.finish_cycles <= told_at);
	}
}

static void a_silent_device_is_aborted(void **state)
{
	const unsigned variants[] = {BW_SENDS, BW_SENDS | BW_MANY | BW_MODERATED | BW_CLOCK, BW_SENDS | BW_EVENTS};

	(void)state;
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		struct run run = make_run(variants[i]);

		fake.silent_after = 40;
		run.hooks.idle = fake_idle_abort;
		assert_int_equal(loop_bw_send(&run), 0);
		assert_true(run.result.stopped);
		assert_false(run.result.sent_all);
		assert_int_equal(run.result.completed, 40 * run.plan.cq_mod);
		assert_int_equal(fake.idle_calls, 1);
		assert_true(run.result.finish_cycles >= run.result.begin_cycles);
	}
}

static void a_receiver_ends_when_all_is_drained(void **state)
{
	const unsigned variants[] = {BW_RECEIVES, BW_RECEIVES | BW_MANY, BW_RECEIVES | BW_EVENTS | BW_CLOCK};

	(void)state;
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		struct run run = make_run(variants[i]);

		run.hooks.idle = fake_idle_drain;
		fake.qps[0].arrivals = 700; /* 300 are lost on the way */
		assert_int_equal(loop_bw_recv(&run), 0);
		assert_false(run.result.stopped);
		assert_int_equal(run.result.received, run.plan.iters * run.queues.num_tx - 300);
		assert_int_equal(run.result.sampled, run.result.received);
		assert_int_equal(fake.idle_calls, 1);
	}
}

static void a_receiver_of_nothing_ends(void **state)
{
	struct run run = make_run(BW_RECEIVES);

	(void)state;
	run.hooks.idle = fake_idle_drain;
	fake.qps[0].arrivals = 0;
	assert_int_equal(loop_bw_recv(&run), 0);
	assert_int_equal(run.result.received, 0);
	assert_int_equal(run.result.begin_cycles, run.result.finish_cycles);
}

/* The device goes on only after the peer has said, for some time, that it has all. */
static enum idle_answer late_acknowledgements(struct run *run)
{
	(void)run;
	if (++fake.idle_calls == 5)
		fake.silent_after = 0;
	return IDLE_DRAIN;
}

static void a_sender_waits_for_late_acknowledgements(void **state)
{
	struct run run = make_run(BW_SENDS);

	(void)state;
	run.plan.opcode = IBV_WR_SEND;
	run.hooks.idle = late_acknowledgements;
	fake.silent_after = 40;
	assert_int_equal(loop_bw_send(&run), 0);
	assert_false(run.result.stopped);
	assert_int_equal(run.result.completed, ITERS);
}

static void the_receive_queue_stays_full(void **state)
{
	const unsigned variants[] = {BW_RECEIVES, BW_RECEIVES | BW_MANY};

	(void)state;
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		struct run run = make_run(variants[i]);

		assert_int_equal(loop_bw_recv(&run), 0);
		for (unsigned j = 0; j < run.queues.num_tx; j++) {
			assert_int_equal(fake.qps[j].receives, run.plan.rx_depth);
			assert_int_equal(fake.qps[j].max_receives, run.plan.rx_depth);
			assert_int_equal(fake.rx[j].posted, run.plan.rx_depth);
		}
		/* The next size finds nothing to post. */
		assert_int_equal(loop_post_receives(&run), 0);
		assert_int_equal(fake.qps[0].max_receives, run.plan.rx_depth);
	}
}

static void lists_of_receives_are_replaced_whole(void **state)
{
	struct run run = make_run(BW_RECEIVES);

	(void)state;
	/* 5 does not divide 16: three lists wait, and each is replaced when 5 receives are used up. */
	run.plan.recv_post_list = 5;
	fake_reset(&run, false, false);
	assert_int_equal(loop_post_receives(&run), 0);
	assert_int_equal(fake.qps[0].receives, 15);
	fake.qps[0].arrivals = 1000;
	assert_int_equal(loop_bw_recv(&run), 0);
	assert_int_equal(run.result.received, 1000);
	assert_int_equal(fake.qps[0].max_receives, 15);
	assert_int_equal(fake.qps[0].receives, 15);
}

/* Twice there is still something on the way after all. */
static enum idle_answer drain_in_vain(struct run *run)
{
	(void)run;
	if (++fake.idle_calls <= 2)
		fake.qps[0].arrivals += 100;
	return fake.idle_calls <= 3 ? IDLE_WAIT : IDLE_DRAIN;
}

static void what_comes_late_is_received(void **state)
{
	struct run run = make_run(BW_RECEIVES);

	(void)state;
	run.hooks.idle = drain_in_vain;
	fake.qps[0].arrivals = 500;
	assert_int_equal(loop_bw_recv(&run), 0);
	assert_int_equal(run.result.received, 700);
	assert_int_equal(fake.idle_calls, 4);
}

/* session tells the peer when all is sent; the peer may wait for that with its last messages. */
static enum idle_answer note_when_told(struct run *run)
{
	if (run->result.sent_all && !fake.idle_calls++)
		assert_true(run->result.received < run->plan.iters);
	return IDLE_WAIT;
}

static void both_directions_tell_when_all_is_sent(void **state)
{
	struct run run = make_run(BW_SENDS | BW_RECEIVES);

	(void)state;
	run.hooks.idle = note_when_told;
	fake.arrivals_a_poll = 1;
	assert_int_equal(loop_bw_both(&run), 0);
	assert_true(run.result.sent_all);
	assert_int_equal(run.result.received, ITERS);
	assert_int_equal(run.result.completed, ITERS);
	assert_true(fake.idle_calls >= 1);
}

static void bursts_are_not_exceeded(void **state)
{
	const unsigned variants[] = {BW_SENDS | BW_RATE, BW_SENDS | BW_RATE | BW_MANY | BW_MODERATED};

	(void)state;
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		struct run run = make_run(variants[i]);

		assert_int_equal(loop_bw_send(&run), 0);
		check_counts(&run, variants[i]);
		assert_int_equal(fake.most_posts_between_polls, run.plan.burst_size);
	}
}

/* The time of a burst passes before it: even one alone is not faster than the limit. */
static void one_burst_takes_its_time(void **state)
{
	struct run run = make_run(BW_SENDS | BW_RATE);

	(void)state;
	run.plan.iters = run.plan.burst_size;
	run.plan.message_cycles = (double)clock_ns_to_cycles(100e3) / run.plan.burst_size;
	assert_int_equal(loop_bw_send(&run), 0);
	assert_int_equal(run.result.completed, run.plan.burst_size);
	assert_true(run.result.finish_cycles - run.result.begin_cycles >= clock_ns_to_cycles(100e3) - 1);
}

/* Time that the test makes up: each reading of the clock takes a while. 0: it is the host's. */
static uint64_t made_up_ns;

int clock_gettime(clockid_t clock, struct timespec *now)
{
	if (!made_up_ns)
		return (int)syscall(SYS_clock_gettime, clock, now);
	made_up_ns += 50;
	*now = (struct timespec){.tv_sec = (time_t)(made_up_ns / 1000000000),
				 .tv_nsec = (long)(made_up_ns % 1000000000)};
	return 0;
}

static uint64_t still_from, still_until;

static void stand_still(void *arg)
{
	(void)arg;
	if (made_up_ns >= still_from && made_up_ns < still_until)
		made_up_ns = still_until;
}

#define MESSAGE_NS 10000

/* Whatever the size of the bursts, a run by count lasts as long as its messages may take: the last burst is of the
 * rest. */
static void a_run_takes_the_time_of_its_messages(void **state)
{
	static const uint32_t bursts[] = {1, 7, 9, ITERS - 1, ITERS, 4 * ITERS};
	static const unsigned variants[] = {0, BW_MANY, BW_MODERATED, BW_MODERATED | BW_MANY};
	const bool uses_gettime = clock_uses_gettime;

	(void)state;
	clock_uses_gettime = true;
	for (size_t i = 0; i < sizeof(bursts) / sizeof(bursts[0]); i++) {
		for (size_t n = 0; n < sizeof(variants) / sizeof(variants[0]); n++) {
			const unsigned flags = BW_SENDS | BW_RATE | variants[n];
			struct run run = make_run(flags);
			const uint64_t messages = run.plan.iters * run.queues.num_tx;

			made_up_ns = 1000000000;
			run.plan.burst_size = bursts[i];
			run.plan.message_cycles = MESSAGE_NS;
			assert_int_equal(bw_general(&run, flags), 0);
			made_up_ns = 0;
			check_clean_end(&run);
			assert_int_equal(run.result.completed, messages);
			assert_in_range(run.result.finish_cycles - run.result.begin_cycles, messages * MESSAGE_NS,
					(messages + 5) * MESSAGE_NS);
		}
	}
	clock_uses_gettime = uses_gettime;
}

/* A list has its time before it, too, where it is longer than a burst, or no part of one. */
static void lists_take_the_time_of_their_bursts(void **state)
{
	static const uint32_t bursts[] = {1, 3, 8, 20};
	const bool uses_gettime = clock_uses_gettime;

	(void)state;
	clock_uses_gettime = true;
	for (size_t i = 0; i < sizeof(bursts) / sizeof(bursts[0]); i++) {
		for (unsigned more = 0; more <= BW_MANY; more += BW_MANY) {
			struct run run = make_run(BW_SENDS | BW_LIST | BW_RATE | more);
			uint64_t messages;

			made_up_ns = 1000000000;
			run.plan.iters = 5 * run.plan.post_list;
			run.plan.burst_size = bursts[i];
			run.plan.message_cycles = MESSAGE_NS;
			assert_int_equal(bw_general(&run, BW_SENDS | BW_LIST | BW_RATE | more), 0);
			made_up_ns = 0;
			messages = run.plan.iters * run.queues.num_tx;
			check_clean_end(&run);
			assert_int_equal(run.result.completed, messages);
			assert_in_range(run.result.finish_cycles - run.result.begin_cycles, messages * MESSAGE_NS,
					(messages + 2) * MESSAGE_NS);
		}
	}
	clock_uses_gettime = uses_gettime;
}

#define BURST	  8
#define BURST_NS  20246 /* no whole number of them is the window */
#define MARGIN_NS 2000000
#define WINDOW_NS 10000000

/* What was due in the margin and not posted there is not posted in the window: its average is not above the limit. */
static void a_standstill_in_the_margin_is_not_made_up_in_the_window(void **state)
{
	const unsigned variants[] = {0, BW_MANY, BW_MODERATED, BW_LIST};
	const int64_t most = WINDOW_NS * BURST / BURST_NS;
	/* since the window's begin; from there on it stands until here; bursts that this costs the window */
	static const int64_t stills_ns[][3] = {
		{0, 0, 0}, {-1800000, -100000, 0}, {-1800000, 300000, 15}, {-50000, 50000, 3}, {5000000, 8000000, 0}};
	const bool uses_gettime = clock_uses_gettime;

	(void)state;
	clock_uses_gettime = true;
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		for (size_t n = 0; n < sizeof(stills_ns) / sizeof(stills_ns[0]); n++) {
			const unsigned flags = BW_SENDS | BW_CLOCK | BW_RATE | variants[i];
			struct run run = make_run(flags);
			uint64_t begin;

			made_up_ns = 1000000000;
			begin = made_up_ns + MARGIN_NS;
			run.plan.iters = 0;
			run.plan.burst_size = BURST;
			run.plan.message_cycles = (double)BURST_NS / BURST;
			run.plan.cq_mod = flags & BW_MODERATED ? BURST / 2 : run.plan.cq_mod;
			run.plan.begin_sample_cycles = begin;
			run.plan.end_sample_cycles = begin + WINDOW_NS;
			run.plan.end_cycles = run.plan.end_sample_cycles + MARGIN_NS;
			run.plan.over_cycles = run.plan.end_cycles;
			still_from = begin + (uint64_t)stills_ns[n][0];
			still_until = begin + (uint64_t)stills_ns[n][1];
			fake.posted = stand_still;
			assert_int_equal(bw_general(&run, flags), 0);
			made_up_ns = 0;
			check_clean_end(&run);
			assert_in_range(run.result.sampled, most - (stills_ns[n][2] + 2) * BURST, most);
			assert_in_range(run.result.margins, 1, run.result.completed - run.result.sampled);
		}
	}
	clock_uses_gettime = uses_gettime;
}

/*
 * All that the limit allows in the sample window completes in it, whatever the size of a burst, one that is longer than
 * the window among them: also without margins, where the last burst has only its own time to complete in.
 */
static void a_window_has_all_that_the_limit_allows(void **state)
{
	static const uint32_t bursts[] = {1, 8, 100, 333, 1000, 2000}; /* of 1000 messages */
	static const unsigned variants[] = {0, BW_MANY, BW_MODERATED, BW_MODERATED | BW_MANY};
	const bool uses_gettime = clock_uses_gettime;

	(void)state;
	clock_uses_gettime = true;
	for (size_t i = 0; i < sizeof(bursts) / sizeof(bursts[0]); i++) {
		for (size_t n = 0; n < sizeof(variants) / sizeof(variants[0]); n++) {
			for (uint64_t margin = 0; margin <= MARGIN_NS; margin += MARGIN_NS) {
				const unsigned flags = BW_SENDS | BW_CLOCK | BW_RATE | variants[n];
				struct run run = make_run(flags);

				made_up_ns = 1000000000;
				run.plan.iters = 0;
				run.plan.burst_size = bursts[i];
				run.plan.message_cycles = MESSAGE_NS;
				/* a divisor of each burst, as params_cq_mod() has it */
				run.plan.cq_mod = !(flags & BW_MODERATED) ? 1
						  : bursts[i] % 2	  ? bursts[i] % 3 ? 1 : 3
									  : 4;
				run.plan.begin_sample_cycles = made_up_ns + margin;
				run.plan.end_sample_cycles = run.plan.begin_sample_cycles + WINDOW_NS;
				run.plan.end_cycles = run.plan.end_sample_cycles + margin;
				run.plan.over_cycles = run.plan.end_cycles;
				assert_int_equal(bw_general(&run, flags), 0);
				made_up_ns = 0;
				check_clean_end(&run);
				assert_in_range(run.result.sampled, WINDOW_NS / MESSAGE_NS - 1, WINDOW_NS / MESSAGE_NS);
				/* and in the margins it goes on, but for a burst that is longer than they are */
				if (margin && bursts[i] * (uint64_t)MESSAGE_NS < margin)
					assert_in_range(run.result.margins, 2 * margin / MESSAGE_NS - 3 * bursts[i],
							2 * margin / MESSAGE_NS + 2);
				/* where its time passes before it: the receiver's window may end later */
				else if (margin)
					assert_int_equal(run.result.margins, 0);
			}
		}
	}
	clock_uses_gettime = uses_gettime;
}

static uint64_t tick_and_stop(struct run *run, uint64_t now)
{
	(void)now;
	assert_int_equal(run->result.sampled, run->result.completed);
	if (run->result.completed > 500)
		run->result.stopped = true;
	return 0; /* again at the next look */
}

static void a_tick_may_end_the_run(void **state)
{
	struct run run = make_run(BW_SENDS);

	(void)state;
	run.plan.iters = 0;
	run.hooks.next_tick_cycles = 0;
	run.hooks.tick = tick_and_stop;
	assert_int_equal(loop_bw_send(&run), 0);
	assert_true(run.result.stopped);
	assert_true(run.result.completed > 500);
}

static void warm_up_counts_nothing(void **state)
{
	struct run run = make_run(BW_SENDS | BW_MANY | BW_MODERATED | BW_CLOCK);

	(void)state;
	assert_int_equal(loop_warm_up(&run, run.plan.tx_depth), 0);
	assert_int_equal(fake.posts, (uint64_t)run.plan.tx_depth * run.queues.num_tx);
	assert_int_equal(run.result.posted, 0);
	assert_int_equal(run.result.completed, 0);
	assert_int_equal(run.result.begin_cycles, 0);
	for (unsigned i = 0; i < run.queues.num_tx; i++)
		assert_int_equal(fake.qps[i].freed, run.plan.tx_depth);
	assert_int_equal(fake.num_ready, 0);
	/* And the measured run begins with an empty queue. */
	assert_int_equal(loop_bw_send(&run), 0);
	assert_int_equal(run.result.completed, ITERS * 3);

	run = make_run(BW_SENDS);
	fake.fail_at = 5;
	assert_int_equal(loop_warm_up(&run, run.plan.tx_depth), -EIO);
	assert_int_equal(run.result.failure.status, IBV_WC_RETRY_EXC_ERR);
}

static void depths_that_do_not_fit_are_refused(void **state)
{
	struct run run = make_run(BW_SENDS);

	(void)state;
	run.plan.post_list = run.plan.tx_depth + 1;
	assert_int_equal(loop_bw_send(&run), -EINVAL);
	run = make_run(BW_SENDS | BW_LIST);
	run.plan.iters = 1001;
	assert_int_equal(loop_bw_send(&run), -EINVAL);
	run = make_run(BW_RECEIVES);
	run.plan.recv_post_list = run.plan.rx_depth + 1;
	assert_int_equal(loop_bw_recv(&run), -EINVAL);
	assert_int_equal(fake.posts, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_combination_counts_exactly),
		cmocka_unit_test(every_instance_is_the_general_loop),
		cmocka_unit_test(every_message_has_a_slot),
		cmocka_unit_test(each_port_is_counted),
		cmocka_unit_test(each_receive_queue_is_counted),
		cmocka_unit_test(a_sender_waits_for_receives),
		cmocka_unit_test(a_receiver_tells_of_new_receives),
		cmocka_unit_test(what_is_under_control_is_handed_over_too),
		cmocka_unit_test(both_directions_tell_and_wait),
		cmocka_unit_test(a_classic_peer_begins_anew),
		cmocka_unit_test(a_late_word_of_the_run_before_holds_nobody_up),
		cmocka_unit_test(what_arrives_is_handed_over),
		cmocka_unit_test(leftover_receives_count),
		cmocka_unit_test(queue_pairs_share_receives),
		cmocka_unit_test(shared_receives_tell_their_queue_pair),
		cmocka_unit_test(small_messages_walk_over_a_page),
		cmocka_unit_test(a_failed_completion_ends_the_run),
		cmocka_unit_test(a_flush_gives_way_to_the_error_behind_it),
		cmocka_unit_test(a_failed_arrival_ends_the_run),
		cmocka_unit_test(a_refused_post_ends_the_run),
		cmocka_unit_test(the_user_stops_a_sender),
		cmocka_unit_test(few_completions_do_not_delay_the_stop),
		cmocka_unit_test(time_ends_a_sender),
		cmocka_unit_test(nothing_behind_the_end_is_of_the_run),
		cmocka_unit_test(only_the_window_is_sampled),
		cmocka_unit_test(what_came_with_an_error_counts),
		cmocka_unit_test(an_error_alone_is_no_end),
		cmocka_unit_test(a_refused_post_ends_the_time),
		cmocka_unit_test(no_peak_is_above_what_the_device_did),
		cmocka_unit_test(a_stall_behind_a_poll_is_in_the_next_window),
		cmocka_unit_test(a_run_of_one_window_has_no_peak),
		cmocka_unit_test(the_width_is_that_of_all_rounds),
		cmocka_unit_test(a_receiver_rates_what_comes_after_its_first_look),
		cmocka_unit_test(what_a_receiver_found_in_full_batches_is_not_rated),
		cmocka_unit_test(a_receiver_by_time_of_nothing_has_its_window),
		cmocka_unit_test(receive_of_nobody_is_refused),
		cmocka_unit_test(send_of_nobody_is_refused),
		cmocka_unit_test(a_poll_that_boasts_is_refused),
		cmocka_unit_test(more_completions_than_requests_are_refused),
		cmocka_unit_test(another_length_is_refused),
		cmocka_unit_test(a_direction_ends_with_its_last_completion),
		cmocka_unit_test(a_silent_device_is_aborted),
		cmocka_unit_test(a_receiver_ends_when_all_is_drained),
		cmocka_unit_test(what_comes_late_is_received),
		cmocka_unit_test(a_receiver_of_nothing_ends),
		cmocka_unit_test(a_sender_waits_for_late_acknowledgements),
		cmocka_unit_test(the_receive_queue_stays_full),
		cmocka_unit_test(lists_of_receives_are_replaced_whole),
		cmocka_unit_test(both_directions_tell_when_all_is_sent),
		cmocka_unit_test(bursts_are_not_exceeded),
		cmocka_unit_test(one_burst_takes_its_time),
		cmocka_unit_test(a_run_takes_the_time_of_its_messages),
		cmocka_unit_test(lists_take_the_time_of_their_bursts),
		cmocka_unit_test(a_standstill_in_the_margin_is_not_made_up_in_the_window),
		cmocka_unit_test(a_window_has_all_that_the_limit_allows),
		cmocka_unit_test(a_tick_may_end_the_run),
		cmocka_unit_test(warm_up_counts_nothing),
		cmocka_unit_test(depths_that_do_not_fit_are_refused),
	};

	clock_start(false);
	return cmocka_run_group_tests(tests, NULL, fake_teardown);
}
