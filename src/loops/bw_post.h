/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Posting in a bandwidth loop: as many messages as the send queues have room for, as lists, moderated, at a rate. Flags
 * are known at compile time in all instances but one; bandwidth.c makes them.
 */
#ifndef LOOPS_BW_POST_H
#define LOOPS_BW_POST_H

#include <endian.h>

#include "loops/bw_flags.h"
#include "loops/bw_work.h"
#include "loops/post.h"
#include "traffic/traffic.h"

/* A chain, by either interface. 0 or a positive errno. */
LOOP_INLINE int post_chain(const struct tx_state *tx_state, const unsigned flags)
{
	struct ibv_send_wr *bad;

	if (flags & BW_WR_API)
		return tx_state->poster->post_list((struct ibv_qp_ex *)tx_state->qp,
						   tx_state->wr); /* qp_base is its first member */
	return ibv_post_send(tx_state->qp, tx_state->wr, &bad);
}

/* n messages one by one, with the flags that the request has now. *n: those not posted when it fails. */
LOOP_INLINE int post_run(struct tx_state *tx_state, const unsigned flags, uint32_t *n)
{
	struct ibv_send_wr *wr = tx_state->wr;
	struct ibv_sge *sge = tx_state->sge;
	uint64_t *remote_addr = tx_state->remote_addr;
	const uint64_t local_base = tx_state->slots.local_base, remote_base = tx_state->slots.remote_base;
	const uint32_t step = tx_state->slots.step, mask = tx_state->slots.mask;
	uint32_t offset = tx_state->slots.offset;
	uint32_t rest = *n;
	int err = 0;

	if ((flags & BW_WR_API) && !(flags & BW_SLOTS))
		return tx_state->poster->post_run((struct ibv_qp_ex *)tx_state->qp, wr, &tx_state->slots, n);
	for (; rest; rest--) {
		sge->addr = local_base + offset;
		*remote_addr = remote_base + offset;
		if (flags & BW_SLOTS)
			wr->imm_data = htobe32(tx_state->number);
		err = post_chain(tx_state, flags);
		if (__builtin_expect(err, 0))
			break;
		if (flags & BW_SLOTS)
			tx_state->number++;
		offset = (offset + step) & mask;
	}
	tx_state->slots.offset = offset;
	*n = rest;
	return err;
}

/* One message, in the place of one that completed: what tx_state_fill() would come to, where each message is signalled.
 */
LOOP_INLINE int post_next(struct run *run, struct tx_state *tx_state, const unsigned flags)
{
	uint32_t rest = 1;
	int err;

	if (__builtin_expect(!tx_state->left, 0)) {
		tx_state->room++;
		return 0;
	}
	err = post_run(tx_state, flags, &rest);
	if (__builtin_expect(err, 0))
		return post_refusal(err);
	tx_state->left--;
	run->result.posted++;
	return 0;
}

/* The next list goes to the slots behind the last one. */
static void aim_list(const struct run *run, struct tx_state *tx_state)
{
	struct slot_stride *slots = &tx_state->slots;
	const bool one_sided = traffic_opcode_is_one_sided(run->plan.opcode);

	for (struct ibv_send_wr *wr = tx_state->wr; wr; wr = wr->next) {
		wr->sg_list->addr = slots->local_base + slots->offset;
		if (one_sided)
			wr->wr.rdma.remote_addr = slots->remote_base + slots->offset;
		wr->imm_data = htobe32(tx_state->number++);
		slots->offset = (slots->offset + slots->step) & slots->mask;
	}
}

/* BW_RATE: is there a message, or a chain, whose time has passed? */
LOOP_INLINE bool has_budget(const struct run *run, const struct work *work, const unsigned flags)
{
	return work->budget >= (flags & BW_LIST ? (int64_t)run->plan.post_list : 1);
}

/* As many messages as the tx_state has room for. */
LOOP_INLINE int tx_state_fill(struct run *run, struct work *work, struct tx_state *tx_state, const unsigned flags)
{
	uint32_t n;
	uint32_t rest;
	bool marks;
	int err;

	if (flags & BW_LIST) {
		while (tx_state->room >= run->plan.post_list && tx_state->left &&
		       (!(flags & BW_RATE) || has_budget(run, work, flags))) {
			if (flags & BW_SLOTS)
				aim_list(run, tx_state);
			err = post_chain(tx_state, flags);
			if (__builtin_expect(err, 0))
				return post_refusal(err);
			tx_state->room -= run->plan.post_list;
			tx_state->left -= run->plan.post_list;
			run->result.posted += run->plan.post_list;
			if (flags & BW_RATE)
				work->budget -= run->plan.post_list;
		}
		return 0;
	}
	for (;;) {
		n = tx_state->left < tx_state->room ? (uint32_t)tx_state->left : tx_state->room;
		if ((flags & BW_RATE) && n > work->budget)
			n = work->budget > 0 ? (uint32_t)work->budget : 0;
		if ((flags & BW_MODERATED) && n > tx_state->to_signal)
			n = tx_state->to_signal;
		if (n == 0)
			return 0;
		marks = (flags & BW_MODERATED) && (n == tx_state->to_signal || n == tx_state->left);
		rest = n - marks;
		err = post_run(tx_state, flags, &rest);
		if ((flags & BW_MODERATED) && __builtin_expect(!err, 1)) {
			tx_state->to_signal -= n;
			if (marks) {
				tx_state->wr->send_flags = work->plain_flags | IBV_SEND_SIGNALED;
				rest = 1;
				err = post_run(tx_state, flags, &rest);
				tx_state->wr->send_flags = work->plain_flags;
				tx_state->to_signal = work->stride;
			}
		} else {
			rest += marks;
		}
		run->result.posted += n - rest;
		if (__builtin_expect(err, 0))
			return post_refusal(err);
		tx_state->left -= n;
		tx_state->room -= n;
		if (flags & BW_RATE)
			work->budget -= n;
		if (!(flags & BW_MODERATED))
			return 0;
	}
}

LOOP_INLINE int fill_all(struct run *run, struct work *work, const unsigned flags)
{
	unsigned at = flags & BW_RATE ? work->refill_from : 0;

	if ((flags & BW_RATE) && !has_budget(run, work, flags))
		return 0;
	for (unsigned i = 0; i < run->queues.num_tx; i++) {
		int err = tx_state_fill(run, work, &work->tx_states[at], flags);

		if (err)
			return err;
		/* The next burst begins with the next tx_state: each has its turn, also where a burst is one message.
		 */
		if (++at == run->queues.num_tx)
			at = 0;
		if ((flags & BW_RATE) && !has_budget(run, work, flags))
			break;
	}
	work->refill_from = at;
	return 0;
}

#define BURST_ROUNDING 1e-4 /* of a burst: its time is a whole number of cycles */

/*
 * The first burst in the sample window. What a standstill in the margin has cost is not made up in the window, and of
 * the whole bursts that have their time in it those are left out that others have taken: of messages that were posted
 * before, and complete in it.
 */
static void begin_window_bursts(const struct run *run, struct work *work)
{
	const uint64_t begin = run->plan.begin_sample_cycles, period = run->plan.burst_cycles;
	const double window = (double)(run->plan.end_sample_cycles - begin);
	const uint64_t taken = run->result.posted - run->result.completed + run->result.sampled;
	const double room = window / (double)period - (double)taken / run->plan.burst_size + BURST_ROUNDING;
	const double bursts = room > 0 ? (double)(uint64_t)room : 0;
	const double wait = window - bursts * (double)period;
	const uint64_t first = wait > 0 ? begin + (uint64_t)wait : begin;

	work->window_at = UINT64_MAX;
	work->budget = 0; /* what was too few for a chain */
	if (work->burst_at < begin)
		work->burst_at += (begin - work->burst_at + period - 1) / period * period;
	if (work->burst_at < first)
		work->burst_at = first;
}

/*
 * A burst is due at multiples of burst_cycles after the run's begin: its time passes before it, so
 * that no average is above the limit, even of one burst. At most one is added at a time and a late
 * one does not move the next, so that a run which fell behind catches up; in the sample window it does
 * so with what it fell behind there.
 */
LOOP_INLINE void next_burst(const struct run *run, struct work *work, uint64_t now, const unsigned flags)
{
	if (has_budget(run, work, flags) || now < work->burst_at)
		return;
	if (now >= work->window_at) {
		begin_window_bursts(run, work);
		if (now < work->burst_at)
			return;
	}
	work->budget += run->plan.burst_size;
	work->burst_at += run->plan.burst_cycles;
}

#endif
