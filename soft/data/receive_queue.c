// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Where do receive requests wait for a message? In a ring of the control file that initiators take them
 * from. Each bears its index as a stamp, written last: an initiator learns from the entry itself that it is
 * posted, and no counter travels between the CPUs. The queue is apart from the queue pair, so that several
 * may share one, and so that it can be left to a process that stopped with its lock.
 */
#include "data/receive_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "data/cqe.h"
#include "host/core.h"
#include "host/peer.h"
#include "host/ring_alloc.h"

static uint32_t shift_for(uint64_t value)
{
	uint32_t shift = 0;

	while (1ull << shift < value)
		shift++;
	return shift;
}

static uint64_t block_size(const struct receive_queue *queue)
{
	return sizeof(struct rq_block) + ((queue->mask + 1ull) << queue->shift);
}

/* Completions of the queue as it was before are of another generation, and nobody is shown them. */
static uint32_t generation_next(void)
{
	static uint32_t last;

	return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

static void block_show(struct core_qp *qp, uint64_t offset)
{
	struct receive_queue *queue = &qp->rq;

	queue->block = (struct rq_block *)(soft_self.control + offset);
	queue->ring = (uint8_t *)(queue->block + 1);
	queue->generation = generation_next();
	*queue->block = (struct rq_block){.mask = queue->mask, .shift = queue->shift, .generation = queue->generation};
	__atomic_store_n(&qp->row->receives, offset, __ATOMIC_RELEASE);
}

int soft_receive_open(struct core_qp *qp, uint32_t depth, uint32_t max_sge)
{
	uint32_t entries = 1u << shift_for(depth ? depth : 1);
	uint64_t offset;
	int err;

	qp->rq = (struct receive_queue){.mask = entries - 1,
					.shift = shift_for(sizeof(struct receive) + max_sge * sizeof(struct ibv_sge)),
					.depth = depth,
					.max_sge = max_sge};
	err = soft_ring_take(block_size(&qp->rq), &offset);
	if (!err)
		block_show(qp, offset);
	return err;
}

void soft_receive_close(struct receive_queue *queue)
{
	soft_ring_give((uint64_t)((uint8_t *)queue->block - soft_self.control), block_size(queue));
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

static void repair(void *object, uint32_t holder)
{
	soft_receive_repair(object, holder);
}

/* False: its holder is stopped. */
static bool queue_lock(struct core_qp *qp)
{
	return soft_owner_lock_take(&qp->rq.block->lock, repair, qp);
}

bool soft_receive_settle(struct core_qp *qp)
{
	bool is_locked = queue_lock(qp);

	if (is_locked)
		shared_lock_release(&qp->rq.block->lock);
	return is_locked;
}

/*
 * The block stays with the process that holds its lock, for good, because it may go on at any time: it then finishes a
 * message for a generation that is over. What it had in hand is still posted here. Without memory for another block the
 * queue stays as it is, and what is posted is not flushed.
 */
void soft_receive_cut(struct core_qp *qp)
{
	struct receive_queue *queue = &qp->rq;
	bool biased = local_lock_take(&queue->lock);
	const struct rq_block *before = queue->block;
	const uint8_t *ring = queue->ring;
	uint64_t offset;

	if (soft_ring_take(block_size(queue), &offset) == 0) {
		uint32_t head = __atomic_load_n(&before->head, __ATOMIC_ACQUIRE);

		block_show(qp, offset);
		memcpy(queue->ring, ring, (queue->mask + 1ull) << queue->shift);
		__atomic_store_n(&queue->block->head, head, __ATOMIC_RELEASE);
		soft_cq_carry_over(qp, before->generation, head);
	}
	local_lock_release(&queue->lock, biased);
}

void soft_receive_clear(struct core_qp *qp)
{
	struct receive_queue *queue = &qp->rq;

	if (!queue_lock(qp)) {
		soft_receive_cut(qp);
		if (!queue_lock(qp))
			return;
	}
	for (uint32_t i = 0; i <= queue->mask; i++)
		entry_at(queue, i)->stamp = 0;
	queue->posted = queue->done = 0;
	queue->generation = generation_next();
	queue->block->generation = queue->generation;
	queue->block->head = 0;
	shared_lock_release(&queue->block->lock);
}

void soft_receive_flush(struct core_qp *qp)
{
	struct rq_block *block = qp->rq.block;
	struct cqe cqe = {.status = IBV_WC_WR_FLUSH_ERR,
			  .opcode = IBV_WC_RECV,
			  .qpn = core_qp_number(qp),
			  .generation = qp->rq.generation};

	if (!queue_lock(qp))
		return; /* whoever ends the queue pair cuts it off and comes again */
	soft_fence_all_threads();
	for (uint32_t i = 0; i <= qp->rq.mask; i++) {
		const struct receive *entry = entry_at(&qp->rq, block->head);

		if (__atomic_load_n(&entry->stamp, __ATOMIC_ACQUIRE) != block->head + 1)
			break;
		cqe.wr_id = entry->wr_id;
		soft_cqe_push_own(qp->receive_cq, &cqe);
		block->head++;
	}
	shared_lock_release(&block->lock);
}

/*
 * An initiator stores the completion first and takes the request off the queue then. Whether the dead one had come to
 * the one but not to the other is counted: else the request would complete twice, or a message be lost.
 */
void soft_receive_repair(struct core_qp *qp, uint32_t instance)
{
	struct rq_block *block = qp->rq.block;

	/* We hold it until it is repaired, so that of several threads of ours one does it. */
	if (!__atomic_compare_exchange_n(&block->lock, &instance, soft_self.instance, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return;
	if (soft_cq_received(qp) == block->head + 1)
		block->head++;
	shared_lock_release(&block->lock);
}
