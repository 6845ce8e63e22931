// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Receive queues: requests wait for a message in a ring of the control file, where initiators consume them. Each entry
 * has its index as a stamp, written last: the entry itself shows an initiator that it is posted, and no counter is
 * transferred between CPUs. The queue is separate from the queue pair, so that several can share one, and so that its
 * row can be left to a process that stopped with its lock.
 */
#include "data/receive_queue.h"

#include <errno.h>
#include <string.h>

#include "data/cqe.h"
#include "data/receive_cut.h"
#include "data/receive_row.h"
#include "host/core.h"
#include "host/ring_alloc.h"
#include "host/service.h"

int soft_receive_open(struct receive_queue *queue, uint32_t depth, uint32_t max_sge, uint32_t pd, bool is_shared)
{
	uint32_t entries = 1u << soft_receive_shift(depth ? depth : 1);

	*queue = (struct receive_queue){
		.mask = entries - 1,
		.shift = soft_receive_shift(sizeof(struct receive) + max_sge * sizeof(struct ibv_sge)),
		.depth = depth,
		.max_sge = max_sge,
		.pd = pd,
		.is_shared = is_shared};
	return soft_receive_row_open(queue);
}

void soft_receive_close(struct receive_queue *queue)
{
	soft_receive_forget_left(queue);
	soft_self.rqs[queue->index] = NULL;
	soft_receive_ring_give(queue);
}

/*
 * The queue looks full. Requests whose completions were lost, because the completion queue was full, are done without
 * being polled. False: there are none. (Not added to `done`, which the polling thread writes.)
 */
static SOFT_COLD bool lost_are_done(struct receive_queue *queue)
{
	uint32_t lost = __atomic_load_n(&queue->row->lost, __ATOMIC_ACQUIRE);
	uint32_t outstanding = queue->posted - __atomic_load_n(&queue->done, __ATOMIC_ACQUIRE);

	/* Initiators write this value: accept at most what was posted, and never less than before. */
	if (lost - queue->lost <= outstanding - queue->lost)
		queue->lost = lost;
	return outstanding - queue->lost < queue->depth;
}

static inline __attribute__((always_inline)) int receive_post_one(struct receive_queue *queue,
								  const struct ibv_recv_wr *wr, bool is_shared)
{
	struct receive *entry;

	if (unlikely(wr->num_sge < 0 || (uint32_t)wr->num_sge > queue->max_sge))
		return EINVAL;
	if (unlikely(queue->posted - __atomic_load_n(&queue->done, __ATOMIC_ACQUIRE) >= queue->depth) &&
	    !lost_are_done(queue))
		return ENOMEM;
	entry = soft_receive_entry(queue, queue->posted);
	entry->wr_id = wr->wr_id;
	entry->sge_count = (uint32_t)wr->num_sge;
	for (int i = 0; i < wr->num_sge; i++)
		entry->sge[i] = wr->sg_list[i];
	if (is_shared && unlikely(__atomic_load_n(&queue->row->limit, __ATOMIC_RELAXED)))
		__atomic_store_n(&queue->row->posted, queue->posted + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&entry->stamp, ++queue->posted, __ATOMIC_RELEASE);
	return 0;
}

/* The queue is locked. */
static inline __attribute__((always_inline)) int post_list(struct receive_queue *queue, struct ibv_recv_wr *wr,
							   struct ibv_recv_wr **bad_wr, bool is_shared)
{
	for (; wr; wr = wr->next) {
		int err = receive_post_one(queue, wr, is_shared);

		if (unlikely(err)) {
			*bad_wr = wr;
			return err;
		}
	}
	return 0;
}

int soft_post_recv(struct ibv_qp *public, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	struct core_qp *qp = core_qp_of(public);
	struct receive_queue *queue = &qp->own_rq;
	bool biased;
	int err;

	if (unlikely(qp->rq != queue)) { /* the queue pair uses a shared receive queue, or has none */
		*bad_wr = wr;
		return EINVAL;
	}
	biased = local_lock_take(&queue->lock);
	if (unlikely(core_qp_state(qp) == IBV_QPS_RESET)) {
		err = EINVAL;
		*bad_wr = wr;
	} else {
		err = post_list(queue, wr, bad_wr, false /* is_shared */);
	}
	/*
	 * The flushing thread executes a full fence in this thread (membarrier) after setting ERR: one of us sees the
	 * other.
	 */
	if (unlikely(!soft_has_membarrier))
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (unlikely(core_qp_state(qp) == IBV_QPS_ERR))
		soft_receive_flush_locked(qp);
	local_lock_release(&queue->lock, biased);
	return err;
}

int soft_post_srq_recv(struct ibv_srq *public, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	struct receive_queue *queue = &((struct core_srq *)public)->rq;
	bool biased = local_lock_take(&queue->lock);
	int err = post_list(queue, wr, bad_wr, true /* is_shared */);

	local_lock_release(&queue->lock, biased);
	return err;
}

/* Both locks of the queue are held. */
static void clear_locked(struct receive_queue *queue)
{
	for (uint32_t i = 0; i <= queue->mask; i++)
		soft_receive_entry(queue, i)->stamp = 0;
	queue->posted = queue->done = queue->lost = 0;
	queue->row->lost = 0;
	queue->row->losing = 0;
	queue->generation = soft_receive_generation();
	queue->row->generation = queue->generation;
	queue->row->head = 0;
}

void soft_receive_clear(struct receive_queue *queue)
{
	bool biased = local_lock_take(&queue->lock);

	if (!soft_receive_lock_or_cut(queue)) {
		clear_locked(queue);
		shared_lock_release(&queue->row->lock);
	}
	local_lock_release(&queue->lock, biased);
}

void soft_receive_flush_locked(struct core_qp *qp)
{
	struct receive_queue *queue = qp->rq;
	struct rq_row *row;
	struct cqe cqe = {.status = IBV_WC_WR_FLUSH_ERR, .opcode = IBV_WC_RECV, .qpn = core_qp_number(qp)};

	if (!queue || queue->is_shared)
		return; /* posted requests remain for other queue pairs */
	row = queue->row;
	if (!soft_receive_lock(queue))
		return; /* the thread that destroys the queue pair cuts it off and calls again */
	soft_fence_all_threads();
	for (uint32_t i = 0; i <= queue->mask; i++) {
		const struct receive *entry = soft_receive_entry(queue, row->head);

		if (__atomic_load_n(&entry->stamp, __ATOMIC_ACQUIRE) != row->head + 1)
			break;
		cqe.wr_id = entry->wr_id;
		soft_cqe_push_own(qp->receive_cq, &cqe, row);
	}
	shared_lock_release(&row->lock);
}

bool soft_receive_flush(struct core_qp *qp)
{
	bool biased;

	if (!qp->rq || qp->rq->is_shared)
		return true;
	if (!soft_service_lock(&qp->rq->lock, &biased))
		return false;
	soft_receive_flush_locked(qp);
	local_lock_release(&qp->rq->lock, biased);
	return true;
}

uint32_t soft_receive_count(const struct receive_queue *queue)
{
	uint32_t count = queue->posted - __atomic_load_n(&queue->row->head, __ATOMIC_ACQUIRE);

	return count <= queue->mask + 1 ? count : 0;
}

int soft_receive_limit(struct receive_queue *queue, uint32_t limit, bool *is_reached)
{
	bool biased = local_lock_take(&queue->lock);
	/* Initiators check the limit with the row locked. */
	int err = limit > queue->depth ? -EINVAL : soft_receive_lock_or_cut(queue);

	if (!err) {
		*is_reached = soft_receive_count(queue) < limit;
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
	queue->mask = (1u << soft_receive_shift(depth)) - 1;
	err = soft_ring_take(soft_receive_ring_size(queue), &offset);
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
	soft_ring_give((uint64_t)(before.ring - soft_self.control), soft_receive_ring_size(&before));
	return 0;
}

int soft_receive_resize(struct receive_queue *queue, uint32_t depth)
{
	bool biased = local_lock_take(&queue->lock);
	int err = soft_receive_lock_or_cut(queue);

	if (!err) {
		err = ring_exchange(queue, depth);
		shared_lock_release(&queue->row->lock);
	}
	local_lock_release(&queue->lock, biased);
	return err;
}
