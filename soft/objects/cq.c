// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Creates, resizes and destroys completion queues. Completions of the program's own sends are in a ring in private
 * memory, without atomic instructions; those of its receives are in a ring of the control file, one line each, stamped
 * last, so that the poller only reads the line that it waits for. data/cqe.c and data/complete.h fill them,
 * data/poll_cq.c empties them.
 */
#include "config.h"

#include "objects/objects.h"

#include "data/cqe.h"
#include "host/async.h"
#include "host/fault.h"
#include "host/mapping.h"
#include "host/profile.h"
#include "host/threads.h"

/* Private rings are allocated when touched, so that a deep queue only costs what it has held. */
static int rings_open(struct core_cq *cq, uint32_t capacity)
{
	const uint32_t entries = 1u << core_shift(capacity);
	struct sent *sent = mapping_make_private(entries * sizeof(*sent));
	uint64_t *times = cq->row->has_times ? mapping_make_private(entries * sizeof(*times)) : NULL;
	uint64_t offset;
	int err =
		sent && !times == !cq->row->has_times ? soft_ring_take(entries * sizeof(struct cqe), &offset) : -ENOMEM;

	if (err) {
		mapping_drop(times, entries * sizeof(*times));
		mapping_drop(sent, entries * sizeof(*sent));
		return err;
	}
	cq->sent = sent;
	cq->sent_times = times;
	cq->ring = (struct cqe *)(soft_self.control + offset);
	cq->mask = cq->sent_mask = entries - 1;
	cq->row->ring = offset;
	cq->row->mask = cq->mask;
	cq->row->capacity = cq->capacity = capacity;
	cq->soft.base.cqe = (int)capacity;
	return 0;
}

static void rings_close(const struct cqe *ring, struct sent *sent, uint64_t *sent_times, uint32_t entries)
{
	mapping_drop(sent_times, entries * sizeof(*sent_times));
	mapping_drop(sent, entries * sizeof(struct sent));
	soft_ring_give((uint64_t)((const uint8_t *)ring - soft_self.control), entries * sizeof(struct cqe));
}

struct ibv_cq *soft_create_cq(struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel,
			      int comp_vector)
{
	SOFT_UNCANCELLED;
	struct core_cq *cq;
	int err = -EINVAL;

	if (cqe < 1 || (uint32_t)cqe > soft_profile()->max_cqe || comp_vector < 0 || comp_vector >= SOFT_COMP_VECTORS)
		goto err_errno;
	err = soft_fault_strikes(FAULT_CREATE_CQ) ? -ENOMEM : -posix_memalign((void **)&cq, LAYOUT_LINE, sizeof(*cq));
	if (err)
		goto err_errno;
	memset(cq, 0, sizeof(*cq));
	pthread_mutex_lock(&soft_self.lock);
	err = soft_index_find(soft_self.cqs, 1, LAYOUT_CQ_COUNT, &soft_self.cq_next, &cq->index);
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
	return soft_refuse(-err);
}

/*
 * Locks the row and soft_self.lock. The row's holder may be stopped, and must not be waited for under soft_self.lock; a
 * thread that holds soft_self.lock may wait for the row. False: the row is not available.
 */
static bool cq_lock_whole(struct core_cq *cq)
{
	unsigned int spins = 0;

	while (soft_cq_row_lock(cq)) {
		if (pthread_mutex_trylock(&soft_self.lock) == 0)
			return true;
		shared_lock_release(&cq->row->lock);
		lock_pause(&spins);
	}
	return false;
}

int soft_destroy_cq(struct ibv_cq *public)
{
	SOFT_UNCANCELLED;
	struct core_cq *cq = core_cq_of(public);
	bool is_free;

	if (__atomic_load_n(&cq->users, __ATOMIC_ACQUIRE))
		return EBUSY;
	soft_async_forget_cq(cq);
	is_free = cq_lock_whole(cq);
	if (!is_free)
		pthread_mutex_lock(&soft_self.lock);
	if (public->channel)
		soft_channel_remove(cq);
	public->channel = NULL;
	if (!is_free) { /* the stopped process that holds the lock keeps its rings, until the tables are freed */
		cq->is_abandoned = true;
		pthread_mutex_unlock(&soft_self.lock);
		return 0;
	}
	soft_self.cqs[cq->index] = NULL;
	rings_close(cq->ring, cq->sent, cq->sent_times, cq->mask + 1);
	pthread_mutex_unlock(&soft_self.lock);
	pthread_mutex_destroy(&public->mutex);
	pthread_cond_destroy(&public->cond);
	free(cq);
	return 0;
}

void soft_cq_free_abandoned(void)
{
	for (uint32_t i = 1; i < LAYOUT_CQ_COUNT; i++) {
		struct core_cq *cq = soft_self.cqs[i];

		if (cq && cq->is_abandoned)
			free(cq);
	}
}

/* Both locks are held: copies waiting completions to larger or smaller rings. */
static int rings_exchange(struct core_cq *cq, uint32_t capacity)
{
	struct cq_row *row = cq->row;
	struct sent *old_sent = cq->sent;
	uint64_t *old_times = cq->sent_times;
	struct cqe *old_ring = cq->ring;
	uint32_t old_mask = cq->mask;
	uint32_t tail = row->tail;
	int err;

	if (cq->sent_tail - cq->sent_head > capacity || tail - cq->head > capacity)
		return -EINVAL;
	err = rings_open(cq, capacity);
	if (err)
		return err;
	for (uint32_t i = cq->sent_head; i != cq->sent_tail; i++) {
		cq->sent[i & cq->sent_mask] = old_sent[i & old_mask];
		if (old_times)
			cq->sent_times[i & cq->sent_mask] = old_times[i & old_mask];
	}
	for (uint32_t i = cq->head; i != tail; i++)
		cq->ring[i & cq->mask] = old_ring[i & old_mask];
	rings_close(old_ring, old_sent, old_times, old_mask + 1);
	return 0;
}

/* Called before anything can complete. */
int soft_cq_keep_times(struct ibv_cq *public)
{
	struct core_cq *cq = core_cq_of(public);

	cq->sent_times = mapping_make_private((cq->sent_mask + 1) * sizeof(*cq->sent_times));
	if (!cq->sent_times)
		return ENOMEM;
	cq->row->has_times = 1;
	return 0;
}

int soft_resize_cq(struct ibv_cq *public, int cqe)
{
	SOFT_UNCANCELLED;
	struct core_cq *cq = core_cq_of(public);
	bool biased;
	int err = -EBUSY;

	if (cqe < 1 || (uint32_t)cqe > soft_profile()->max_cqe)
		return EINVAL;
	if (soft_fault_strikes(FAULT_RESIZE_CQ))
		return EIO;
	if (cq_lock_whole(cq)) {
		biased = local_lock_take(&cq->lock);
		err = rings_exchange(cq, (uint32_t)cqe);
		local_lock_release(&cq->lock, biased);
		pthread_mutex_unlock(&soft_self.lock);
		shared_lock_release(&cq->row->lock);
	}
	return -err;
}

void soft_cq_overrun(uint32_t index)
{
	pthread_mutex_lock(&soft_self.lock);
	if (index < LAYOUT_CQ_COUNT && soft_self.cqs[index])
		soft_async_raise_cq(soft_self.cqs[index], IBV_EVENT_CQ_ERR);
	pthread_mutex_unlock(&soft_self.lock);
}
