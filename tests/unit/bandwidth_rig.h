/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the tests of the bandwidth loop: its runs on the device of fake_verbs.h, in all variants. */
#pragma once

#include "cmocka_all.h"
#include "fake_verbs.h"
#include "loops/bw_work.h"
#include "loops/post.h"

#define ITERS 1000

/* A run whose bw_flags() are these, on a fresh device. */
static inline struct run make_run(unsigned flags)
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
static inline bool is_possible(unsigned flags)
{
	if (!(flags & (BW_SENDS | BW_RECEIVES)))
		return false;
	if (!(flags & BW_SENDS) && (flags & (BW_MODERATED | BW_LIST | BW_WR_API | BW_RATE)))
		return false;
	return !((flags & BW_MODERATED) && (flags & BW_LIST));
}

static inline void check_counts(const struct run *run, unsigned flags)
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

/* Every queue pair's last message is signalled, so all that was posted is seen to complete. */
static inline void check_clean_end(const struct run *run)
{
	assert_int_equal(run->result.completed, run->result.posted);
	assert_true(run->result.sent_all);
	assert_false(fake.overflowed);
	for (unsigned i = 0; i < run->queues.num_tx; i++) {
		if (fake.qps[i].posted)
			assert_true(fake.qps[i].last_signalled);
	}
}

/* A run with a slot for each message, on the device of the same run without. */
static inline struct run make_run_with_slots(unsigned flags, struct message_slots *slots)
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
