/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The fast path for most requests: an RDMA WRITE, an RDMA READ, a SEND or an atomic operation with one scatter/gather
 * entry, on a connected queue pair without special conditions. It needs half the instructions of execute.c, which
 * executes all others: a failed check here has no effect except to fall back. Called by post.c.
 */
#pragma once

#include "data/copy.h"
#include "data/cqe.h"
#include "data/execute.h"
#include "host/peer.h"

#define EXECUTE_NOT_DIRECT (-100) /* neither a status nor EXECUTE_WAIT_*: nothing was done */

/*
 * Inline data is short and the peer is waiting for it: fetches the line that the peer's CPU polls while the request is
 * checked. (If the checks took longer than the transfer, that CPU would fetch the line back.)
 */
static inline __attribute__((always_inline)) void direct_claim(const struct core_qp *qp, const struct ibv_send_wr *wr)
{
	const struct soft_peer *peer = qp->peer;
	const struct cq_row *row;

	if (!(wr->send_flags & IBV_SEND_INLINE) || unlikely(__atomic_load_n(&peer->dead, __ATOMIC_ACQUIRE)))
		return;
	if (wr->opcode == IBV_WR_RDMA_WRITE) {
		/* Another thread may be changing it (key_map()): then it is not an address, and nothing is claimed. */
		const intptr_t offset =
			__atomic_load_n(&peer->keys[KEY_INDEX(wr->wr.rdma.rkey)].offset, __ATOMIC_RELAXED);

		line_claim((void *)(uintptr_t)(wr->wr.rdma.remote_addr + (uint64_t)offset));
	} else if (wr->opcode == IBV_WR_SEND) {
		row = soft_peer_cq(peer, qp->target->receive_cq);
		line_claim(cqe_at(peer, row, row->tail));
	}
}

/* The request's local memory; NULL: use execute(). */
static inline __attribute__((always_inline)) void *direct_local(const struct core_qp *qp, const struct ibv_send_wr *wr,
								bool reads)
{
	const struct ibv_sge *sge = wr->sg_list;

	if (wr->send_flags & IBV_SEND_INLINE)
		return reads || sge->length > qp->max_inline ? NULL : (void *)(uintptr_t)sge->addr;
	return soft_local_memory(sge->lkey, sge->addr, sge->length, reads ? IBV_ACCESS_LOCAL_WRITE : 0, qp->pd);
}

/*
 * The responder exists and is connected to this queue pair; length: of the message. *gate: the gate that was checked.
 */
static inline __attribute__((always_inline)) bool direct_is_open(const struct core_qp *qp, uint32_t length,
								 uint64_t *gate)
{
	const struct qp_row *target = qp->target;

	*gate = __atomic_load_n(&target->gate, __ATOMIC_ACQUIRE);
	return likely(length - 1 < SOFT_MAX_MSG_SIZE && !__atomic_load_n(&qp->peer->dead, __ATOMIC_ACQUIRE) &&
		      GATE_ACCEPTS(*gate) == core_qp_number(qp) && target->established);
}

/* The responder grants this access. */
static inline __attribute__((always_inline)) bool direct_is_allowed(const struct core_qp *qp,
								    const struct qp_row *target, bool reads)
{
	if (reads && unlikely(!qp->attr.max_rd_atomic || !target->max_dest_rd_atomic))
		return false;
	return target->access & (reads ? IBV_ACCESS_REMOTE_READ : IBV_ACCESS_REMOTE_WRITE);
}

/* Returns an enum ibv_wc_status, or EXECUTE_NOT_DIRECT, like the following functions. wr->num_sge is 1. */
static inline __attribute__((always_inline)) int direct_access(struct core_qp *qp, const struct ibv_send_wr *wr,
							       bool reads)
{
	const struct qp_row *target = qp->target;
	const struct soft_peer *peer = qp->peer;
	uint32_t length = wr->sg_list->length;
	void *local, *remote, *to;
	const void *from;
	uint64_t gate;

	if (unlikely(!direct_is_open(qp, length, &gate) || !direct_is_allowed(qp, target, reads)))
		return EXECUTE_NOT_DIRECT;
	local = direct_local(qp, wr, reads);
	if (unlikely(!local))
		return EXECUTE_NOT_DIRECT;
	remote = soft_peer_known_memory(peer, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr, length,
					reads ? IBV_ACCESS_REMOTE_READ : IBV_ACCESS_REMOTE_WRITE, target->pd);
	if (unlikely(!remote))
		return EXECUTE_NOT_DIRECT;
	to = reads ? local : remote;
	from = reads ? remote : local;
	if (!copy_word(to, from, length)) {
		if (reads)
			copy_whole(to, from, length);
		else
			soft_copy_ordered(to, from, length);
	}
	/* The next READ of a list must not return older data. */
	if (reads)
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return unlikely(soft_peer_file_is_lost(remote)) ? soft_execute_lost(qp, gate) : IBV_WC_SUCCESS;
}

static inline __attribute__((always_inline)) int direct_atomic(struct core_qp *qp, const struct ibv_send_wr *wr)
{
	const struct qp_row *target = qp->target;
	uint32_t length = wr->sg_list->length;
	uint64_t gate, before, *remote;
	void *local;

	if (unlikely(length != sizeof(before) || wr->wr.atomic.remote_addr % sizeof(before) ||
		     !direct_is_open(qp, length, &gate) || !qp->attr.max_rd_atomic || !target->max_dest_rd_atomic ||
		     !(target->access & IBV_ACCESS_REMOTE_ATOMIC)))
		return EXECUTE_NOT_DIRECT;
	local = direct_local(qp, wr, true /* reads */);
	if (unlikely(!local))
		return EXECUTE_NOT_DIRECT;
	remote = soft_peer_known_memory(qp->peer, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr, length,
					IBV_ACCESS_REMOTE_ATOMIC, target->pd);
	/* iova and address may be aligned differently. */
	if (unlikely(!remote || (uintptr_t)remote % sizeof(before)))
		return EXECUTE_NOT_DIRECT;
	before = atomic_execute(remote, wr);
	if (!copy_word(local, &before, sizeof(before)))
		soft_copy_ordered(local, &before, sizeof(before));
	return unlikely(soft_peer_file_is_lost(remote)) ? soft_execute_lost(qp, gate) : IBV_WC_SUCCESS;
}

/*
 * The memory of the next receive request, if it is one piece and large enough; NULL: use execute(). `queue` is locked.
 */
static inline __attribute__((always_inline)) void *
direct_receive(const struct soft_peer *peer, const struct rq_row *queue, uint32_t length, uint64_t *wr_id)
{
	const struct receive *receive =
		soft_peer_at(peer, queue->ring + ((uint64_t)(queue->head & queue->mask) << (queue->shift & 63)));

	if (unlikely(__atomic_load_n(&receive->stamp, __ATOMIC_ACQUIRE) != queue->head + 1 || queue->is_shared ||
		     __atomic_load_n(&receive->sge_count, __ATOMIC_RELAXED) != 1 ||
		     __atomic_load_n(&receive->sge[0].length, __ATOMIC_RELAXED) < length))
		return NULL;
	*wr_id = receive->wr_id;
	return soft_peer_known_memory(peer, __atomic_load_n(&receive->sge[0].lkey, __ATOMIC_RELAXED),
				      __atomic_load_n(&receive->sge[0].addr, __ATOMIC_RELAXED), length,
				      IBV_ACCESS_LOCAL_WRITE, queue->pd);
}

/* The receive's completion, except for the request's identity. */
static inline __attribute__((always_inline)) struct cqe direct_cqe(const struct core_qp *qp, uint32_t length,
								   uint64_t wr_id)
{
	return (struct cqe){
		.wr_id = wr_id,
		.qpn = qp->attr.dest_qp_num,
		.byte_len = length,
		.src_qp = core_qp_number(qp),
		.status = IBV_WC_SUCCESS,
		.opcode = IBV_WC_RECV,
		.sl = qp->attr.ah_attr.sl,
	};
}

/* Another process holds the completion queue, or it is full: no reason to copy the message again. */
static SOFT_COLD bool direct_complete_receive(struct core_qp *qp, struct rq_row *queue, uint32_t length, uint64_t wr_id,
					      bool is_solicited)
{
	const struct cqe cqe = direct_cqe(qp, length, wr_id);

	return soft_cqe_push(qp->peer, queue->cq, &cqe, queue, is_solicited);
}

/*
 * Delivers the message and its completion. False: neither, or a message that execute() sends again. `queue` is locked.
 */
static inline __attribute__((always_inline)) bool direct_deliver(struct core_qp *qp, const struct ibv_send_wr *wr,
								 const void *local, struct rq_row *queue)
{
	const uint32_t length = wr->sg_list->length, cq_index = qp->target->receive_cq;
	const bool is_solicited = wr->send_flags & IBV_SEND_SOLICITED;
	struct soft_peer *peer = qp->peer;
	struct cq_row *row = soft_peer_cq(peer, cq_index);
	const struct origin origin = origin_of(peer, queue);
	bool is_stored = false;
	struct cqe cqe;
	uint64_t wr_id;
	void *remote;

	remote = direct_receive(peer, queue, length, &wr_id);
	if (unlikely(!remote))
		return false;
	if (!copy_word(remote, local, length))
		soft_copy_ordered(remote, local, length);
	queue->cq = cq_index;
	if (unlikely(__atomic_load_n(&soft_peer_files_lost, __ATOMIC_RELAXED))) /* possibly during this copy */
		return false;
	if (likely(shared_lock_try(&row->lock, soft_self.instance))) {
		cqe = direct_cqe(qp, length, wr_id);
		is_stored = cqe_store(peer, row, &cqe, &origin);
		if (likely(is_stored))
			request_leave(queue);
		shared_lock_release(&row->lock);
	}
	if (unlikely(!is_stored))
		return direct_complete_receive(qp, queue, length, wr_id, is_solicited);
	if (row->channel)
		soft_channel_notify(peer, row, is_solicited);
	return true;
}

static inline __attribute__((always_inline)) int direct_send(struct core_qp *qp, const struct ibv_send_wr *wr)
{
	const struct qp_row *target = qp->target;
	struct rq_row *queue;
	uint32_t number;
	uint64_t gate;
	bool is_done;
	void *local;

	if (unlikely(!direct_is_open(qp, wr->sg_list->length, &gate) ||
		     __atomic_load_n(&soft_peer_files_lost, __ATOMIC_RELAXED)))
		return EXECUTE_NOT_DIRECT;
	local = direct_local(qp, wr, false /* reads */);
	if (unlikely(!local))
		return EXECUTE_NOT_DIRECT;
	number = __atomic_load_n(&target->receive_queue, __ATOMIC_ACQUIRE);
	queue = soft_peer_rq(qp->peer, number);
	if (unlikely(!shared_lock_try(&queue->lock, soft_self.instance)))
		return EXECUTE_NOT_DIRECT;
	/* From here on the owner waits for us before it changes the queue pair. */
	is_done = likely(GATE_ACCEPTS(__atomic_load_n(&target->gate, __ATOMIC_ACQUIRE)) == core_qp_number(qp) &&
			 __atomic_load_n(&target->receive_queue, __ATOMIC_RELAXED) == number) &&
		  direct_deliver(qp, wr, local, queue);
	shared_lock_release(&queue->lock);
	return likely(is_done) ? IBV_WC_SUCCESS : EXECUTE_NOT_DIRECT;
}

static inline __attribute__((always_inline)) int direct_execute(struct core_qp *qp, const struct ibv_send_wr *wr)
{
	uint32_t direct = qp->ops->direct;

	if (unlikely(wr->num_sge != 1 || !qp->max_sge))
		return EXECUTE_NOT_DIRECT;
	if (wr->opcode == IBV_WR_RDMA_WRITE && likely(direct & DIRECT_WRITE))
		return direct_access(qp, wr, false /* reads */);
	if (wr->opcode == IBV_WR_RDMA_READ && likely(direct & DIRECT_READ))
		return direct_access(qp, wr, true /* reads */);
	if (wr->opcode == IBV_WR_SEND && likely(direct & DIRECT_SEND))
		return direct_send(qp, wr);
	if ((wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD || wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP) &&
	    likely(direct & DIRECT_ATOMIC))
		return direct_atomic(qp, wr);
	return EXECUTE_NOT_DIRECT;
}
