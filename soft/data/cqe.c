// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Stores completions of the receive side in their completion queue, and handles what dead or stopped processes, or
 * destroyed queue pairs, left there. The ring is in the control file; initiators store to it under the lock of its row.
 *
 * Wakes a program that sleeps on a completion channel. The thread that stores a completion, here or in another process,
 * checks whether the CQ is armed and writes to the eventfd of its channel. A full fence orders the store of the
 * completion before the check of `armed`, and another orders arming before the program's next poll: without them both
 * sides can miss each other, and the program sleeps forever. Only CQs with a channel pay for this.
 */
#include "data/cqe.h"

#include "host/async.h"
#include "host/peer.h"
#include "host/service.h"
#include "host/wire.h"

bool soft_channel_write(int fd)
{
	const uint64_t one = 1;

	return fd >= 0 && write(fd, &one, sizeof(one)) == sizeof(one);
}

/* -1: there is no channel. Does not trust our own row, because others can write to it, too. */
static int channel_fd(struct soft_peer *peer, const struct cq_row *row)
{
	const struct core_cq *cq;

	if (peer != &soft_self_peer)
		return soft_peer_channel(peer, row->channel);
	cq = soft_self.cqs[row - soft_self.cq_rows];
	return cq && cq->soft.base.channel ? cq->soft.base.channel->fd : -1;
}

void soft_channel_notify(struct soft_peer *peer, struct cq_row *row, bool is_solicited)
{
	uint32_t armed;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	armed = __atomic_load_n(&row->armed, __ATOMIC_RELAXED);
	do {
		if (armed == CQ_ARMED_NOT || (armed == CQ_ARMED_SOLICITED && !is_solicited))
			return;
	} while (!__atomic_compare_exchange_n(&row->armed, &armed, CQ_ARMED_NOT, false, __ATOMIC_SEQ_CST,
					      __ATOMIC_RELAXED));
	__atomic_add_fetch(&row->events, 1, __ATOMIC_RELEASE);
	if (!soft_channel_write(channel_fd(peer, row)) && peer != &soft_self_peer)
		soft_notice_send(peer, NOTICE_EVENT, (uint32_t)(row - soft_peer_cq(peer, 0)), 0);
}

/*
 * An initiator was killed, perhaps between disarming the queue and writing the event. A spurious event does no harm:
 * the program polls and finds nothing.
 */
void soft_channel_rouse(struct core_cq *cq)
{
	struct cq_row *row = cq->row;

	if (!cq->soft.base.channel || __atomic_load_n(&row->armed, __ATOMIC_ACQUIRE) != CQ_ARMED_NOT)
		return;
	__atomic_add_fetch(&row->events, 1, __ATOMIC_RELEASE);
	soft_channel_write(cq->soft.base.channel->fd);
}

/* The same, if there is something to poll. The queue is not destroyed concurrently. */
void soft_channel_rouse_pending(struct core_cq *cq)
{
	uint32_t head = __atomic_load_n(&cq->head, __ATOMIC_RELAXED);

	if (!cq->soft.base.channel || __atomic_load_n(&cq->ring[head & cq->mask].stamp, __ATOMIC_ACQUIRE) != head + 1)
		return;
	soft_channel_notify(&soft_self_peer, cq->row, true /* however it is armed */);
	soft_channel_rouse(cq);
}

static void cq_report_overrun(struct core_cq *cq)
{
	if (!__atomic_exchange_n(&cq->row->overrun, 1, __ATOMIC_RELAXED))
		soft_async_raise_cq(cq, IBV_EVENT_CQ_ERR);
}

/* Our own queue may be found full with soft_self.lock held; the thread that pushes keeps it from being destroyed. */
static void overrun_report(struct soft_peer *peer, uint32_t cq_index)
{
	struct core_cq *ours = peer == &soft_self_peer ? soft_self.cqs[cq_index % LAYOUT_CQ_COUNT] : NULL;

	if (ours)
		soft_async_raise_cq(ours, IBV_EVENT_CQ_ERR);
	else
		soft_notice_send(peer, NOTICE_CQ_OVERRUN, cq_index, 0);
}

/*
 * A send completes, and its completion queue is full. The program will not poll the completion that would free the
 * request's slot: the previous completion of the same queue pair frees it or, if all of them were polled, this function
 * does.
 */
static void sent_lose(struct core_cq *cq, uint32_t *done, uint32_t position)
{
	for (uint32_t i = cq->sent_tail; i != cq->sent_head; i--) {
		struct sent *sent = &cq->sent[(i - 1) & cq->sent_mask];

		if (sent->done == done && sent->status != STATUS_VOID) {
			sent->position = position;
			return;
		}
	}
	__atomic_store_n(done, position, __ATOMIC_RELEASE);
}

void soft_cq_overrun_sent(struct core_cq *cq, uint32_t *done, uint32_t position)
{
	bool biased = local_lock_take(&cq->lock);

	sent_lose(cq, done, position);
	local_lock_release(&cq->lock, biased);
	cq_report_overrun(cq);
}

/* Counts a lost completion. Both locks are held. True: the first one lost by this queue. */
static SOFT_COLD bool completion_lose(struct cq_row *row, struct rq_row *queue)
{
	bool is_first = !row->overrun;

	row->overrun = 1;
	__atomic_store_n(&queue->lost, queue->lost + 1, __ATOMIC_RELEASE);
	return is_first;
}

/* A process that dies between the two has recorded what it was doing: see soft_receive_repair(). */
static SOFT_COLD bool message_lose(struct cq_row *row, struct rq_row *queue)
{
	__atomic_store_n(&queue->losing, RQ_LOSING(queue->head + 1, queue->lost + 1), __ATOMIC_RELEASE);
	request_leave(queue);
	return completion_lose(row, queue);
}

bool soft_cqe_push(struct soft_peer *peer, uint32_t cq_index, const struct cqe *completion, struct rq_row *queue,
		   bool is_solicited)
{
	const struct origin origin = origin_of(peer, queue);
	struct cq_row *row = soft_peer_cq(peer, cq_index);
	bool is_stored, overruns = false;

	queue->cq = cq_index;
	if (unlikely(!shared_lock_take(&row->lock, soft_self.instance, &peer->dead)))
		return false;
	is_stored = cqe_store(peer, row, completion, &origin);
	if (likely(is_stored))
		request_leave(queue);
	else
		overruns = message_lose(row, queue);
	shared_lock_release(&row->lock);
	if (unlikely(overruns))
		overrun_report(peer, cq_index);
	else if (row->channel)
		soft_channel_notify(peer, row, is_solicited);
	return true;
}

bool soft_cq_row_lock(struct core_cq *cq)
{
	return soft_owner_lock_take(&cq->row->lock, soft_cq_repair, cq->row, &cq->row->tail, &cq->holder);
}

bool soft_cqe_push_own(struct core_cq *cq, const struct cqe *completion, struct rq_row *queue)
{
	const struct origin origin = origin_of(&soft_self_peer, queue);

	request_leave(queue);
	return !cqe_store(&soft_self_peer, cq->row, completion, &origin) && completion_lose(cq->row, queue);
}

static bool is_of_queue(const struct cqe *cqe, const struct receive_queue *queue)
{
	return soft_self.rqs[cqe->queue % LAYOUT_RQ_COUNT] == queue && cqe->generation == queue->generation;
}

/* Completions that the queue pair took from a shared queue, and that will not be polled, count as polled. */
static void shared_purge(struct core_cq *cq, const struct core_qp *qp)
{
	uint32_t qpn = core_qp_number(qp);

	for (uint32_t i = 0; i <= cq->mask; i++) {
		struct cqe *cqe = &cq->ring[(cq->head + i) & cq->mask];

		if (__atomic_load_n(&cqe->stamp, __ATOMIC_ACQUIRE) != cq->head + i + 1)
			break;
		if (cqe->qpn != qpn || !is_of_queue(cqe, qp->rq))
			continue;
		cqe->generation = 0;
		__atomic_add_fetch(&qp->rq->done, 1, __ATOMIC_RELEASE);
	}
}

/* Also makes the thread that destroys the queue pair wait while a poll looks at it. */
void soft_cq_purge(struct core_cq *cq, struct core_qp *qp)
{
	uint32_t qpn = core_qp_number(qp);
	bool biased = local_lock_take(&cq->lock);

	for (uint32_t i = cq->sent_head; i != cq->sent_tail; i++) {
		struct sent *sent = &cq->sent[i & cq->sent_mask];

		if (sent->qpn == qpn)
			sent->status = STATUS_VOID;
	}
	if (qp->rq && qp->rq->is_shared && cq == qp->receive_cq)
		shared_purge(cq, qp);
	local_lock_release(&cq->lock, biased);
}

void soft_cq_pass(struct core_cq *cq)
{
	local_lock_release(&cq->lock, local_lock_take(&cq->lock));
}

static const struct cqe *entry_of(const struct cq_row *row, uint32_t index)
{
	return soft_peer_line_at(&soft_self_peer, row->ring + (uint64_t)(index & row->mask) * sizeof(struct cqe));
}

/* The last entry stored by the process that holds the row, even if it has not moved the tail yet. */
static const struct cqe *entry_stored_last(const struct cq_row *row)
{
	const uint32_t tail = __atomic_load_n(&row->tail, __ATOMIC_ACQUIRE);
	const struct cqe *next = entry_of(row, tail), *last = entry_of(row, tail - 1);

	if (__atomic_load_n(&next->stamp, __ATOMIC_ACQUIRE) == tail + 1)
		return next;
	return __atomic_load_n(&last->stamp, __ATOMIC_ACQUIRE) == tail ? last : NULL;
}

static bool is_of_request(const struct cqe *cqe, const struct rq_row *queue, uint32_t position)
{
	return cqe && soft_peer_rq(&soft_self_peer, cqe->queue) == queue && cqe->generation == queue->generation &&
	       cqe->position == position;
}

/*
 * An initiator stores the completion, then moves the tail, then removes the request from its queue, all under the lock
 * that it died with: this does the remaining steps. Otherwise a request would complete twice, or a message be lost.
 * (The dead process still holds the lock of the request's queue: soft_receive_repair() calls this first.)
 */
void soft_cq_repair(void *object, uint32_t instance)
{
	struct cq_row *row = object;
	const struct cqe *last;
	struct rq_row *queue;
	uint32_t dead = instance;

	/* We hold it until it is repaired, so that only one of our threads does that. */
	if (!__atomic_compare_exchange_n(&row->lock, &dead, soft_self.instance, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return;
	last = entry_stored_last(row);
	if (last && last->stamp == row->tail + 1)
		row->tail++;
	queue = last ? soft_peer_rq(&soft_self_peer, last->queue) : NULL;
	if (queue && __atomic_load_n(&queue->lock, __ATOMIC_RELAXED) == instance &&
	    is_of_request(last, queue, queue->head))
		request_leave(queue);
	shared_lock_release(&row->lock);
}
