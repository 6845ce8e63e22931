/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Posting in a bandwidth loop: as many messages as the send queues have room for, singly or as lists, moderated, at a
 * rate. The flags are compile-time constants in all instances but one; bandwidth.c creates them.
 */
#pragma once

#include <endian.h>
#include <math.h>

#include "loops/bw_work.h"
#include "loops/post.h"
#include "stats/clock.h"
#include "traffic/traffic.h"

/* Posts a chain through either interface. 0 or a positive errno. */
LOOP_INLINE int post_chain(const struct tx_state *tx_state, const unsigned flags)
{
	struct ibv_send_wr *bad;

	if (flags & BW_WR_API)
		return tx_state->poster->post_list((struct ibv_qp_ex *)tx_state->qp,
						   tx_state->wr); /* qp_base is its first member */
	return ibv_post_send(tx_state->qp, tx_state->wr, &bad);
}

/* Posts n messages one by one, with the request's current flags. *n: those not posted if it fails. */
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

/* Posts one message in place of a completed one: what tx_state_fill() does if every message is signalled. */
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

/* Moves the next list to the slots after the last one. */
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

/* BW_RATE: is a message, or a chain, due? */
LOOP_INLINE bool has_budget(const struct run *run, const struct work *work, const unsigned flags)
{
	return work->budget >= (flags & BW_LIST ? (int64_t)run->plan.post_list : 1);
}

/*
 * BW_RATE: would messages that do not fit yet leave unsignalled ones that complete only with the next burst? A burst
 * consists of whole strides, each posted to one queue pair.
 */
LOOP_INLINE bool leaves_tail(const struct work *work, const struct tx_state *tx_state, uint32_t n, const unsigned flags)
{
	return (flags & BW_MODERATED) && n < tx_state->to_signal && n < tx_state->left && (int64_t)n < work->budget;
}

/* BW_RATE: do they end the last burst, which need not be whole strides? */
static inline bool ends_bursts(const struct work *work, uint32_t n)
{
	return !work->burst_left && (int64_t)n == work->budget;
}

/* BW_CREDITS; not in the tx_state, whose size allows fast indexing. */
static inline struct credit *credit_of(const struct run *run, const struct work *work, const struct tx_state *tx_state)
{
	return run->queues.tx[tx_state - work->tx_states].credit;
}

/* BW_CREDITS: how many of n messages have a receive at the peer. */
static inline uint32_t granted(const struct run *run, struct work *work, const struct tx_state *tx_state, uint32_t n)
{
	const uint32_t receives = credit_room(credit_of(run, work, tx_state), work->window);

	work->is_held_up |= n > receives;
	return n > receives ? receives : n;
}

/* Posts as many messages as the tx_state has room for. */
LOOP_INLINE int tx_state_fill(struct run *run, struct work *work, struct tx_state *tx_state, const unsigned flags)
{
	uint32_t n;
	uint32_t rest;
	bool marks;
	int err;

	if (flags & BW_LIST) {
		while (tx_state->room >= run->plan.post_list && tx_state->left &&
		       (!(flags & BW_RATE) || has_budget(run, work, flags)) &&
		       (!(flags & BW_CREDITS) ||
			granted(run, work, tx_state, run->plan.post_list) == run->plan.post_list)) {
			if (flags & BW_SLOTS)
				aim_list(run, tx_state);
			err = post_chain(tx_state, flags);
			if (__builtin_expect(err, 0))
				return post_refusal(err);
			tx_state->room -= run->plan.post_list;
			tx_state->left -= run->plan.post_list;
			run->result.posted += run->plan.post_list;
			if (flags & BW_CREDITS)
				credit_of(run, work, tx_state)->sent += run->plan.post_list;
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
		if ((flags & BW_RATE) && leaves_tail(work, tx_state, n, flags))
			return 0;
		if (flags & BW_CREDITS)
			n = granted(run, work, tx_state, n);
		if (n == 0)
			return 0;
		marks = (flags & BW_MODERATED) && (n == tx_state->to_signal || n == tx_state->left ||
						   ((flags & BW_RATE) && ends_bursts(work, n)));
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
		if (flags & BW_CREDITS)
			credit_of(run, work, tx_state)->sent += n;
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
		/*
		 * The next burst starts with the next tx_state, so that all get their turn, even with one message each.
		 */
		if (++at == run->queues.num_tx)
			at = 0;
		if ((flags & BW_RATE) && !has_budget(run, work, flags))
			break;
	}
	work->refill_from = at;
	return 0;
}

/* How long this many messages take at the limit, in cycles. */
static inline double burst_time(const struct run *run, uint64_t messages)
{
	return (double)messages * run->plan.message_cycles;
}

static inline uint64_t next_burst_size(const struct run *run, const struct work *work)
{
	return work->burst_left < run->plan.burst_size ? work->burst_left : run->plan.burst_size;
}

#define LATEST_BURST 0x1p62 /* cycles after the start: never, and a stamp can be added to it */

static inline void set_burst_due(const struct run *run, struct work *work, double due)
{
	work->burst_due = due;
	work->burst_at = due < LATEST_BURST ? run->result.begin_cycles + (uint64_t)due : UINT64_MAX;
}

/* The first burst of a run: its time passes before it, so that no average exceeds the limit, even that of one burst. */
static inline void begin_bursts(const struct run *run, struct work *work)
{
	work->burst_left = work->send_target;
	set_burst_due(run, work, burst_time(run, next_burst_size(run, work)));
}

/* No more bursts; in a run by time not until the window is over, if a margin follows. */
static inline void end_bursts(const struct run *run, struct work *work)
{
	work->burst_at = run->plan.end_sample_cycles < work->end_cycles ? run->plan.end_sample_cycles : UINT64_MAX;
}

/*
 * The receiver's window may begin later than this side's, but seldom by more than this: on a busy CPU by several slices
 * of its scheduler. The last burst, which may have few messages, still has most of its time.
 */
static inline double burst_grace(const struct run *run, const struct work *work)
{
	const uint64_t rest = work->burst_left % run->plan.burst_size;

	return fmin(burst_time(run, rest ? rest : run->plan.burst_size) / 16, (double)clock_ns_to_cycles(1e8));
}

/*
 * The bursts of the sample window: as many messages as the limit allows in it, each burst near the start of the time in
 * which it has to complete. A stall in the margin is not made up for in the window, and messages posted before it that
 * complete in it replace others.
 */
static void begin_window_bursts(const struct run *run, struct work *work)
{
	const uint64_t begin = run->plan.begin_sample_cycles;
	const double window = (double)(run->plan.end_sample_cycles - begin);
	const double allowed = (window + 2) / run->plan.message_cycles; /* both its ends were rounded to cycles */
	const double taken = (double)(run->result.posted - run->result.completed + run->result.sampled);
	double first;

	work->window_at = UINT64_MAX;
	work->budget = 0; /* too few for a chain */
	work->burst_left = allowed > taken ? (uint64_t)(allowed - taken) : 0;
	work->burst_leads = true;
	if (!work->burst_left) {
		end_bursts(run, work);
		return;
	}
	first = (double)(int64_t)(begin - run->result.begin_cycles) + window - burst_time(run, work->burst_left);
	set_burst_due(run, work, fmax(first, 0) + burst_grace(run, work));
}

/*
 * In the second margin, once all bursts of the window have completed, bursts continue as before it: the time of a burst
 * passes before it is posted, since the receiver's window may end later than this side's.
 */
static void resume_bursts(const struct run *run, struct work *work, uint64_t now)
{
	work->burst_left = UINT64_MAX;
	work->burst_leads = false;
	set_burst_due(run, work,
		      (double)(now - run->result.begin_cycles) + burst_time(run, next_burst_size(run, work)));
}

/*
 * At most one burst is added at a time, and a late one does not move the next, so that a run that is behind catches up;
 * in the sample window only with its delay there. The last burst has the remaining messages, and is shorter
 * accordingly.
 */
LOOP_INLINE void next_burst(const struct run *run, struct work *work, uint64_t now, const unsigned flags)
{
	uint64_t size;

	if (has_budget(run, work, flags))
		return;
	if (now >= work->window_at)
		begin_window_bursts(run, work);
	if (now < work->burst_at)
		return;
	if (!work->burst_left) {
		if (run->result.completed < run->result.posted)
			return;
		resume_bursts(run, work, now);
		return;
	}
	size = next_burst_size(run, work);
	work->budget += (int64_t)size;
	if (work->burst_left != UINT64_MAX)
		work->burst_left -= size;
	if (work->burst_left)
		set_burst_due(run, work,
			      work->burst_due + burst_time(run, work->burst_leads ? size : next_burst_size(run, work)));
	else
		end_bursts(run, work);
}
