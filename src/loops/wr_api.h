/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Posting by the ibv_wr_*() calls. One body per way to post, compiled for each operation, with inline data or not, and
 * for datagrams: what a message costs beside the calls themselves is two addresses. Loops take a wr_poster once and
 * call it for each run of messages, or list.
 */
#ifndef LOOPS_WR_API_H
#define LOOPS_WR_API_H

#include <infiniband/verbs.h>
#include <stdint.h>

/* Where messages of a send queue go: see verbs/queue.h. */
struct slot_stride {
	uint64_t local_base;
	uint64_t remote_base; /* one-sided operations */
	uint32_t offset;      /* of the next message */
	uint32_t step;
	uint32_t mask; /* span - 1 */
};

struct wr_poster {
	/* n messages as wr says, one by one, slot by slot. *n: those not posted. 0 or a positive errno. */
	int (*post_run)(struct ibv_qp_ex *qpx, const struct ibv_send_wr *wr, struct slot_stride *slots, uint32_t *n);
	/* A chain, each message where its request says. 0 or a positive errno, and none is posted. */
	int (*post_list)(struct ibv_qp_ex *qpx, const struct ibv_send_wr *wr);
};

/* For any request. */
extern const struct wr_poster wr_poster_general;

/* For requests like this one, which is inline, a datagram or empty as all of them will be: one that knows that. */
const struct wr_poster *wr_poster_of(const struct ibv_qp_ex *qpx, const struct ibv_send_wr *wr);

#endif
