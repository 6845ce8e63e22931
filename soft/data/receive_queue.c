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
#include "data/in_hand.h"
#include "host/core.h"
#include "host/liveness.h"
#include "host/peer.h"
#include "host/ring_alloc.h"
#include "host/service.h"

static uint32_t shift_for(uint64_t value)
{
	uint32_t shift = 0;

	while (1ull << shift < value)
		shift++;
	return shift;
}

static uint64_t ring_size(const struct receive_queue *queue)
{
	return (queue->mask + 1ull) << queue->shift;
}

/* Completions of the queue as it was before are of another generation, and are not shown. */
static uint32_t generation_next(void)
{
	static uint32_t last;

	return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

/* Rows that are left to stopped processes are taken for good. soft_self.lock held. */
static int receive_queue_index(struct receive_queue *queue)
{
	for (uint32_t i = 0; i < LAYOUT_RQ_COUNT; i++) {
		uint32_t candidate = (soft_self.rq_next + i) % LAYOUT_RQ_COUNT;

		if (soft_self.rqs[candidate])
			continue;
		soft_self.rqs[candidate] = queue;
		soft_self.rq_next = candidate + 1;
		queue->index = candidate;
		return 0;
	}
	return -ENOMEM;
}

/* A fresh row and ring. soft_self.lock held. */
static int receive_queue_row_open(struct receive_queue *queue)
{
	uint64_t offset;
	int err = soft_ring_take(ring_size(queue), &offset);

	if (err)
		return err;
	err = receive_queue_index(queue);
	if (err) {
		soft_ring_give(offset, ring_size(queue));
		return err;
	}
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
	uint32_t entries = 1u << shift_for(depth ? depth : 1);

	*queue = (struct receive_queue){.mask = entries - 1,
					.shift = shift_for(sizeof(struct receive) + max_sge * sizeof(struct ibv_sge)),
					.depth = depth,
					.max_sge = max_sge,
					.pd = pd,
					.is_shared = is_shared};
	return receive_queue_row_open(queue);
}

static void ring_give(const struct receive_queue *queue)
{
	soft_ring_give((uint64_t)(queue->ring - soft_self.control), ring_size(queue));
}

void soft_receive_close(struct receive_queue *queue)
{
	soft_in_hand_forget(queue);
	soft_self.rqs[queue->index] = NULL;
	ring_give(queue);
}

static struct receive *entry_at(const struct receive_queue *queue, uint32_t index)
{
	return (struct receive *)(queue->ring + ((uint64_t)(index & queue->mask) << queue->shift));
}

/*
 * The queue looks full. Requests whose completions were lost, because the completion queue was full, are done without
 * having been polled. False: there were none. (Not added to `done`, which the thread that polls writes.)
 */
static SOFT_COLD bool lost_are_done(struct receive_queue *queue)
{
	uint32_t lost = __atomic_load_n(&queue->row->lost, __ATOMIC_ACQUIRE);
	uint32_t outstanding = queue->posted - queue->returned - __atomic_load_n(&queue->done, __ATOMIC_ACQUIRE);

	/* Initiators write that: no more than were posted, and never fewer than before. */
	if (lost - queue->lost <= outstanding - queue->lost)
		queue->lost = lost;
	return outstanding - queue->lost < queue->depth;
}

/* There is room: it was outstanding, and is not in the ring. */
static void request_repost(struct receive_queue *queue, const struct receive *request)
{
	struct receive *entry = entry_at(queue, queue->posted);

	entry->wr_id = request->wr_id;
	entry->sge_count = request->sge_count;
	for (uint32_t i = 0; i < queue->max_sge; i++)
		entry->sge[i] = request->sge[i];
	queue->returned++;
	__atomic_store_n(&queue->row->posted, queue->posted + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&entry->stamp, ++queue->posted, __ATOMIC_RELEASE);
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
	entry = entry_at(queue, queue->posted);
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

	if (unlikely(qp->rq != queue)) { /* the queue pair takes from a shared queue, or receives nothing */
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
	/* The thread that flushes puts a full fence into this thread after it has set ERR: one of us sees the other. */
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

static void repair(void *object, uint32_t holder)
{
	soft_receive_repair(object, holder);
}

/* False: its holder is stopped. */
static bool queue_lock(struct receive_queue *queue)
{
	return soft_owner_lock_take(&queue->row->lock, repair, queue, LOCK_COPY_MS);
}

/* Where initiators look for the queue. soft_self.lock held. */
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

/* soft_self.lock held. */
static void completions_carry_over(const struct receive_queue *queue)
{
	for (uint32_t i = 1; i < LAYOUT_CQ_COUNT; i++) {
		if (soft_self.cqs[i])
			soft_cq_carry_over(soft_self.cqs[i], queue);
	}
}

/*
 * The row and the ring stay with the process that holds the lock, because it may go on at any time: it then finishes
 * the message that it has in hand. What is posted behind that is posted here. No other thread is in the old row for
 * longer than it takes to see that it is the wrong one: what its head says once the new one is shown, and before that
 * is unlocked, is what the holder has in hand. Without memory for another ring the queue stays as it is, and what is
 * posted is not flushed. The queue's lock and soft_self.lock are held.
 */
static void cut_locked(struct receive_queue *queue)
{
	const struct receive_queue before = *queue;
	struct in_hand *hand = calloc(1, sizeof(*hand));
	struct receive_queue now = before;
	bool is_stored;

	if (!hand)
		return;
	if (receive_queue_row_open(&now)) {
		free(hand);
		return;
	}
	now.row->lock = soft_self.instance;
	now.row->limit = before.row->limit;
	now.row->posted = before.posted;
	memcpy(now.ring, before.ring, ring_size(&before));
	soft_self.rqs[now.index] = queue;
	hand->holder = __atomic_load_n(&before.row->lock, __ATOMIC_RELAXED);
	index_show(queue, now.index);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	hand->position = __atomic_load_n(&before.row->head, __ATOMIC_ACQUIRE);
	is_stored = soft_cqe_is_stored(before.row, hand->position, hand->holder);
	hand->position += is_stored;
	hand->generation = before.generation;
	hand->lost = now.row->lost = __atomic_load_n(&before.row->lost, __ATOMIC_ACQUIRE);
	hand->is_posted = !is_stored && entry_at(&before, hand->position)->stamp == hand->position + 1;
	hand->left = (struct receive_queue){.row = before.row,
					    .index = before.index,
					    .ring = before.ring,
					    .mask = before.mask,
					    .shift = before.shift,
					    .is_left = true};
	now.row->head = hand->position + hand->is_posted;
	before.row->limit = 0;
	/* Other threads may poll what completed of it. */
	queue->cut.before = before.generation;
	queue->cut.head = hand->position;
	queue->cut.now = now.generation;
	__atomic_store_n(&queue->generation, 0, __ATOMIC_RELEASE);
	queue->row = now.row;
	queue->ring = now.ring;
	queue->index = now.index;
	completions_carry_over(queue);
	__atomic_store_n(&queue->generation, now.generation, __ATOMIC_RELEASE);
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

	if (queue_lock(queue))
		shared_lock_release(&queue->row->lock);
	else
		cut(queue);
	local_lock_release(&queue->lock, biased);
}

/* The queue's lock is held: the row stays the queue's until it is unlocked. -ENOMEM: a stopped process has it still. */
static int queue_lock_or_cut(struct receive_queue *queue)
{
	if (queue_lock(queue))
		return 0;
	cut(queue);
	return queue_lock(queue) ? 0 : -ENOMEM;
}

/* 0: the row is free, or was left to a stopped process. soft_self.lock held. */
static uint32_t row_holder(uint32_t index)
{
	const struct receive_queue *queue = soft_self.rqs[index % LAYOUT_RQ_COUNT];

	return queue && !queue->is_left ? __atomic_load_n(&queue->row->lock, __ATOMIC_ACQUIRE) : 0;
}

/* A thread of ours that posts just now has the queue's lock: the thread that asked will ask again. */
void soft_receive_unblock(uint32_t index)
{
	struct receive_queue *queue;
	uint32_t holder;

	pthread_mutex_lock(&soft_self.lock);
	holder = row_holder(index);
	pthread_mutex_unlock(&soft_self.lock);
	/* He is asked without the lock, which creating and destroying wait for. */
	if (!holder || !soft_holder_is_stopped(holder))
		return;
	soft_locks_contend();
	pthread_mutex_lock(&soft_self.lock);
	queue = soft_self.rqs[index % LAYOUT_RQ_COUNT];
	if (row_holder(index) == holder) {
		if (soft_local_lock_try(&queue->lock)) {
			cut_locked(queue);
			local_lock_release(&queue->lock, false);
		}
	}
	pthread_mutex_unlock(&soft_self.lock);
}

/* Both locks of the queue's are held. */
static void clear_locked(struct receive_queue *queue)
{
	for (uint32_t i = 0; i <= queue->mask; i++)
		entry_at(queue, i)->stamp = 0;
	soft_in_hand_forget(queue);
	queue->posted = queue->done = queue->lost = queue->returned = 0;
	queue->row->lost = 0;
	queue->row->losing = 0;
	queue->generation = generation_next();
	queue->row->generation = queue->generation;
	queue->row->head = 0;
}

void soft_receive_clear(struct receive_queue *queue)
{
	bool biased = local_lock_take(&queue->lock);

	if (!queue_lock_or_cut(queue)) {
		clear_locked(queue);
		shared_lock_release(&queue->row->lock);
	}
	local_lock_release(&queue->lock, biased);
}

/*
 * As if its holder had completed it, with its row: what he brings then is of the next position, which is none. Before
 * the others of its queue, which were posted after it.
 */
static void in_hand_flush(struct core_qp *qp)
{
	struct cqe cqe = {.status = IBV_WC_WR_FLUSH_ERR, .opcode = IBV_WC_RECV, .qpn = core_qp_number(qp)};

	for (struct in_hand *hand = soft_in_hand_next(NULL); hand; hand = soft_in_hand_next(hand)) {
		if (soft_in_hand_of(hand) != qp->rq || !hand->is_posted || hand->is_over ||
		    __atomic_load_n(&hand->left.row->head, __ATOMIC_ACQUIRE) != hand->position)
			continue;
		cqe.wr_id = entry_at(&hand->left, hand->position)->wr_id;
		soft_cqe_push_own(qp->receive_cq, &cqe, hand->left.row);
	}
}

void soft_receive_flush_locked(struct core_qp *qp)
{
	struct receive_queue *queue = qp->rq;
	struct rq_row *row;
	struct cqe cqe = {.status = IBV_WC_WR_FLUSH_ERR, .opcode = IBV_WC_RECV, .qpn = core_qp_number(qp)};

	if (!queue || queue->is_shared)
		return; /* what is posted is there for others */
	row = queue->row;
	if (!queue_lock(queue))
		return; /* the thread that ends the queue pair cuts it off and comes again */
	soft_fence_all_threads();
	in_hand_flush(qp);
	for (uint32_t i = 0; i <= queue->mask; i++) {
		const struct receive *entry = entry_at(queue, row->head);

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
	/* Initiators look at the limit with the row locked. */
	int err = limit > queue->depth ? -EINVAL : queue_lock_or_cut(queue);

	if (!err) {
		*is_reached = soft_receive_count(queue) < limit;
		queue->row->posted = queue->posted;
		__atomic_store_n(&queue->row->limit, *is_reached ? 0 : limit, __ATOMIC_RELEASE);
		shared_lock_release(&queue->row->lock);
	}
	local_lock_release(&queue->lock, biased);
	return err;
}

/* soft_self.lock is not held. Both locks of the queue's are. */
static int ring_exchange(struct receive_queue *queue, uint32_t depth)
{
	struct receive_queue before = *queue;
	uint64_t offset;
	int err;

	if (queue->posted - queue->done - queue->lost - queue->returned > depth)
		return -EINVAL;
	queue->mask = (1u << shift_for(depth)) - 1;
	err = soft_ring_take(ring_size(queue), &offset);
	if (err) {
		queue->mask = before.mask;
		return err;
	}
	queue->ring = soft_self.control + offset;
	for (uint32_t i = queue->row->head; i != queue->posted && i - queue->row->head <= queue->mask; i++)
		memcpy(entry_at(queue, i), entry_at(&before, i), 1ull << queue->shift);
	queue->depth = depth;
	queue->row->ring = offset;
	queue->row->mask = queue->mask;
	soft_ring_give((uint64_t)(before.ring - soft_self.control), ring_size(&before));
	return 0;
}

int soft_receive_resize(struct receive_queue *queue, uint32_t depth)
{
	bool biased = local_lock_take(&queue->lock);
	int err = queue_lock_or_cut(queue);

	if (!err) {
		err = ring_exchange(queue, depth);
		shared_lock_release(&queue->row->lock);
	}
	local_lock_release(&queue->lock, biased);
	return err;
}

/* The request was taken, and its completion found no room: it is counted once, by either side. */
static void lost_repair(struct rq_row *row)
{
	const uint64_t losing = __atomic_load_n(&row->losing, __ATOMIC_ACQUIRE);
	const uint32_t after = (uint32_t)losing;
	uint32_t before = after - 1;

	if (__atomic_load_n(&row->head, __ATOMIC_ACQUIRE) == (uint32_t)(losing >> 32))
		__atomic_compare_exchange_n(&row->lost, &before, after, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/*
 * An initiator stores the completion and takes the request off the queue with the completion queue locked, and died
 * with both locks or with this one alone: soft_cq_repair() finishes what it was at, and then the queue is free. (A
 * completion queue that is destroyed stays locked; the thread that destroys one waits for soft_self.lock, which we may
 * hold.)
 */
static bool repair_try(struct receive_queue *queue, uint32_t instance)
{
	struct rq_row *row = queue->row;
	struct cq_row *cq_row = soft_peer_cq(&soft_self_peer, row->cq);

	if (__atomic_load_n(&row->lock, __ATOMIC_ACQUIRE) != instance)
		return true;
	soft_cq_repair(cq_row, instance);
	/* Another thread of ours may be at that. */
	if (__atomic_load_n(&cq_row->lock, __ATOMIC_ACQUIRE) == soft_self.instance &&
	    soft_self.cqs[cq_row - soft_self.cq_rows])
		return false;
	lost_repair(row);
	__atomic_compare_exchange_n(&row->lock, &instance, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	return true;
}

void soft_receive_repair(struct receive_queue *queue, uint32_t instance)
{
	unsigned int spins = 0;

	while (!repair_try(queue, instance))
		lock_pause(&spins);
}

/* No peer holds the row; `of` is locked. What was not completed is posted again. */
static void request_return(struct in_hand *hand, struct receive_queue *of)
{
	const struct rq_row *row = hand->left.row;
	bool is_taken = __atomic_load_n(&row->head, __ATOMIC_ACQUIRE) != hand->position;
	bool is_lost = __atomic_load_n(&row->lost, __ATOMIC_ACQUIRE) != hand->lost;

	if (!hand->is_posted)
		return;
	/* A poll may be showing what was revoked just now: one of us has the request. */
	if (!is_taken || (__atomic_load_n(&hand->is_revoked, __ATOMIC_ACQUIRE) &&
			  !__atomic_exchange_n(&hand->is_shown, true, __ATOMIC_ACQ_REL))) {
		__atomic_store_n(&hand->is_posted, false, __ATOMIC_RELEASE);
		request_repost(of, entry_at(&hand->left, hand->position));
	} else if (is_lost) {
		of->returned++; /* it is done, and will not be polled */
	}
}

/* soft_self.lock held: a queue may forget the request meanwhile, but does not go away. */
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
	ring_give(&hand->left);
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
