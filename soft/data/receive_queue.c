// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Receive queues: requests wait for a message in a ring of the control file, where initiators consume them. Each entry
 * has its index as a stamp, written last: the entry itself shows an initiator that it is posted, and no counter is
 * transferred between CPUs. The queue is separate from the queue pair, so that several can share one.
 *
 * Initiators lock the queue's row. A dead one's update is finished, and its lock released. A stopped one keeps the row
 * and the ring: what the program does with the queue meanwhile either waits for it (flushes) or does without them.
 */
#include "data/data.h"

#include "data/cqe.h"
#include "host/async.h"
#include "host/peer.h"
#include "host/service.h"

/* In place of the queue that has left a row to a stopped process: no completion has its generation. */
static struct receive_queue nobody = {.generation = UINT32_MAX};

/* A new one: completions with an earlier one are not returned to the program. */
static uint32_t generation_next(void)
{
	static uint32_t last;

	return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

static uint64_t ring_size(const struct receive_queue *queue)
{
	return (queue->mask + 1ull) << queue->shift;
}

static void ring_give(const struct receive_queue *queue)
{
	soft_ring_give((uint64_t)(queue->ring - soft_self.control), ring_size(queue));
}

/* The row by which initiators find it, and the ring. soft_self.lock is held. */
static int row_open(struct receive_queue *queue)
{
	uint64_t offset;
	int err = soft_ring_take(ring_size(queue), &offset);

	if (err)
		return err;
	/* Rows left to stopped processes are never reused. */
	err = soft_index_find(soft_self.rqs, 0, LAYOUT_RQ_COUNT, &soft_self.rq_next, &queue->index);
	if (err) {
		soft_ring_give(offset, ring_size(queue));
		return err;
	}
	soft_self.rqs[queue->index] = queue;
	queue->row = &soft_self.rq_rows[queue->index];
	queue->ring = soft_self.control + offset;
	queue->generation = generation_next();
	*queue->row = (struct rq_row){.mask = queue->mask,
				      .shift = queue->shift,
				      .generation = queue->generation,
				      .pd = queue->pd,
				      .is_shared = queue->is_shared,
				      .ring = offset};
	return 0;
}

int soft_receive_open(struct receive_queue *queue, uint32_t depth, uint32_t max_sge, uint32_t pd, bool is_shared)
{
	uint32_t entries = 1u << core_shift(depth ? depth : 1);

	*queue = (struct receive_queue){.mask = entries - 1,
					.shift = core_shift(sizeof(struct receive) + max_sge * sizeof(struct ibv_sge)),
					.depth = depth,
					.max_sge = max_sge,
					.pd = pd,
					.is_shared = is_shared};
	return row_open(queue);
}

void soft_receive_close(struct receive_queue *queue)
{
	const bool is_locked = __atomic_load_n(&queue->holder.instance, __ATOMIC_RELAXED);

	soft_self.rqs[queue->index] = is_locked ? &nobody : NULL;
	if (!is_locked)
		ring_give(queue);
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

void soft_receive_repair(struct receive_queue *queue, uint32_t instance, int64_t until)
{
	unsigned int spins = 0;

	/* A dead process may have written a false holder: then the queue stays locked. */
	while (!repair_try(queue, instance) && soft_monotonic_ms() < until)
		lock_pause(&spins);
}

static void repair(void *object, uint32_t holder)
{
	soft_receive_repair(object, holder, soft_monotonic_ms() + LOCK_TIMEOUT_MS);
}

/* Locks the row. False: its holder is stopped. */
static bool row_lock(struct receive_queue *queue)
{
	return soft_owner_lock_take(&queue->row->lock, repair, queue, &queue->row->head, &queue->holder);
}

void soft_receive_settle(struct receive_queue *queue)
{
	if (row_lock(queue))
		shared_lock_release(&queue->row->lock);
}

/* Both locks of the queue, and that of the completion queue, are held. */
static void requests_flush(struct core_qp *qp)
{
	struct receive_queue *queue = qp->rq;
	struct rq_row *row = queue->row;
	struct cqe cqe = {.status = IBV_WC_WR_FLUSH_ERR, .opcode = IBV_WC_RECV, .qpn = core_qp_number(qp)};
	const uint32_t first = row->head;
	bool overruns = false;

	soft_fence_all_threads();
	for (uint32_t i = 0; i <= queue->mask; i++) {
		const struct receive *entry = soft_receive_entry(queue, row->head);

		if (__atomic_load_n(&entry->stamp, __ATOMIC_ACQUIRE) != row->head + 1)
			break;
		cqe.wr_id = entry->wr_id;
		overruns |= soft_cqe_push_own(qp->receive_cq, &cqe, row);
	}
	if (overruns)
		soft_async_raise_cq(qp->receive_cq, IBV_EVENT_CQ_ERR);
	if (row->head != first && qp->receive_cq->soft.base.channel)
		soft_channel_notify(&soft_self_peer, qp->receive_cq->row, true /* errors wake every sleeper */);
}

/* Without waiting: it is tried at each poll. The service thread releases a dead process's lock. */
bool soft_receive_flush_locked(struct core_qp *qp)
{
	bool is_free = shared_lock_try(&qp->rq->row->lock, soft_self.instance);

	if (!is_free)
		return false;
	is_free = shared_lock_try(&qp->receive_cq->row->lock, soft_self.instance);
	if (is_free) {
		requests_flush(qp);
		shared_lock_release(&qp->receive_cq->row->lock);
	}
	shared_lock_release(&qp->rq->row->lock);
	return is_free;
}

bool soft_receive_flush(struct core_qp *qp)
{
	bool biased, is_done;

	if (!qp->rq || qp->rq->is_shared)
		return true; /* posted requests remain for other queue pairs */
	if (!soft_service_lock(&qp->rq->lock, &biased))
		return false;
	is_done = soft_receive_flush_locked(qp);
	local_lock_release(&qp->rq->lock, biased);
	return is_done;
}

/* Both locks of the queue are held. */
static void clear_locked(struct receive_queue *queue)
{
	for (uint32_t i = 0; i <= queue->mask; i++)
		soft_receive_entry(queue, i)->stamp = 0;
	queue->posted = queue->done = queue->lost = 0;
	queue->row->lost = 0;
	queue->row->losing = 0;
	queue->generation = generation_next();
	queue->row->generation = queue->generation;
	queue->row->head = 0;
}

/* The process that has the row keeps it. Without memory for another one the queue stays as it is. */
static void row_replace(struct receive_queue *queue)
{
	const uint32_t left = queue->index;

	pthread_mutex_lock(&soft_self.lock);
	if (!row_open(queue)) {
		soft_self.rqs[left] = &nobody;
		queue->posted = queue->done = queue->lost = 0;
		queue->holder.instance = 0;
	}
	pthread_mutex_unlock(&soft_self.lock);
}

void soft_receive_clear(struct receive_queue *queue)
{
	bool biased = local_lock_take(&queue->lock);

	if (row_lock(queue)) {
		clear_locked(queue);
		shared_lock_release(&queue->row->lock);
	} else {
		row_replace(queue);
	}
	local_lock_release(&queue->lock, biased);
}

/* Posted and not consumed. */
static uint32_t posted_count(const struct receive_queue *queue)
{
	uint32_t count = queue->posted - __atomic_load_n(&queue->row->head, __ATOMIC_ACQUIRE);

	return count <= queue->mask + 1 ? count : 0;
}

int soft_receive_limit(struct receive_queue *queue, uint32_t limit, bool *is_reached)
{
	bool biased = local_lock_take(&queue->lock);
	/* Initiators check the limit with the row locked. */
	int err = limit > queue->depth ? -EINVAL : row_lock(queue) ? 0 : -EBUSY;

	if (!err) {
		*is_reached = posted_count(queue) < limit;
		queue->row->posted = queue->posted;
		__atomic_store_n(&queue->row->limit, *is_reached ? 0 : limit, __ATOMIC_RELEASE);
		shared_lock_release(&queue->row->lock);
	}
	local_lock_release(&queue->lock, biased);
	return err;
}

/* soft_self.lock is not held. Both locks of the queue are. */
static int ring_exchange(struct receive_queue *queue, uint32_t depth)
{
	struct receive_queue before = *queue;
	uint64_t offset;
	int err;

	if (queue->posted - queue->done - queue->lost > depth)
		return -EINVAL;
	queue->mask = (1u << core_shift(depth)) - 1;
	err = soft_ring_take(ring_size(queue), &offset);
	if (err) {
		queue->mask = before.mask;
		return err;
	}
	queue->ring = soft_self.control + offset;
	for (uint32_t i = queue->row->head; i != queue->posted && i - queue->row->head <= queue->mask; i++)
		memcpy(soft_receive_entry(queue, i), soft_receive_entry(&before, i), 1ull << queue->shift);
	queue->depth = depth;
	queue->row->ring = offset;
	queue->row->mask = queue->mask;
	soft_ring_give((uint64_t)(before.ring - soft_self.control), ring_size(&before));
	return 0;
}

int soft_receive_resize(struct receive_queue *queue, uint32_t depth)
{
	bool biased = local_lock_take(&queue->lock);
	int err = row_lock(queue) ? 0 : -EBUSY;

	if (!err) {
		err = ring_exchange(queue, depth);
		shared_lock_release(&queue->row->lock);
	}
	local_lock_release(&queue->lock, biased);
	return err;
}
