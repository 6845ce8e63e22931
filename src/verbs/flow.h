/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One queue pair with the work requests that the loops post to it, built once per message
 * size. A loop only sets the signalled flag and, for small messages, moves the addresses on.
 */
#ifndef VERBS_FLOW_H
#define VERBS_FLOW_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

struct flow {
	struct ibv_qp *qp;
	struct ibv_qp_ex *qpx; /* for ibv_wr_*; NULL with ibv_post_send() */
	struct ibv_ah *ah;     /* UD */
	uint32_t remote_qpn;   /* UD */
	uint32_t remote_qkey;  /* UD */

	struct ibv_send_wr *send_wr; /* post_list of them, chained; wr_id is the flow's index */
	struct ibv_sge *send_sge;    /* one per send_wr */
	struct ibv_recv_wr *recv_wr; /* recv_post_list of them, chained; wr_id is the flow's index */
	struct ibv_sge *recv_sge;

	/*
	 * Small messages walk over one page so that they do not all hit one cache line:
	 * address = base + (n * step) % span. step 0: every message at base.
	 */
	uint64_t local_base;
	uint64_t remote_base; /* one-sided operations */
	uint64_t recv_base;
	uint32_t step;
	uint32_t span; /* bytes, a power of two multiple of step */

	/* write latency: the byte that the peer writes last, and the one that we send last */
	volatile uint8_t *poll_byte;
	volatile uint8_t *post_byte;
};

#endif
