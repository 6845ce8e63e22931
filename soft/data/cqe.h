/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ring of completions that initiators store into, and the events. See cqe.c. */
#pragma once

#include "host/peer.h"

#define STATUS_VOID 0xffff /* of a destroyed queue pair: not returned by polls */

/* A send completed while the queue was full; `done` and `position` are as in struct sent. Not locked. */
void soft_cq_overrun_sent(struct core_cq *cq, uint32_t *done, uint32_t position);
/*
 * Completes the next request of `queue`, which is the peer's and locked, in its completion queue, and fills in the rest
 * of *cqe. False: the completion queue is not available now, or its process is dead. If it is full, the completion is
 * lost, and its owner is notified.
 */
bool soft_cqe_push(struct soft_peer *peer, uint32_t cq_index, const struct cqe *completion, struct rq_row *queue,
		   bool is_solicited);

/* The completing request: kept in registers until stored in the ring. */
struct origin {
	uint32_t generation, queue, position; /* as in struct cqe */
};

static inline struct cqe *cqe_at(const struct soft_peer *peer, const struct cq_row *row, uint32_t index)
{
	return soft_peer_line_at(peer, row->ring + (uint64_t)(index & row->mask) * sizeof(struct cqe));
}

/* The queue's lock is held. False: it is full. */
static inline __attribute__((always_inline)) bool cqe_store(struct soft_peer *peer, struct cq_row *row,
							    const struct cqe *completion, const struct origin *origin)
{
	uint32_t tail = row->tail;
	struct cqe *cqe;

	if (unlikely(tail - row->head_seen >= row->capacity)) {
		row->head_seen = __atomic_load_n(&row->head, __ATOMIC_ACQUIRE);
		if (tail - row->head_seen >= row->capacity)
			return false;
	}
	cqe = cqe_at(peer, row, tail);
	cqe->wr_id = completion->wr_id;
	cqe->qpn = completion->qpn;
	cqe->byte_len = completion->byte_len;
	cqe->imm_data = completion->imm_data;
	cqe->src_qp = completion->src_qp;
	cqe->flags = completion->flags;
	cqe->status = completion->status;
	cqe->opcode = completion->opcode;
	cqe->sl = completion->sl;
	cqe->generation = origin->generation;
	cqe->queue = origin->queue;
	cqe->position = origin->position;
	if (unlikely(row->has_times))
		cqe->time = soft_clock_now();
	__atomic_store_n(&cqe->stamp, tail + 1, __ATOMIC_RELEASE);
	__atomic_store_n(&row->tail, tail + 1, __ATOMIC_RELEASE);
	return true;
}

/* Removes the request from its queue, with the completion queue locked: see soft_cq_repair(). */
static inline void request_leave(struct rq_row *queue)
{
	__atomic_store_n(&queue->head, queue->head + 1, __ATOMIC_RELEASE);
}

/* The next request of `queue`. */
static inline __attribute__((always_inline)) struct origin origin_of(const struct soft_peer *peer,
								     const struct rq_row *queue)
{
	return (struct origin){.generation = queue->generation,
			       .queue = (uint32_t)(queue - soft_peer_rq(peer, 0)),
			       .position = queue->head};
}

/* The same in this process, which has both locks. True: the first completion that found no room. */
bool soft_cqe_push_own(struct core_cq *cq, const struct cqe *completion, struct rq_row *queue);
/*
 * Drops the queue pair's sends, and what it took from a shared queue; those of its own queue are dropped by their
 * generation.
 */
void soft_cq_purge(struct core_cq *cq, struct core_qp *qp);
/* Waits for polls that began before. */
void soft_cq_pass(struct core_cq *cq);
/* Takes the lock of our own row. False: its holder is alive but stopped. */
bool soft_cq_row_lock(struct core_cq *cq);
/* Releases the struct cq_row of this process if a dead producer held it, and finishes what that was doing. */
void soft_cq_repair(void *row, uint32_t instance);

/* Wakes a program that sleeps on the channel of the queue. */
void soft_channel_notify(struct soft_peer *peer, struct cq_row *row, bool is_solicited);
bool soft_channel_write(int fd); /* one event */
void soft_channel_rouse(struct core_cq *cq);
void soft_channel_rouse_pending(struct core_cq *cq); /* if there is something to poll */
