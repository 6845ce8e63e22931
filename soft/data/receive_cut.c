// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Recovers a receive queue whose row is locked by a dead process, or by one that makes no progress. For a dead one, its
 * update is finished and the lock released. A living one keeps the row, because it may continue at any time, and the
 * request that it may have consumed (in_hand.c): the queue continues with another row.
 */
#include "config.h"

#include "data/receive_cut.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "data/cqe.h"
#include "data/in_hand.h"
#include "data/receive_row.h"
#include "host/clock.h"
#include "host/liveness.h"
#include "host/peer.h"

/* An initiator's message that is only slow, not stopped, completes on the old row, after some that were sent later. */
#define STANDSTILL_MS 100

/* There is room: the request was outstanding, and is not in the ring. */
static void request_repost(struct receive_queue *queue, const struct receive *request)
{
	struct receive *entry = soft_receive_entry(queue, queue->posted);

	entry->wr_id = request->wr_id;
	entry->sge_count = request->sge_count;
	for (uint32_t i = 0; i < queue->max_sge; i++)
		entry->sge[i] = request->sge[i];
	queue->returned++;
	__atomic_store_n(&queue->row->posted, queue->posted + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&entry->stamp, ++queue->posted, __ATOMIC_RELEASE);
}

static void repair(void *object, uint32_t holder)
{
	soft_receive_repair(object, holder, soft_monotonic_ms() + HOLDER_WAIT_MS);
}

bool soft_receive_lock(struct receive_queue *queue)
{
	return soft_owner_lock_take(&queue->row->lock, repair, queue);
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

/*
 * The row and the ring stay with the process that holds the lock, which finishes its current message there when it
 * continues. The requests posted after that one move to the new row; the queue keeps its generation, so that the
 * completions of both rows are its own. Other threads use the old row only until they see that it was replaced: its
 * head, read after the new row is published and before that is unlocked, is the holder's current request. Without
 * memory for another ring the queue stays as it is. The queue's lock and soft_self.lock are held.
 */
static void cut_locked(struct receive_queue *queue)
{
	struct in_hand *hand = calloc(1, sizeof(*hand));
	struct receive_queue now = *queue;

	if (!hand)
		return;
	if (soft_receive_row_open(&now)) {
		free(hand);
		return;
	}
	now.row->lock = soft_self.instance;
	now.row->limit = queue->row->limit;
	now.row->posted = queue->posted;
	now.row->lost = queue->row->lost;
	memcpy(now.ring, queue->ring, soft_receive_ring_size(queue));
	soft_self.rqs[now.index] = queue;
	index_show(queue, now.index);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	hand->holder = __atomic_load_n(&queue->row->lock, __ATOMIC_RELAXED);
	hand->position = __atomic_load_n(&queue->row->head, __ATOMIC_ACQUIRE);
	hand->position += soft_cqe_is_stored(queue->row, hand->position, hand->holder);
	hand->is_posted = soft_receive_entry(queue, hand->position)->stamp == hand->position + 1;
	hand->left = (struct receive_queue){.row = queue->row,
					    .index = queue->index,
					    .ring = queue->ring,
					    .mask = queue->mask,
					    .shift = queue->shift,
					    .is_left = true};
	now.row->head = hand->position + hand->is_posted;
	queue->row->limit = 0;
	queue->row = now.row;
	queue->ring = now.ring;
	queue->index = now.index;
	soft_in_hand_add(hand, queue);
	shared_lock_release(&now.row->lock);
}

static void cut(struct receive_queue *queue)
{
	pthread_mutex_lock(&soft_self.lock);
	cut_locked(queue);
	pthread_mutex_unlock(&soft_self.lock);
}

void soft_receive_settle(struct receive_queue *queue)
{
	bool biased = local_lock_take(&queue->lock);

	if (soft_receive_lock(queue))
		shared_lock_release(&queue->row->lock);
	else
		cut(queue);
	local_lock_release(&queue->lock, biased);
}

int soft_receive_lock_or_cut(struct receive_queue *queue)
{
	if (soft_receive_lock(queue))
		return 0;
	cut(queue);
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

/* Has the process that holds the row been at the same request for longer than it may wait for a CPU? */
static bool holder_stands_still(struct receive_queue *queue, uint32_t holder)
{
	const uint32_t head = __atomic_load_n(&queue->row->head, __ATOMIC_ACQUIRE);
	const int64_t now = soft_monotonic_ms();

	if (queue->blocked.holder != holder || queue->blocked.head != head) {
		queue->blocked.holder = holder;
		queue->blocked.head = head;
		queue->blocked.since_ms = now;
	}
	return now - queue->blocked.since_ms >= STANDSTILL_MS;
}

/* Does not wait: the initiator will send another notice. soft_self.lock is held. */
static void unblock_locked(struct receive_queue *queue)
{
	const uint32_t holder = __atomic_load_n(&queue->row->lock, __ATOMIC_ACQUIRE);

	/* A thread of ours is alive, and is not a connected initiator. */
	if (!holder || holder == soft_self.instance)
		return;
	if (soft_liveness_initiator_is_gone(holder)) {
		repair_try(queue, holder);
	} else if (holder_stands_still(queue, holder)) {
		soft_locks_contend();
		if (!soft_local_lock_try(&queue->lock))
			return;
		cut_locked(queue);
		local_lock_release(&queue->lock, false);
	}
}

void soft_receive_unblock(uint32_t index)
{
	struct receive_queue *queue;

	pthread_mutex_lock(&soft_self.lock);
	queue = soft_self.rqs[index % LAYOUT_RQ_COUNT];
	if (queue && !queue->is_left)
		unblock_locked(queue);
	pthread_mutex_unlock(&soft_self.lock);
}

void soft_receive_repair(struct receive_queue *queue, uint32_t instance, int64_t until)
{
	unsigned int spins = 0;

	/* A dead process may have written a false holder: then the queue stays locked, and is cut off. */
	while (!repair_try(queue, instance) && soft_monotonic_ms() < until)
		lock_pause(&spins);
}

/* No peer holds the row; `of` is locked. Posts the request again if it was not completed. */
static void request_return(const struct in_hand *hand, struct receive_queue *of)
{
	if (hand->is_posted && (hand->is_revoked || hand->left.row->head == hand->position))
		request_repost(of, soft_receive_entry(&hand->left, hand->position));
}

/* soft_self.lock is held: a queue may drop the request meanwhile, but is not destroyed. */
static void hand_settle(struct in_hand *hand)
{
	struct receive_queue *of = soft_in_hand_of(hand);
	uint32_t holder = __atomic_load_n(&hand->left.row->lock, __ATOMIC_ACQUIRE);

	if (holder && holder != soft_self.instance && soft_liveness_initiator_is_gone(holder)) {
		repair_try(&hand->left, holder);
		holder = __atomic_load_n(&hand->left.row->lock, __ATOMIC_ACQUIRE);
	}
	if (holder || (of && !soft_local_lock_try(&of->lock)))
		return; /* later */
	if (of) {
		if (soft_in_hand_of(hand))
			request_return(hand, of);
		local_lock_release(&of->lock, false);
	}
	soft_in_hand_end(hand);
	soft_receive_ring_give(&hand->left);
}

bool soft_receive_in_hand_settle(void)
{
	if (!soft_in_hand_is_open())
		return false;
	soft_locks_contend();
	pthread_mutex_lock(&soft_self.lock);
	for (struct in_hand *hand = soft_in_hand_next(NULL); hand; hand = soft_in_hand_next(hand)) {
		if (!hand->is_over)
			hand_settle(hand);
	}
	pthread_mutex_unlock(&soft_self.lock);
	return soft_in_hand_is_open();
}
