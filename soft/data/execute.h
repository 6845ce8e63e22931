/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Moves the bytes of a request. Shared by execute.c (connected) and ud.c (datagrams). */
#pragma once

#include "data/copy.h"
#include "data/cqe.h"
#include "host/peer.h"

/* Resolved pieces of memory, none empty, in the order of the request. */
struct pieces {
	uint32_t count;
	uint64_t length;
	struct {
		uint8_t *base;
		uint32_t length;
	} piece[SOFT_MAX_SGE + 1]; /* and the header of a datagram */
};

static inline void pieces_add(struct pieces *pieces, void *base, uint32_t length)
{
	pieces->piece[pieces->count].base = base;
	pieces->piece[pieces->count++].length = length;
	pieces->length += length;
}

/* Resolves the local memory of a request; returns an enum ibv_wc_status. */
static inline int pieces_local(struct pieces *pieces, const struct ibv_send_wr *wr, uint32_t access, uint32_t pd)
{
	bool is_inline = wr->send_flags & IBV_SEND_INLINE;

	pieces->count = 0;
	pieces->length = 0;
	for (int i = 0; i < wr->num_sge; i++) {
		const struct ibv_sge *sge = &wr->sg_list[i];
		void *base;

		if (unlikely(sge->length == 0))
			continue;
		if (is_inline)
			base = (void *)(uintptr_t)sge->addr;
		else
			base = soft_local_memory(sge->lkey, sge->addr, sge->length, access, pd);
		if (unlikely(!base)) {
			base = soft_demand_local_memory(sge->lkey, sge->addr, sge->length, access, pd);
			if (!base)
				return IBV_WC_LOC_PROT_ERR;
		}
		pieces_add(pieces, base, sge->length);
	}
	return IBV_WC_SUCCESS;
}

/* All of `from`; `to` holds at least as much. The last byte is stored last. */
void soft_pieces_copy(const struct pieces *to, const struct pieces *from);

static inline void pieces_copy(const struct pieces *to, const struct pieces *from)
{
	if (likely(from->count == 1 && to->count == 1))
		copy_ordered(to->piece[0].base, from->piece[0].base, from->piece[0].length);
	else
		soft_pieces_copy(to, from);
}

/* After a copy: has part of it been lost? */
static inline bool pieces_are_lost(const struct pieces *pieces)
{
	if (likely(__atomic_load_n(&soft_peer_files_lost, __ATOMIC_RELAXED) == 0))
		return false;
	for (uint32_t i = 0; i < pieces->count; i++) {
		if (soft_peer_file_is_lost(pieces->piece[i].base))
			return true;
	}
	return false;
}

/* A receive queue of the target, locked to consume a request. */
struct receiver {
	struct soft_peer *peer;
	struct rq_row *queue;
	struct receive *receive;
	bool is_limit_reached;
};

/*
 * Locks the queue whose index is at `index`, in the peer's memory. False: it is not available, or has been replaced:
 * the caller retries unless the peer is dead.
 */
static inline bool receiver_lock(struct receiver *receiver, struct soft_peer *peer, const uint32_t *index)
{
	uint32_t number = __atomic_load_n(index, __ATOMIC_ACQUIRE);
	struct rq_row *queue = soft_peer_rq(peer, number);

	if (unlikely(!shared_lock_take(&queue->lock, soft_self.instance, &peer->dead)))
		return false;
	if (unlikely(__atomic_load_n(index, __ATOMIC_RELAXED) != number)) {
		shared_lock_release(&queue->lock);
		return false;
	}
	receiver->peer = peer;
	receiver->queue = queue;
	receiver->is_limit_reached = false;
	return true;
}

void soft_receiver_report_limit(const struct receiver *receiver);

static inline void receiver_unlock(const struct receiver *receiver)
{
	shared_lock_release(&receiver->queue->lock);
	if (unlikely(receiver->is_limit_reached))
		soft_receiver_report_limit(receiver);
}

/* False: nothing is posted. */
static inline bool receiver_take(struct receiver *receiver)
{
	const struct rq_row *queue = receiver->queue;

	receiver->receive = soft_peer_at(receiver->peer,
					 queue->ring + ((uint64_t)(queue->head & queue->mask) << (queue->shift & 63)));
	return __atomic_load_n(&receiver->receive->stamp, __ATOMIC_ACQUIRE) == queue->head + 1;
}

/*
 * Resolves the memory of the consumed request, up to `length` bytes. LOC_LEN_ERR: it is too small; LOC_PROT_ERR: one of
 * its keys is invalid.
 */
int soft_pieces_receive(struct pieces *pieces, const struct receiver *receiver, uint64_t length);

/* True once per limit set. */
bool soft_receiver_limit_is_reached(struct rq_row *queue);

/* Completes the consumed request and fills in the rest of *cqe. False: the completion queue is not available now. */
static inline bool receiver_complete(struct receiver *receiver, uint32_t cq_index, struct cqe *cqe, bool is_solicited)
{
	struct rq_row *queue = receiver->queue;

	cqe->wr_id = receiver->receive->wr_id;
	if (unlikely(!soft_cqe_push(receiver->peer, cq_index, cqe, queue, is_solicited)))
		return false;
	if (queue->is_shared && unlikely(__atomic_load_n(&queue->limit, __ATOMIC_RELAXED)))
		receiver->is_limit_reached = soft_receiver_limit_is_reached(queue);
	return true;
}

/*
 * Returns the previous value. The memory is used by the program on the other side, whose CPUs see one atomic operation.
 */
static inline uint64_t atomic_execute(uint64_t *word, const struct ibv_send_wr *wr)
{
	uint64_t value = wr->wr.atomic.compare_add;

	if (wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
		return __atomic_fetch_add(word, value, __ATOMIC_SEQ_CST);
	__atomic_compare_exchange_n(word, &value, wr->wr.atomic.swap, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return value;
}

#define EXECUTE_WAIT_RECEIVE	(-1) /* receiver not ready */
#define EXECUTE_WAIT_CONNECTION (-2) /* the peer does not respond (yet) */
#define EXECUTE_DELAYED		(-3) /* the send queue is drained: no request starts */
#define EXECUTE_WAIT_LOCK	(-4) /* a stopped process holds a queue of the target */
#define EXECUTE_WAIT_NEXT	(-5) /* until the next request has overtaken it */
#define SOFT_OPERATION_COUNT	(IBV_WR_SEND_WITH_INV + 1)
extern const struct soft_operation soft_operations[SOFT_OPERATION_COUNT] SOFT_HIDDEN; /* by opcode */
/* Returns an enum ibv_wc_status or EXECUTE_WAIT_*; *byte_len is set on success. */
int soft_execute(struct core_qp *qp, const struct soft_operation *operation, const struct ibv_send_wr *wr,
		 uint32_t *byte_len);
/*
 * Status of an RDMA request whose memory is in a file that was truncated during the copy. gate: from before the copy.
 */
int soft_execute_lost(struct core_qp *qp, uint64_t gate);
/* The same of one that found a lock of that process unavailable: it is dead, or the holder is stopped. */
int soft_execute_locked_out(const struct core_qp *qp, const struct soft_peer *peer);
/*
 * The same for SRD and DC, whose requests name their destination; for SRD and RC of adapters whose packets arrive in
 * any order; for XRC, where wr->qp_type.xrc names the shared receive queue; and for datagrams.
 */
__typeof__(soft_execute) soft_execute_named, soft_execute_unordered, soft_execute_xrc, soft_execute_datagram;
