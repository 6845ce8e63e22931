// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Where do completions wait for the program? Those of its own sends in a ring of its own memory, without
 * atomic instructions; those of its receives in a ring of the control file, one line each, stamped last, so
 * that the poller reads nothing but the line that it waits for. Sends come first in a poll: a send completes
 * inside post_send(), before the peer can have seen anything of it, let alone answered.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/core.h"
#include "host/fault.h"
#include "host/peer.h"
#include "host/wire.h"
#include "memory/mapping.h"

#define IDLE_POLLS  1024   /* fruitless polls one after the other, some 10 us: then the CPU is offered to others */
#define STATUS_VOID 0xffff /* of a queue pair that is gone: not shown */

static uint32_t entries_for(uint32_t capacity)
{
	uint32_t entries = 1;

	while (entries < capacity)
		entries *= 2;
	return entries;
}

/* Lazily touched, so that a deep queue costs what it holds. */
static struct sent *sent_map(uint32_t entries)
{
	void *ring = mapping_make_private(entries * sizeof(struct sent));

	return ring == MAP_FAILED ? NULL : ring;
}

static int rings_open(struct core_cq *cq, uint32_t capacity)
{
	uint32_t entries = entries_for(capacity);
	uint64_t offset;
	int err = soft_ring_take(entries * sizeof(struct cqe), &offset);

	if (err)
		return err;
	cq->sent = sent_map(entries);
	if (!cq->sent) {
		soft_ring_give(offset, entries * sizeof(struct cqe));
		return -ENOMEM;
	}
	cq->ring = (struct cqe *)(soft_self.control + offset);
	cq->mask = cq->sent_mask = entries - 1;
	cq->row->ring = offset;
	cq->row->mask = cq->mask;
	cq->row->capacity = cq->capacity = capacity;
	cq->soft.base.cqe = (int)capacity;
	return 0;
}

static void rings_close(const struct cqe *ring, struct sent *sent, uint32_t entries)
{
	mapping_drop(sent, entries * sizeof(struct sent));
	soft_ring_give((uint64_t)((const uint8_t *)ring - soft_self.control), entries * sizeof(struct cqe));
}

/* soft_self.lock held. */
static int index_find(uint32_t *index)
{
	for (uint32_t i = 0; i < LAYOUT_CQ_COUNT; i++) {
		uint32_t candidate = (soft_self.cq_next + i) % LAYOUT_CQ_COUNT;

		if (candidate && !soft_self.cqs[candidate]) {
			soft_self.cq_next = candidate + 1;
			*index = candidate;
			return 0;
		}
	}
	return -ENOMEM;
}

struct ibv_cq *soft_create_cq(struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel,
			      int comp_vector)
{
	SOFT_UNCANCELLED;
	struct core_cq *cq;
	int err = -EINVAL;

	if (cqe < 1 || cqe > SOFT_MAX_CQE || comp_vector < 0 || comp_vector >= SOFT_COMP_VECTORS)
		goto err_errno;
	err = soft_fault_strikes(FAULT_CREATE_CQ) ? -ENOMEM : -posix_memalign((void **)&cq, LAYOUT_LINE, sizeof(*cq));
	if (err)
		goto err_errno;
	memset(cq, 0, sizeof(*cq));
	pthread_mutex_lock(&soft_self.lock);
	err = index_find(&cq->index);
	if (err)
		goto err_unlock;
	cq->row = &soft_self.cq_rows[cq->index];
	memset(cq->row, 0, sizeof(*cq->row));
	err = rings_open(cq, (uint32_t)cqe);
	if (err)
		goto err_unlock;
	cq->soft.base.context = context;
	cq->soft.base.channel = channel;
	cq->soft.base.cq_context = cq_context;
	cq->soft.base.handle = cq->index;
	pthread_mutex_init(&cq->soft.base.mutex, NULL);
	pthread_cond_init(&cq->soft.base.cond, NULL);
	if (channel)
		soft_channel_add(cq);
	soft_self.cqs[cq->index] = cq;
	pthread_mutex_unlock(&soft_self.lock);
	return (struct ibv_cq *)&cq->soft.base;

err_unlock:
	pthread_mutex_unlock(&soft_self.lock);
	free(cq);
err_errno:
	errno = -err;
	return NULL;
}

static void repair(void *object, uint32_t holder)
{
	soft_cq_repair(object, holder);
}

int soft_destroy_cq(struct ibv_cq *public)
{
	SOFT_UNCANCELLED;
	struct core_cq *cq = core_cq_of(public);
	bool is_free;

	if (__atomic_load_n(&cq->users, __ATOMIC_ACQUIRE))
		return EBUSY;
	soft_async_forget_cq(cq);
	is_free = soft_owner_lock_take(&cq->row->lock, repair, cq);
	pthread_mutex_lock(&soft_self.lock);
	if (public->channel)
		soft_channel_remove(cq);
	public->channel = NULL;
	if (!is_free) { /* its rings stay with the stopped process that holds the lock, until the tables go */
		cq->is_abandoned = true;
		pthread_mutex_unlock(&soft_self.lock);
		return 0;
	}
	soft_self.cqs[cq->index] = NULL;
	rings_close(cq->ring, cq->sent, cq->mask + 1);
	pthread_mutex_unlock(&soft_self.lock);
	pthread_mutex_destroy(&public->mutex);
	pthread_cond_destroy(&public->cond);
	free(cq->aside);
	free(cq);
	return 0;
}

void soft_cq_free_abandoned(void)
{
	for (uint32_t i = 1; i < LAYOUT_CQ_COUNT; i++) {
		struct core_cq *cq = soft_self.cqs[i];

		if (!cq || !cq->is_abandoned)
			continue;
		free(cq->aside);
		free(cq);
	}
}

/* Both locks held: copies what waits into larger or smaller rings. */
static int rings_exchange(struct core_cq *cq, uint32_t capacity)
{
	struct cq_row *row = cq->row;
	struct sent *old_sent = cq->sent;
	struct cqe *old_ring = cq->ring;
	uint32_t old_mask = cq->mask;
	uint32_t tail = row->tail;
	int err;

	if (cq->sent_tail - cq->sent_head > capacity || tail - cq->head > capacity)
		return -EINVAL;
	err = rings_open(cq, capacity);
	if (err)
		return err;
	for (uint32_t i = cq->sent_head; i != cq->sent_tail; i++)
		cq->sent[i & cq->sent_mask] = old_sent[i & old_mask];
	for (uint32_t i = cq->head; i != tail; i++)
		cq->ring[i & cq->mask] = old_ring[i & old_mask];
	rings_close(old_ring, old_sent, old_mask + 1);
	return 0;
}

int soft_resize_cq(struct ibv_cq *public, int cqe)
{
	SOFT_UNCANCELLED;
	struct core_cq *cq = core_cq_of(public);
	bool biased;
	int err = -EBUSY;

	if (cqe < 1 || cqe > SOFT_MAX_CQE)
		return EINVAL;
	pthread_mutex_lock(&soft_self.lock);
	biased = local_lock_take(&cq->lock);
	if (soft_owner_lock_take(&cq->row->lock, repair, cq)) {
		err = rings_exchange(cq, (uint32_t)cqe);
		shared_lock_release(&cq->row->lock);
	}
	local_lock_release(&cq->lock, biased);
	pthread_mutex_unlock(&soft_self.lock);
	return -err;
}

/* The number of completions written to wc, of the program's own sends. */
static int sent_poll(struct core_cq *cq, int count, struct ibv_wc *wc)
{
	uint32_t head = cq->sent_head;
	int polled = 0;

	while (polled < count && head != cq->sent_tail) {
		const struct sent *sent = &cq->sent[head++ & cq->sent_mask];

		if (unlikely(sent->status == STATUS_VOID))
			continue;
		wc->wr_id = sent->wr_id;
		wc->status = sent->status;
		wc->opcode = sent->opcode;
		wc->vendor_err = 0;
		wc->byte_len = sent->byte_len;
		wc->qp_num = sent->qpn;
		wc->wc_flags = 0;
		if (sent->done)
			__atomic_store_n(sent->done, sent->position, __ATOMIC_RELEASE);
		wc++;
		polled++;
	}
	cq->sent_head = head;
	return polled;
}

/* False: of a queue that is no more. */
static inline bool received_show(const struct cqe *cqe, struct ibv_wc *wc)
{
	struct core_qp *qp = soft_self.qps[QPN_INDEX(cqe->qpn)];

	if (unlikely(!qp || qp->rq.generation != cqe->generation))
		return false;
	wc->wr_id = cqe->wr_id;
	wc->status = cqe->status;
	wc->opcode = cqe->opcode;
	wc->vendor_err = 0;
	wc->byte_len = cqe->byte_len;
	wc->imm_data = cqe->imm_data;
	wc->qp_num = cqe->qpn;
	wc->src_qp = cqe->src_qp;
	wc->wc_flags = cqe->flags;
	wc->pkey_index = 0;
	wc->slid = 0;
	wc->sl = cqe->sl;
	wc->dlid_path_bits = 0;
	__atomic_store_n(&qp->rq.done, qp->rq.done + 1, __ATOMIC_RELEASE);
	return true;
}

/* Nothing of a queue pair stands in the shared ring behind what was put aside for it. */
static __attribute__((noinline)) int aside_poll(struct core_cq *cq, int count, struct ibv_wc *wc)
{
	int polled = 0;

	while (polled < count && cq->aside_head < cq->aside_count)
		polled += received_show(&cq->aside[cq->aside_head++], wc + polled);
	if (cq->aside_head == cq->aside_count)
		cq->aside_head = cq->aside_count = 0;
	return polled;
}

static int received_poll(struct core_cq *cq, int count, struct ibv_wc *wc)
{
	uint32_t head = cq->head;
	int polled = 0;

	while (polled < count) {
		const struct cqe *cqe = &cq->ring[head & cq->mask];

		if (__atomic_load_n(&cqe->stamp, __ATOMIC_ACQUIRE) != head + 1)
			break;
		head++;
		polled += received_show(cqe, wc + polled);
	}
	if (head != cq->head) {
		__atomic_store_n(&cq->head, head, __ATOMIC_RELAXED);
		__atomic_store_n(&cq->row->head, head, __ATOMIC_RELEASE);
	}
	if (unlikely(cq->aside_count) && polled < count)
		polled += aside_poll(cq, count - polled, wc + polled);
	return polled;
}

/*
 * A poll has left completions behind, and the program may go to sleep now, armed for the next one: those
 * that are there must count as next. Programs that arm, then poll a batch, then sleep (ib_send_bw -b -e)
 * live on completions that trickle in; ours come at once.
 */
static void leftovers_notify(struct core_cq *cq)
{
	const struct cqe *next = &cq->ring[cq->head & cq->mask];

	if (cq->sent_head != cq->sent_tail || cq->aside_count ||
	    __atomic_load_n(&next->stamp, __ATOMIC_ACQUIRE) == cq->head + 1)
		soft_channel_notify(&soft_self_peer, cq->row, true /* whatever it is armed for */);
}

/*
 * Sends first, as said above; but a poll that ends full may have left receives behind, and the next one begins with
 * them: a program that keeps its send queue full and polls for a few at a time would never see one.
 */
static inline __attribute__((always_inline)) int queue_poll(struct core_cq *cq, int count, struct ibv_wc *wc,
							    bool has_senders)
{
	bool biased = local_lock_take(&cq->lock);
	int polled;

	if (has_senders && unlikely(cq->receives_first)) {
		polled = received_poll(cq, count, wc);
		if (polled < count)
			polled += sent_poll(cq, count - polled, wc + polled);
		cq->receives_first = false;
	} else {
		polled = sent_poll(cq, count, wc);
		if (has_senders && polled < count)
			polled += received_poll(cq, count - polled, wc + polled);
		else if (has_senders)
			cq->receives_first = true;
	}
	if (unlikely(cq->soft.base.channel) && polled == count)
		leftovers_notify(cq);
	local_lock_release(&cq->lock, biased);
	return polled;
}

/* Whoever this program waits for may need the CPU that it polls on: it would get it when the time slice ends. */
static __attribute__((noinline)) void idle_poll(struct core_cq *cq)
{
	if (++cq->idle_polls % IDLE_POLLS == 0)
		sched_yield();
}

int soft_poll_cq(struct ibv_cq *public, int count, struct ibv_wc *wc)
{
	struct core_cq *cq = core_cq_of(public);
	int polled;

	if (unlikely(__atomic_load_n(&soft_retry_queue_count, __ATOMIC_RELAXED)))
		soft_retry_queue_progress();
	polled = queue_poll(cq, count, wc, true /* has_senders */);
	if (polled)
		cq->idle_polls = 0;
	else
		idle_poll(cq);
	return polled;
}

int soft_null_poll_cq(struct ibv_cq *public, int count, struct ibv_wc *wc)
{
	return queue_poll(core_cq_of(public), count, wc, false /* has_senders: nobody but this process completes */);
}

void soft_cq_report_overrun(struct core_cq *cq)
{
	if (!__atomic_exchange_n(&cq->row->overrun, 1, __ATOMIC_RELAXED))
		soft_async_raise_cq(cq, IBV_EVENT_CQ_ERR);
}

void soft_cq_overrun(uint32_t index)
{
	pthread_mutex_lock(&soft_self.lock);
	if (index < LAYOUT_CQ_COUNT && soft_self.cqs[index])
		soft_async_raise_cq(soft_self.cqs[index], IBV_EVENT_CQ_ERR);
	pthread_mutex_unlock(&soft_self.lock);
}

/* A queue of ours may be found full with soft_self.lock held; whoever pushes keeps it from going away. */
static void overrun_tell(struct soft_peer *peer, uint32_t cq_index)
{
	struct core_cq *ours = peer == &soft_self_peer ? soft_self.cqs[cq_index % LAYOUT_CQ_COUNT] : NULL;

	if (ours)
		soft_async_raise_cq(ours, IBV_EVENT_CQ_ERR);
	else
		soft_notice_send(peer, NOTICE_CQ_OVERRUN, cq_index, 0);
}

/* The queue's lock is held. False: it is full, for the first time. */
static inline bool cqe_store(struct soft_peer *peer, struct cq_row *row, const struct cqe *completion)
{
	uint32_t tail = row->tail;
	struct cqe *cqe;

	if (unlikely(tail - row->head_seen >= row->capacity)) {
		row->head_seen = __atomic_load_n(&row->head, __ATOMIC_ACQUIRE);
		if (tail - row->head_seen >= row->capacity) {
			bool is_first = !row->overrun;

			row->overrun = 1;
			return !is_first;
		}
	}
	cqe = soft_peer_line_at(peer, row->ring + (uint64_t)(tail & row->mask) * sizeof(*cqe));
	cqe->wr_id = completion->wr_id;
	cqe->qpn = completion->qpn;
	cqe->byte_len = completion->byte_len;
	cqe->imm_data = completion->imm_data;
	cqe->src_qp = completion->src_qp;
	cqe->flags = completion->flags;
	cqe->status = completion->status;
	cqe->opcode = completion->opcode;
	cqe->sl = completion->sl;
	cqe->generation = completion->generation;
	__atomic_store_n(&cqe->stamp, tail + 1, __ATOMIC_RELEASE);
	row->tail = tail + 1;
	return true;
}

bool soft_cqe_push(struct soft_peer *peer, uint32_t cq_index, const struct cqe *completion, bool is_solicited)
{
	struct cq_row *row = soft_peer_cq(peer, cq_index);
	bool has_room;

	if (unlikely(!shared_lock_take(&row->lock, soft_self.instance, &peer->dead)))
		return false;
	has_room = cqe_store(peer, row, completion);
	shared_lock_release(&row->lock);
	if (unlikely(!has_room))
		overrun_tell(peer, cq_index);
	else if (row->channel)
		soft_channel_notify(peer, row, is_solicited);
	return true;
}

/* Room for one more: twice as much whenever a power of two is full. An entry is a cache line, which realloc() knows
 * not. */
static bool aside_grow(struct core_cq *cq)
{
	size_t count = cq->aside_count;
	void *larger;

	if (count & (count - 1))
		return true;
	if (posix_memalign(&larger, _Alignof(struct cqe), (count ? 2 * count : 1) * sizeof(struct cqe)))
		return false;
	if (count)
		memcpy(larger, cq->aside, count * sizeof(struct cqe));
	free(cq->aside);
	cq->aside = larger;
	return true;
}

static void aside_store(struct core_cq *cq, const struct cqe *completion)
{
	bool biased = local_lock_take(&cq->lock);
	bool has_room = aside_grow(cq);

	if (has_room)
		cq->aside[cq->aside_count++] = *completion;
	local_lock_release(&cq->lock, biased);
	if (!has_room)
		soft_cq_report_overrun(cq);
}

void soft_cqe_push_own(struct core_cq *cq, const struct cqe *completion)
{
	bool has_room = true;

	if (soft_owner_lock_take(&cq->row->lock, repair, cq)) {
		has_room = cqe_store(&soft_self_peer, cq->row, completion);
		shared_lock_release(&cq->row->lock);
	} else {
		aside_store(cq, completion);
	}
	if (!has_room)
		overrun_tell(&soft_self_peer, cq->index);
	else if (cq->soft.base.channel)
		soft_channel_notify(&soft_self_peer, cq->row, true /* errors wake every sleeper */);
}

/* Also keeps whoever destroys the queue pair from going on while a poll looks at it. */
void soft_cq_purge(struct core_cq *cq, struct core_qp *qp)
{
	uint32_t qpn = core_qp_number(qp);
	bool biased = local_lock_take(&cq->lock);

	for (uint32_t i = cq->sent_head; i != cq->sent_tail; i++) {
		struct sent *sent = &cq->sent[i & cq->sent_mask];

		if (sent->qpn == qpn)
			sent->status = STATUS_VOID;
	}
	local_lock_release(&cq->lock, biased);
}

/* The receive queue's lock is held, so that there come no more. */
uint32_t soft_cq_received(struct core_qp *qp)
{
	struct core_cq *cq = qp->receive_cq;
	uint32_t qpn = core_qp_number(qp);
	bool biased = local_lock_take(&cq->lock);
	uint32_t count = qp->rq.done;

	for (uint32_t i = 0; i <= cq->mask; i++) {
		const struct cqe *cqe = &cq->ring[(cq->head + i) & cq->mask];

		if (__atomic_load_n(&cqe->stamp, __ATOMIC_ACQUIRE) != cq->head + i + 1)
			break;
		count += cqe->qpn == qpn && cqe->generation == qp->rq.generation;
	}
	local_lock_release(&cq->lock, biased);
	return count;
}

/* What has completed of the queue's generation `before` is shown as its present one's; no more than it has taken. */
void soft_cq_carry_over(struct core_qp *qp, uint32_t before, uint32_t taken)
{
	struct core_cq *cq = qp->receive_cq;
	uint32_t qpn = core_qp_number(qp);
	bool biased = local_lock_take(&cq->lock);
	uint32_t left = taken - qp->rq.done;

	for (uint32_t i = 0; left && i <= cq->mask; i++) {
		struct cqe *cqe = &cq->ring[(cq->head + i) & cq->mask];

		if (__atomic_load_n(&cqe->stamp, __ATOMIC_ACQUIRE) != cq->head + i + 1)
			break;
		if (cqe->qpn != qpn || cqe->generation != before)
			continue;
		cqe->generation = qp->rq.generation;
		left--;
	}
	local_lock_release(&cq->lock, biased);
}

void soft_cq_repair(struct core_cq *cq, uint32_t instance)
{
	struct cq_row *row = cq->row;

	/* We hold it until it is repaired, so that of several threads of ours one does it. */
	if (!__atomic_compare_exchange_n(&row->lock, &instance, soft_self.instance, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return;
	/* It died between the stamp, which shows the completion, and the tail. */
	if (__atomic_load_n(&cq->ring[row->tail & cq->mask].stamp, __ATOMIC_ACQUIRE) == row->tail + 1)
		row->tail++;
	shared_lock_release(&row->lock);
}
