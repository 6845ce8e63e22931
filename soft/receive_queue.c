// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Where do receive requests wait for a message? In a ring of the control file that initiators take them
 * from. Each bears its index as a stamp, written last: an initiator learns from the entry itself that it is
 * posted, and no counter travels between the CPUs. The queue is apart from the queue pair, so that several
 * may share one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "peer.h"

static const uint32_t alive; /* this process itself, for shared_lock_take() */

static uint32_t shift_for(uint64_t value)
{
	uint32_t shift = 0;

	while (1ull << shift < value)
		shift++;
	return shift;
}

/* soft_self.lock held. */
int soft_receive_open(struct receive_queue *queue, struct rq_row *row, uint32_t depth, uint32_t max_sge)
{
	uint32_t shift = shift_for(sizeof(struct receive) + max_sge * sizeof(struct ibv_sge));
	uint32_t entries = 1u << shift_for(depth ? depth : 1);
	uint64_t offset;
	int err = soft_heap_take((uint64_t)entries << shift, &offset);

	if (err)
		return err;
	*row = (struct rq_row){.ring = offset, .mask = entries - 1, .shift = shift};
	*queue = (struct receive_queue){.row = row,
					.ring = soft_self.control + offset,
					.mask = entries - 1,
					.shift = shift,
					.depth = depth,
					.max_sge = max_sge};
	return 0;
}

void soft_receive_close(struct receive_queue *queue)
{
	soft_heap_give(queue->row->ring, (queue->mask + 1ull) << queue->shift);
}

static struct receive *entry_at(const struct receive_queue *queue, uint32_t index)
{
	return (struct receive *)(queue->ring + ((uint64_t)(index & queue->mask) << queue->shift));
}

static int post_one(struct receive_queue *queue, const struct ibv_recv_wr *wr)
{
	struct receive *entry;

	if (unlikely(wr->num_sge < 0 || (uint32_t)wr->num_sge > queue->max_sge))
		return EINVAL;
	if (unlikely(queue->posted - __atomic_load_n(&queue->done, __ATOMIC_ACQUIRE) >= queue->depth))
		return ENOMEM;
	entry = entry_at(queue, queue->posted);
	entry->wr_id = wr->wr_id;
	entry->sge_count = (uint32_t)wr->num_sge;
	for (int i = 0; i < wr->num_sge; i++)
		entry->sge[i] = wr->sg_list[i];
	__atomic_store_n(&entry->stamp, ++queue->posted, __ATOMIC_RELEASE);
	return 0;
}

int soft_post_recv(struct ibv_qp *public, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr)
{
	struct core_qp *qp = core_qp_of(public);
	bool biased = local_lock_take(&qp->rq.lock);
	int err = unlikely(core_qp_state(qp) == IBV_QPS_RESET) ? EINVAL : 0;

	for (; wr && !err; wr = wr->next) {
		err = post_one(&qp->rq, wr);
		if (err)
			break;
	}
	if (unlikely(err))
		*bad_wr = wr;
	/* Whoever flushes puts a full fence into this thread after it has set ERR: one of us sees the other. */
	if (unlikely(!soft_has_membarrier))
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (unlikely(core_qp_state(qp) == IBV_QPS_ERR))
		soft_receive_flush(qp);
	local_lock_release(&qp->rq.lock, biased);
	return err;
}

void soft_receive_clear(struct core_qp *qp)
{
	struct rq_row *row = qp->rq.row;

	shared_lock_take(&row->lock, soft_self.instance, &alive);
	for (uint32_t i = 0; i <= qp->rq.mask; i++)
		entry_at(&qp->rq, i)->stamp = 0;
	row->head = qp->rq.posted = qp->rq.done = 0;
	shared_lock_release(&row->lock);
}

void soft_receive_flush(struct core_qp *qp)
{
	struct rq_row *row = qp->rq.row;
	struct cqe cqe = {.status = IBV_WC_WR_FLUSH_ERR, .opcode = IBV_WC_RECV, .qpn = core_qp_number(qp)};

	shared_lock_take(&row->lock, soft_self.instance, &alive);
	soft_fence_all_threads();
	for (;;) {
		const struct receive *entry = entry_at(&qp->rq, row->head);

		if (__atomic_load_n(&entry->stamp, __ATOMIC_ACQUIRE) != row->head + 1)
			break;
		cqe.wr_id = entry->wr_id;
		row->head++;
		soft_cqe_push(&soft_self_peer, qp->receive_cq->index, &cqe, true /* errors wake every sleeper */);
	}
	shared_lock_release(&row->lock);
}

/* Several threads of ours may find out at once. */
void soft_receive_repair(uint32_t index, uint32_t instance)
{
	__atomic_compare_exchange_n(&soft_self.qp_rows[index].rq.lock, &instance, 0, false, __ATOMIC_ACQ_REL,
				    __ATOMIC_RELAXED);
}
