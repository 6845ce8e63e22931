/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stores the completion of a request, in the process that posted it. On the path of every message. */
#pragma once

#include "data/cqe.h"
#include "data/execute.h"
#include "host/peer.h"

/*
 * `done` is set to `position`, the number of completed requests of that queue, when the program polls this. The
 * completion queue is locked, or the caller knows that no other thread uses it. False: it is full.
 */
static inline bool sent_store(struct core_cq *cq, uint64_t wr_id, uint32_t *done, uint32_t position, uint32_t byte_len,
			      uint32_t qpn, int status, unsigned int opcode)
{
	uint32_t tail = cq->sent_tail;
	struct sent *sent = &cq->sent[tail & cq->sent_mask];

	if (unlikely(tail - cq->sent_head >= cq->capacity))
		return false;
	*sent = (struct sent){
		.wr_id = wr_id,
		.done = done,
		.position = position,
		.byte_len = byte_len,
		.qpn = qpn,
		.status = (uint16_t)status,
		.opcode = (uint16_t)opcode,
	};
	if (unlikely(cq->sent_times))
		cq->sent_times[tail & cq->sent_mask] = soft_clock_now();
	cq->sent_tail = tail + 1;
	return true;
}

static inline void sent_push(struct core_cq *cq, uint64_t wr_id, uint32_t *done, uint32_t position, uint32_t byte_len,
			     uint32_t qpn, int status, unsigned int opcode, bool is_solicited)
{
	bool biased = local_lock_take(&cq->lock);
	bool is_stored = sent_store(cq, wr_id, done, position, byte_len, qpn, status, opcode);

	local_lock_release(&cq->lock, biased);
	if (unlikely(!is_stored))
		soft_cq_overrun_sent(cq, done, position);
	else if (unlikely(cq->soft.base.channel))
		soft_channel_notify(&soft_self_peer, cq->row, is_solicited);
}

/* A successful request that needs no completion. */
static inline bool is_silent(const struct core_qp *qp, const struct ibv_send_wr *wr)
{
	return !qp->all_signalled && !(wr->send_flags & IBV_SEND_SIGNALED);
}

/* The send queue is locked. A failure moves the queue pair to an error state and flushes the requests after it. */
static inline void send_complete(struct core_qp *qp, const struct soft_operation *operation,
				 const struct ibv_send_wr *wr, uint32_t position, int status, uint32_t byte_len)
{
	if (likely(!status) && is_silent(qp, wr))
		return;
	sent_push(qp->send_cq, wr->wr_id, &qp->done, position, byte_len, core_qp_number(qp), status,
		  operation->completion, status || (wr->send_flags & IBV_SEND_SOLICITED));
	if (unlikely(status && status != IBV_WC_WR_FLUSH_ERR))
		qp->ops->send_error(qp);
}
