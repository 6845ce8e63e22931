/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How the loops post work requests, through either interface, and what they record when a call or a request fails. */
#pragma once

#include <endian.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "loops/run.h"
#include "verbs/queue.h"

/* A copy of the loops for each combination of constants; under a sanitizer, whose code is ten times as long, only one.
 */
#ifdef SANITIZED
#define LOOP_INLINE static inline
#else
#define LOOP_INLINE static inline __attribute__((always_inline))
#endif

/* -errno of a failed post: a positive errno, but the libraries of some drivers (siw's) return a negative one. */
static inline int post_refusal(int err)
{
	return err > 0 ? -err : err;
}

/*
 * Records a completion with an error in run; returns -EIO. end: of the completions polled with it; an error after a
 * flush takes precedence over it. receive: they were polled from the receives.
 */
int post_note_failure(struct run *run, const struct ibv_wc *wc, const struct ibv_wc *end, bool receive);
/*
 * Advances the only receive of a chain of `list` (has_slots: every one) by its stride, and posts it. 0 or a positive
 * errno.
 */
LOOP_INLINE int post_receives(struct rx_queue *rx, uint32_t list, const bool has_slots, const bool shared)
{
	int err;

	if (has_slots) {
		for (struct ibv_recv_wr *wr = rx->wr; wr; wr = wr->next) {
			wr->sg_list->addr = rx->base + rx->offset;
			if (shared)
				wr->wr_id = rx->offset;
			rx->offset = (rx->offset + rx->step) & (rx->span - 1);
		}
	} else if (!rx->wr->next) {
		rx->sge->addr = rx->base + rx->offset;
		rx->offset = (rx->offset + rx->step) & (rx->span - 1);
	}
	err = rx_queue_post(rx, shared);
	if (err)
		return err;
	rx->posted += list;
	if (has_slots)
		rx->left -= list < rx->left ? list : rx->left;
	return 0;
}

/*
 * A receive of the queue was used: posts a chain once there is room for it; with slots no more than the run has
 * messages. 0 or a positive errno.
 */
LOOP_INLINE int post_replace(struct rx_queue *rx, uint32_t repost_at, uint32_t list, const bool has_slots,
			     const bool shared)
{
	if (--rx->posted > repost_at || (has_slots && !rx->left))
		return 0;
	return post_receives(rx, list, has_slots, shared);
}

/* Where the oldest posted receive is. */
static inline uint64_t post_oldest(const struct rx_queue *rx)
{
	return rx->base + ((rx->offset - (uint64_t)rx->posted * rx->step) & (rx->span - 1));
}

/* Records what a completion says about a message that arrived. */
LOOP_INLINE void post_note_arrival(const struct run *run, const struct ibv_wc *wc)
{
	const struct message_slots *slots = run->plan.slots;
	const unsigned qp = queue_set_arrival(&run->queues, wc);
	uint32_t *count = &slots->num_arrivals[qp];

	if (*count >= slots->capacity)
		return;
	slots->arrivals[(size_t)qp * slots->capacity + *count] = (struct arrival){
		.length = wc->byte_len,
		.imm = be32toh(wc->imm_data),
		.has_imm = wc->wc_flags & IBV_WC_WITH_IMM,
		.offset = (uint32_t)wc->wr_id,
	};
	++*count;
}

/* Counts a frame that was found at this time. NULL: none of its length is expected. */
static inline struct length_count *post_note_length(struct run *run, const struct ibv_wc *wc, uint64_t now)
{
	struct length_count *count;

	if (wc->byte_len >= run->plan.num_lengths || !run->plan.lengths[wc->byte_len].left)
		return NULL;
	count = &run->plan.lengths[wc->byte_len];
	if (!count->begun)
		count->begin_cycles = now;
	count->unrated += count->begin_cycles == now;
	count->end_cycles = now;
	count->frames++;
	count->left--;
	run->result.received++;
	return count;
}

/* The number of posted receives at which a full queue has room for one more chain. */
static inline uint32_t post_repost_at(const struct run *run)
{
	return run->plan.rx_depth / run->plan.recv_post_list * run->plan.recv_post_list - run->plan.recv_post_list;
}
