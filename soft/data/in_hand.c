// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Receive requests held by a process that was stopped in the middle of a message. It holds the lock of a receive queue,
 * which other processes wait for. The queue's owner leaves the row and ring to it (receive_cut.c) and continues with
 * new ones; the one request that the holder may have consumed stays with it. When the holder continues, it finishes its
 * message on its old row, and the completion counts for the queue. If it dies, or releases the lock without having
 * consumed the request, that request is posted again, after the others.
 *
 * Called when queue pairs are flushed or destroyed, by threads that poll, and by the service thread, which checks these
 * rows every few milliseconds while there are any.
 */
#include "data/in_hand.h"

#include <stdlib.h>

#include "host/peer.h"
#include "host/service.h"

static struct in_hand *first, **last = &first; /* appended to under soft_self.lock; read without */
static uint32_t open_count;		       /* entries that are not over */

struct in_hand *soft_in_hand_next(const struct in_hand *hand)
{
	return __atomic_load_n(hand ? &hand->next : &first, __ATOMIC_ACQUIRE);
}

void soft_in_hand_add(struct in_hand *hand, struct receive_queue *of)
{
	hand->of = of;
	__atomic_store_n(last, hand, __ATOMIC_RELEASE);
	last = &hand->next;
	soft_self.rqs[hand->left.index] = &hand->left;
	__atomic_add_fetch(&open_count, 1, __ATOMIC_SEQ_CST);
	soft_service_tick();
}

struct receive_queue *soft_in_hand_owner(struct receive_queue *queue)
{
	return queue && queue->is_left ? soft_in_hand_of(container_of_type(queue, struct in_hand, left)) : queue;
}

struct receive_queue *soft_in_hand_show(const struct receive_queue *left, const struct cqe *cqe)
{
	struct in_hand *hand = container_of_type(left, struct in_hand, left);

	if (!__atomic_load_n(&hand->is_posted, __ATOMIC_ACQUIRE) ||
	    __atomic_load_n(&hand->is_revoked, __ATOMIC_ACQUIRE) || cqe->generation != hand->generation ||
	    cqe->position != hand->position || __atomic_exchange_n(&hand->is_shown, 1, __ATOMIC_ACQ_REL))
		return NULL;
	return soft_in_hand_of(hand);
}

void soft_in_hand_forget(const struct receive_queue *queue)
{
	for (struct in_hand *hand = soft_in_hand_next(NULL); hand; hand = soft_in_hand_next(hand)) {
		if (soft_in_hand_of(hand) == queue)
			__atomic_store_n(&hand->of, NULL, __ATOMIC_RELAXED);
	}
}

/* A connected queue pair has one peer; a peer that holds something else of the shared queue keeps it. */
void soft_in_hand_revoke(const struct core_qp *qp)
{
	if (!qp->rq || !qp->rq->is_shared || !soft_in_hand_is_open())
		return;
	pthread_mutex_lock(&soft_self.lock);
	for (struct in_hand *hand = soft_in_hand_next(NULL); hand; hand = soft_in_hand_next(hand)) {
		if (soft_in_hand_of(hand) == qp->rq && !hand->is_over &&
		    (qp->type & QP_NAMED || hand->holder == qp->peer->instance) &&
		    __atomic_load_n(&hand->left.row->head, __ATOMIC_ACQUIRE) == hand->position)
			__atomic_store_n(&hand->is_revoked, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&soft_self.lock);
}

bool soft_in_hand_is_open(void)
{
	return __atomic_load_n(&open_count, __ATOMIC_SEQ_CST);
}

void soft_in_hand_end(struct in_hand *hand)
{
	hand->is_over = true;
	__atomic_sub_fetch(&open_count, 1, __ATOMIC_SEQ_CST);
}

void soft_in_hand_free(void)
{
	struct in_hand *hand;

	while ((hand = first)) {
		first = hand->next;
		free(hand);
	}
	soft_in_hand_reset();
}

void soft_in_hand_reset(void)
{
	first = NULL;
	last = &first;
	open_count = 0;
}
