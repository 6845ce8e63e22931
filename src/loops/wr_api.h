/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Posting through the ibv_wr_*() calls. One body per way to post, compiled for each operation, with inline data or not,
 * and for each way to name the destination: besides the calls themselves, a message costs two addresses. A loop looks
 * up its wr_poster once and calls it for each run of messages, or list.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdint.h>

/* The slots of a send queue's messages: see verbs/queue.h. */
struct slot_stride {
	uint64_t local_base;
	uint64_t remote_base; /* one-sided operations */
	uint32_t offset;      /* of the next message */
	uint32_t step;
	uint32_t mask; /* span - 1 */
};

struct wr_poster {
	/* Posts n messages like wr, one by one, slot by slot. *n: those not posted. 0 or a positive errno. */
	int (*post_run)(struct ibv_qp_ex *qpx, const struct ibv_send_wr *wr, struct slot_stride *slots, uint32_t *n);
	/* Posts a chain, each message as its request says. 0 or a positive errno, and none is posted. */
	int (*post_list)(struct ibv_qp_ex *qpx, const struct ibv_send_wr *wr);
};

/* For any request. */
extern const struct wr_poster wr_poster_general;

/* The one for requests like this, which is inline, a datagram or empty as all of them are. */
const struct wr_poster *wr_poster_of(const struct ibv_qp_ex *qpx, const struct ibv_send_wr *wr);
