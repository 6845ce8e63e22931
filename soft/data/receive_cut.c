// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Recovers a receive queue whose row is locked by a dead or stopped process. For a dead one, its update is finished and
 * the lock released. A stopped one keeps the row, its ring, and the request that it may have consumed: the queue
 * continues with another row. When the process continues, it finishes its message on its old row, and the completion
 * counts for the queue; if it is killed instead, that request is lost until the queue is reset or destroyed.
 */
#include "config.h"

#include "data/receive_cut.h"

#include <errno.h>
#include <string.h>

#include "data/cqe.h"
#include "data/receive_row.h"
#include "host/clock.h"
#include "host/liveness.h"
#include "host/peer.h"

#define LEAVE_SPINS (8 * LOCK_SPINS) /* a lock that is only tried is released by then */

/* In place of the queue that has left a row to a stopped process: no completion has its generation. */
static struct receive_queue nobody = {.generation = UINT32_MAX};

static void repair(void *object, uint32_t holder)
{
	soft_receive_repair(object, holder, soft_monotonic_ms() + LOCK_STORE_MS);
}

bool soft_receive_lock(struct receive_queue *queue)
{
	return soft_owner_lock_take(&queue->row->lock, repair, queue, LOCK_COPY_MS);
}

/* Sets the index by which initiators find the queue. soft_self.lock is held. */
static void index_show(const struct receive_queue *queue, uint32_t index)
{
	if (queue->shown_index)
		__atomic_store_n(queue->shown_index, index, __ATOMIC_RELEASE);
	for (uint32_t i = 0; i < LAYOUT_QP_COUNT; i++) {
		struct core_qp *qp = soft_self.qps[i];

		if (qp && qp->rq == queue)
			__atomic_store_n(&qp->row->receive_queue, index, __ATOMIC_RELEASE);
	}
}

/* Those of the row that the queue has left are its own, whatever the row delivers later. soft_self.lock is held. */
static void completions_carry_over(const struct receive_queue *queue, uint32_t left, uint32_t head)
{
	for (uint32_t i = 1; i < LAYOUT_CQ_COUNT; i++) {
		if (soft_self.cqs[i])
			soft_cq_carry_over(soft_self.cqs[i], queue, left, head);
	}
}

/*
 * The row was replaced: who locks it from now on sees that, and releases it at once. False: a process keeps it, and
 * *head is its current request; the lock was held between two looks that found it.
 */
static bool row_is_left(struct rq_row *row, uint32_t *head)
{
	unsigned int spins = 0;
	uint32_t before;

	do {
		before = __atomic_load_n(&row->head, __ATOMIC_ACQUIRE);
		if (shared_lock_try(&row->lock, soft_self.instance)) {
			*head = __atomic_load_n(&row->head, __ATOMIC_ACQUIRE);
			shared_lock_release(&row->lock);
			return true;
		}
		*head = __atomic_load_n(&row->head, __ATOMIC_ACQUIRE);
		lock_pause(&spins);
	} while (spins < LEAVE_SPINS || (*head != before && spins < 2 * LEAVE_SPINS));
	return false;
}

/*
 * The row and the ring stay with the process that holds the lock, because it may continue at any time: it then finishes
 * its current message. The requests posted after that one move to the new row. Both rows belong to the queue, and have
 * one generation. Without memory for another ring the queue stays as it is, and its requests are not flushed. The
 * queue's lock and soft_self.lock are held.
 *
 * keeps_all: the holder's request, too: what it still delivers is not returned to the program.
 */
static void cut_locked(struct receive_queue *queue, bool keeps_all)
{
	const struct receive_queue before = *queue;
	struct receive_queue now = before;
	uint32_t head;

	if (soft_receive_row_open(&now))
		return;
	now.row->lock = soft_self.instance;
	now.row->limit = before.row->limit;
	now.row->posted = before.posted;
	now.row->generation = before.generation;
	memcpy(now.ring, before.ring, soft_receive_ring_size(&before));
	soft_self.rqs[now.index] = queue;
	index_show(queue, now.index);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	/* The holder has completed this request, or may do so. */
	if (!row_is_left(before.row, &head) && (soft_cqe_is_stored(before.row, head) ||
						(!keeps_all && soft_receive_entry(&before, head)->stamp == head + 1)))
		head++;
	now.row->head = head;
	now.row->lost = __atomic_load_n(&before.row->lost, __ATOMIC_ACQUIRE);
	before.row->limit = 0;
	queue->row = now.row;
	queue->ring = now.ring;
	queue->index = now.index;
	queue->has_left = true;
	completions_carry_over(queue, before.index, head);
	if (keeps_all)
		soft_self.rqs[before.index] = &nobody;
	shared_lock_release(&now.row->lock);
}

static void cut(struct receive_queue *queue, bool keeps_all)
{
	pthread_mutex_lock(&soft_self.lock);
	cut_locked(queue, keeps_all);
	pthread_mutex_unlock(&soft_self.lock);
}

void soft_receive_settle(struct receive_queue *queue)
{
	bool biased = local_lock_take(&queue->lock);

	if (soft_receive_lock(queue))
		shared_lock_release(&queue->row->lock);
	else
		cut(queue, !queue->is_shared);
	local_lock_release(&queue->lock, biased);
}

/* Of a process that has continued since, the message has arrived. */
void soft_receive_forget_held(const struct core_qp *qp)
{
	const struct receive_queue *queue = qp->rq;
	const uint32_t peer = queue->is_shared && !(qp->type & QP_NAMED) ? qp->peer->instance : 0;

	if (!queue->has_left)
		return;
	pthread_mutex_lock(&soft_self.lock);
	for (uint32_t i = 0; i < LAYOUT_RQ_COUNT; i++) {
		const uint32_t holder = __atomic_load_n(&soft_self.rq_rows[i].lock, __ATOMIC_ACQUIRE);

		if (soft_self.rqs[i] == queue && i != queue->index && holder && (!peer || holder == peer))
			soft_self.rqs[i] = &nobody;
	}
	pthread_mutex_unlock(&soft_self.lock);
}

void soft_receive_forget_left(const struct receive_queue *queue)
{
	for (uint32_t i = 0; queue->has_left && i < LAYOUT_RQ_COUNT; i++) {
		if (soft_self.rqs[i] == queue && i != queue->index)
			soft_self.rqs[i] = &nobody;
	}
}

int soft_receive_lock_or_cut(struct receive_queue *queue)
{
	if (soft_receive_lock(queue))
		return 0;
	cut(queue, false /* keeps all */);
	return soft_receive_lock(queue) ? 0 : -ENOMEM;
}

/* The request was consumed, and its completion found no room: one of the two sides counts it, once. */
static void lost_repair(struct rq_row *row)
{
	const uint64_t losing = row->losing;
	const uint32_t after = (uint32_t)losing;

	if (row->head == (uint32_t)(losing >> 32) && row->lost == after - 1)
		__atomic_store_n(&row->lost, after, __ATOMIC_RELEASE);
	/* Otherwise the next process to consume that request would appear to have lost it. */
	row->losing = 0;
}

/*
 * An initiator stores the completion and removes the request from the queue with the completion queue locked; it died
 * with both locks or only this one: soft_cq_repair() finishes its update, and then the queue is free. (A destroyed
 * completion queue stays locked; the thread that destroys one releases its lock while we hold soft_self.lock.)
 */
static bool repair_try(struct receive_queue *queue, uint32_t instance)
{
	struct rq_row *row = queue->row;
	uint32_t dead = instance;
	struct cq_row *cq_row;

	if (__atomic_load_n(&row->lock, __ATOMIC_ACQUIRE) != instance)
		return true;
	cq_row = soft_peer_cq(&soft_self_peer, row->cq); /* written only by the dead process */
	soft_cq_repair(cq_row, instance);
	/* Another of our threads may be repairing it. */
	if (__atomic_load_n(&cq_row->lock, __ATOMIC_ACQUIRE) == soft_self.instance &&
	    soft_self.cqs[cq_row - soft_self.cq_rows])
		return false;
	/* We hold it until it is repaired, so that only one of our threads does that. */
	if (!__atomic_compare_exchange_n(&row->lock, &dead, soft_self.instance, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return true;
	lost_repair(row);
	shared_lock_release(&row->lock);
	return true;
}

/* 0: the row is free, or belongs to no queue any more. soft_self.lock is held. */
static uint32_t row_holder(uint32_t index)
{
	const struct receive_queue *queue = soft_self.rqs[index % LAYOUT_RQ_COUNT];

	return queue && queue->row ? __atomic_load_n(&queue->row->lock, __ATOMIC_ACQUIRE) : 0;
}

/* Releases the dead process's lock; it keeps no request. Does not wait: the initiator will send another notice. */
static bool row_of_dead_repair(uint32_t index, uint32_t holder)
{
	/* A thread of ours that posts to our own queue is alive, and is not a connected initiator. */
	if (holder == soft_self.instance || !soft_liveness_initiator_is_gone(holder))
		return false;
	pthread_mutex_lock(&soft_self.lock);
	if (row_holder(index) == holder)
		repair_try(soft_self.rqs[index % LAYOUT_RQ_COUNT], holder);
	pthread_mutex_unlock(&soft_self.lock);
	return true;
}

/* If one of our posting threads holds the queue's lock, the notifying thread will send another notice. */
void soft_receive_unblock(uint32_t index)
{
	struct receive_queue *queue;
	uint32_t holder;

	pthread_mutex_lock(&soft_self.lock);
	holder = row_holder(index);
	pthread_mutex_unlock(&soft_self.lock);
	/*
	 * Checks the holder without the lock, which creating and destroying objects need. A dead process does not
	 * answer either.
	 */
	if (!holder || row_of_dead_repair(index, holder) || !soft_holder_is_stopped(holder))
		return;
	soft_locks_contend();
	pthread_mutex_lock(&soft_self.lock);
	queue = soft_self.rqs[index % LAYOUT_RQ_COUNT];
	if (row_holder(index) == holder) {
		if (soft_local_lock_try(&queue->lock)) {
			cut_locked(queue, false /* keeps all */);
			local_lock_release(&queue->lock, false);
		}
	}
	pthread_mutex_unlock(&soft_self.lock);
}

void soft_receive_repair(struct receive_queue *queue, uint32_t instance, int64_t until)
{
	unsigned int spins = 0;

	/* A dead process may have written a false holder: then the queue stays locked, and is cut off. */
	while (!repair_try(queue, instance) && soft_monotonic_ms() < until)
		lock_pause(&spins);
}
