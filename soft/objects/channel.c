// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Completion channels: an eventfd that counts events; each CQ counts its own in its row. Called through the verbs;
 * data/cqe.c writes the events.
 */
#include "objects/objects.h"

#include <sys/eventfd.h>

#include "data/cqe.h"
#include "host/fault.h"
#include "host/threads.h"

struct ibv_comp_channel *soft_create_comp_channel(struct ibv_context *context)
{
	SOFT_UNCANCELLED;
	static uint32_t uses;
	struct core_channel *channel = soft_fault_alloc(FAULT_CREATE_COMP_CHANNEL, sizeof(*channel));
	uint32_t next = 0; /* the lowest index: peers keep a descriptor for each one used, until it is used again */
	uint32_t index;
	int err;

	if (!channel)
		return NULL;
	channel->base.context = context;
	channel->last_cq = &channel->first_cq;
	channel->base.fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
	if (channel->base.fd < 0)
		goto err_free;
	pthread_mutex_lock(&soft_self.lock);
	err = soft_index_find(soft_self.channels, 0, CHANNEL_COUNT, &next, &index);
	if (!err) {
		channel->number = CHANNEL_NUMBER(index, ++uses);
		soft_self.channels[index] = channel;
	}
	pthread_mutex_unlock(&soft_self.lock);
	if (!err)
		return &channel->base;
	close(channel->base.fd);
	errno = ENOMEM;
err_free:
	free(channel);
	return NULL;
}

int soft_destroy_comp_channel(struct ibv_comp_channel *public)
{
	SOFT_UNCANCELLED;
	struct core_channel *channel = (struct core_channel *)public;
	bool is_used;

	pthread_mutex_lock(&soft_self.lock);
	is_used = public->refcnt != 0;
	if (!is_used)
		soft_self.channels[CHANNEL_INDEX(channel->number)] = NULL;
	pthread_mutex_unlock(&soft_self.lock);
	if (is_used)
		return EBUSY;
	close(public->fd);
	free(channel);
	return 0;
}

static struct core_channel *channel_of(struct core_cq *cq)
{
	return (struct core_channel *)cq->soft.base.channel;
}

static void list_append(struct core_channel *channel, struct core_cq *cq)
{
	cq->next_of_channel = NULL;
	*channel->last_cq = cq;
	channel->last_cq = &cq->next_of_channel;
}

static void list_remove(struct core_channel *channel, struct core_cq *cq)
{
	struct core_cq **link = &channel->first_cq;

	while (*link != cq)
		link = &(*link)->next_of_channel;
	*link = cq->next_of_channel;
	if (channel->last_cq == &cq->next_of_channel)
		channel->last_cq = link;
}

void soft_channel_add(struct core_cq *cq)
{
	struct core_channel *channel = channel_of(cq);

	channel->base.refcnt++;
	cq->row->channel = channel->number;
	list_append(channel, cq);
}

void soft_channel_remove(struct core_cq *cq)
{
	struct core_channel *channel = channel_of(cq);

	channel->base.refcnt--;
	list_remove(channel, cq);
}

/* The initiator has counted the event already but could not write it. */
void soft_channel_wake(uint32_t cq_index)
{
	struct core_cq *cq;

	pthread_mutex_lock(&soft_self.lock);
	cq = cq_index < LAYOUT_CQ_COUNT ? soft_self.cqs[cq_index] : NULL;
	if (cq && cq->soft.base.channel)
		soft_channel_write(cq->soft.base.channel->fd);
	pthread_mutex_unlock(&soft_self.lock);
}

int soft_channel_descriptor(uint32_t number)
{
	uint32_t index = CHANNEL_INDEX(number);
	const struct core_channel *channel = index < CHANNEL_COUNT ? soft_self.channels[index] : NULL;

	return channel && channel->number == number ? channel->base.fd : -1;
}

int soft_req_notify_cq(struct ibv_cq *public, int solicited_only)
{
	struct core_cq *cq = core_cq_of(public);

	if (!public->channel)
		return 0;
	if (!solicited_only)
		__atomic_exchange_n(&cq->row->armed, CQ_ARMED_ANY, __ATOMIC_SEQ_CST);
	else {
		uint32_t none = CQ_ARMED_NOT;

		/* If already armed for any completion, it stays so. */
		__atomic_compare_exchange_n(&cq->row->armed, &none, CQ_ARMED_SOLICITED, false, __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST);
	}
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return 0;
}

static bool event_take(struct cq_row *row)
{
	uint32_t events = __atomic_load_n(&row->events, __ATOMIC_ACQUIRE);

	while (events) {
		if (__atomic_compare_exchange_n(&row->events, &events, events - 1, false, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE))
			return true;
	}
	return false;
}

int soft_get_cq_event(struct ibv_comp_channel *public, struct ibv_cq **out, void **cq_context)
{
	struct core_channel *channel = (struct core_channel *)public;
	struct core_cq *found = NULL;
	uint64_t token;

	while (!found) {
		if (read(public->fd, &token, sizeof(token)) < 0)
			return -1;
		pthread_mutex_lock(&soft_self.lock);
		for (found = channel->first_cq; found && !event_take(found->row); found = found->next_of_channel)
			;
		if (found) {
			found->events_reported++;
			list_remove(channel, found); /* moves to the end, so that none is starved */
			list_append(channel, found);
		}
		pthread_mutex_unlock(&soft_self.lock);
	}
	*out = (struct ibv_cq *)&found->soft.base;
	*cq_context = (*out)->cq_context;
	return 0;
}

void soft_ack_cq_events(struct ibv_cq *cq, unsigned int count)
{
	if (!count)
		return;
	pthread_mutex_lock(&cq->mutex);
	cq->comp_events_completed += count;
	pthread_cond_broadcast(&cq->cond);
	pthread_mutex_unlock(&cq->mutex);
}
