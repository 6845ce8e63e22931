/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How the loops hand work requests to the device, by either interface, and what they note when a
 * call or a request fails.
 */
#ifndef LOOPS_POST_H
#define LOOPS_POST_H

#include <endian.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "loops/run.h"
#include "verbs/queue.h"

#define LOOP_INLINE static inline __attribute__((always_inline))

/*
 * Notes a completion with an error in run; -EIO. end: of what was polled with it; a flush gives way to an error behind
 * it. receive: they were polled from the receives.
 */
int post_note_failure(struct run *run, const struct ibv_wc *wc, const struct ibv_wc *end, bool receive);
/* One request of the chain by the ibv_wr_* interface; the request says all, as with ibv_post_send(). */
LOOP_INLINE void post_build(struct ibv_qp_ex *qpx, const struct ibv_send_wr *wr)
{
	const struct ibv_sge *sge = wr->sg_list;

	qpx->wr_id = wr->wr_id;
	/* With IBV_SEND_INLINE: rxe's library copies inline data but leaves it to this flag to say so to the kernel. */
	qpx->wr_flags = wr->send_flags;
	switch (wr->opcode) {
	case IBV_WR_RDMA_WRITE:
		ibv_wr_rdma_write(qpx, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr);
		break;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		ibv_wr_rdma_write_imm(qpx, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr, wr->imm_data);
		break;
	case IBV_WR_RDMA_READ:
		ibv_wr_rdma_read(qpx, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr);
		break;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		ibv_wr_atomic_cmp_swp(qpx, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr, wr->wr.atomic.compare_add,
				      wr->wr.atomic.swap);
		break;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		ibv_wr_atomic_fetch_add(qpx, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr, wr->wr.atomic.compare_add);
		break;
	case IBV_WR_SEND_WITH_IMM:
		ibv_wr_send_imm(qpx, wr->imm_data);
		break;
	default:
		ibv_wr_send(qpx);
	}
	if (qpx->qp_base.qp_type == IBV_QPT_UD)
		ibv_wr_set_ud_addr(qpx, wr->wr.ud.ah, wr->wr.ud.remote_qpn, wr->wr.ud.remote_qkey);
	if (__builtin_expect(!wr->num_sge, 0))
		ibv_wr_set_sge_list(qpx, 0, sge);
	else if (wr->send_flags & IBV_SEND_INLINE)
		ibv_wr_set_inline_data(qpx, (void *)(uintptr_t)sge->addr, sge->length);
	else
		ibv_wr_set_sge(qpx, sge->lkey, sge->addr, sge->length);
}

/* A chain, by the interface that a compile-time flag of the caller says. 0 or a positive errno. */
LOOP_INLINE int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, bool wr_api)
{
	struct ibv_send_wr *bad;

	if (wr_api) {
		struct ibv_qp_ex *qpx = (struct ibv_qp_ex *)qp; /* qp_base is its first member */

		ibv_wr_start(qpx);
		for (; wr; wr = wr->next)
			post_build(qpx, wr);
		return ibv_wr_complete(qpx);
	}
	return ibv_post_send(qp, wr, &bad);
}

/*
 * Moves the only receive of a chain on along its walk, with has_places every one, and posts the chain. 0 or a
 * positive errno.
 */
LOOP_INLINE int post_receives(struct rx_queue *rx, const bool has_places, const bool shared)
{
	if (has_places) {
		for (struct ibv_recv_wr *wr = rx->wr; wr; wr = wr->next) {
			wr->sg_list->addr = rx->base + rx->offset;
			rx->offset = (rx->offset + rx->step) & (rx->span - 1);
		}
	} else if (!rx->wr->next) {
		rx->sge->addr = rx->base + rx->offset;
		rx->offset = (rx->offset + rx->step) & (rx->span - 1);
	}
	return rx_queue_post(rx, shared);
}

/* A receive of the queue was used up: posts a chain once there is room for one. 0 or a positive errno. */
LOOP_INLINE int post_replace(struct rx_queue *rx, uint32_t repost_at, uint32_t list, const bool shared)
{
	int err;

	if (--rx->posted > repost_at)
		return 0;
	err = post_receives(rx, false /* has places */, shared);
	if (!err)
		rx->posted += list;
	return err;
}

/* The same where a run has places: no more are posted than it has messages. */
LOOP_INLINE int post_replace_place(struct rx_queue *rx, uint32_t repost_at, uint32_t list, const bool shared)
{
	int err;

	if (--rx->posted > repost_at || !rx->left)
		return 0;
	err = post_receives(rx, true /* has places */, shared);
	if (!err) {
		rx->posted += list;
		rx->left -= list < rx->left ? list : rx->left;
	}
	return err;
}

/* Notes what a completion says of a message that arrived. */
LOOP_INLINE void post_note_arrival(const struct run *run, const struct ibv_wc *wc)
{
	const struct places *places = run->plan.places;
	const unsigned qp = queue_set_arrival(&run->queues, wc);
	uint32_t *count = &places->num_arrivals[qp];

	if (*count >= places->capacity)
		return;
	places->arrivals[(size_t)qp * places->capacity + *count] = (struct arrival){
		.length = wc->byte_len,
		.imm = be32toh(wc->imm_data),
		.has_imm = wc->wc_flags & IBV_WC_WITH_IMM,
	};
	++*count;
}

/* The number of waiting receives at which a full queue has room for one more chain. */
static inline uint32_t post_repost_at(const struct run *run)
{
	return run->plan.rx_depth / run->plan.recv_post_list * run->plan.recv_post_list - run->plan.recv_post_list;
}

#endif
