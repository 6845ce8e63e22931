/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How the loops hand work requests to the device, by either interface, and what they note when a
 * call or a request fails.
 */
#ifndef LOOPS_POST_H
#define LOOPS_POST_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "loops/run.h"
#include "verbs/flow.h"

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
	if (wr->send_flags & IBV_SEND_INLINE)
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

/* Moves the only receive of a chain on along its walk and posts the chain. 0 or a positive errno. */
LOOP_INLINE int post_receives(struct flow *flow)
{
	struct ibv_recv_wr *bad;

	if (!flow->recv_wr->next) {
		flow->recv_sge->addr = flow->recv_base + flow->recv_offset;
		flow->recv_offset = (flow->recv_offset + flow->step) & (flow->span - 1);
	}
	return ibv_post_recv(flow->qp, flow->recv_wr, &bad);
}

/* A receive of the flow was used up: posts a chain once there is room for one. 0 or a positive errno. */
LOOP_INLINE int post_replace(struct flow *flow, uint32_t repost_at, uint32_t list)
{
	int err;

	if (--flow->recv_posted > repost_at)
		return 0;
	err = post_receives(flow);
	if (!err)
		flow->recv_posted += list;
	return err;
}

/* The number of waiting receives at which a full queue has room for one more chain. */
static inline uint32_t post_repost_at(const struct run *run)
{
	return run->rx_depth / run->recv_post_list * run->recv_post_list - run->recv_post_list;
}

#endif
