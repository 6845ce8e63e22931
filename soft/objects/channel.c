// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How does a sleeping program learn of a completion? A channel is an eventfd that counts events; each CQ
 * counts its own in its row. Whoever stores a completion, here or in another process, looks whether the CQ
 * is armed and writes to the eventfd. The store of the completion and the look at `armed` are kept in order
 * by a full fence, as are arming and the program's poll after it: without them both sides can miss the
 * other, and the program sleeps for good. Only CQs with a channel pay for it.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "host/core.h"
#include "host/fault.h"
#include "host/peer.h"
#include "host/wire.h"

struct ibv_comp_channel *soft_create_comp_channel(struct ibv_context *context)
{
	SOFT_UNCANCELLED;
	static uint32_t uses;
	struct core_channel *channel;
	uint32_t index;

	if (soft_fault_strikes(FAULT_CREATE_COMP_CHANNEL)) {
		errno = ENOMEM;
		return NULL;
	}
	channel = calloc(1, sizeof(*channel));
	if (!channel)
		return NULL;
	channel->soft.base.context = context;
	channel->last_cq = &channel->first_cq;
	channel->soft.base.fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
	if (channel->soft.base.fd < 0)
		goto err_free;
	pthread_mutex_lock(&soft_self.lock);
	for (index = 0; index < CHANNEL_COUNT && soft_self.channels[index]; index++)
		;
	if (index < CHANNEL_COUNT) {
		channel->number = CHANNEL_NUMBER(index, ++uses);
		soft_self.channels[index] = channel;
	}
	pthread_mutex_unlock(&soft_self.lock);
	if (index < CHANNEL_COUNT)
		return &channel->soft.base;
	close(channel->soft.base.fd);
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

	channel->soft.base.refcnt++;
	cq->row->channel = channel->number;
	list_append(channel, cq);
}

void soft_channel_remove(struct core_cq *cq)
{
	struct core_channel *channel = channel_of(cq);

	channel->soft.base.refcnt--;
	list_remove(channel, cq);
}

static bool event_write(int fd)
{
	const uint64_t one = 1;

	return fd >= 0 && write(fd, &one, sizeof(one)) == sizeof(one);
}

/* -1: there is no channel. What a row of our own says is not asked: it is written by others, too. */
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
	if (!event_write(channel_fd(peer, row)) && peer != &soft_self_peer)
		soft_notice_send(peer, NOTICE_EVENT, (uint32_t)(row - soft_peer_cq(peer, 0)), 0);
}

/*
 * An initiator was killed, perhaps between disarming the queue and writing the event. One too many does no
 * harm: the program polls and finds nothing.
 */
void soft_channel_rouse(struct core_cq *cq)
{
	struct cq_row *row = cq->row;

	if (!cq->soft.base.channel || __atomic_load_n(&row->armed, __ATOMIC_ACQUIRE) != CQ_ARMED_NOT)
		return;
	__atomic_add_fetch(&row->events, 1, __ATOMIC_RELEASE);
	event_write(cq->soft.base.channel->fd);
}

/* The same, where it is known that something can be polled. The queue is not destroyed meanwhile. */
void soft_channel_rouse_pending(struct core_cq *cq)
{
	uint32_t head = __atomic_load_n(&cq->head, __ATOMIC_RELAXED);

	if (!cq->soft.base.channel || __atomic_load_n(&cq->ring[head & cq->mask].stamp, __ATOMIC_ACQUIRE) != head + 1)
		return;
	soft_channel_notify(&soft_self_peer, cq->row, true /* whatever it is armed for */);
	soft_channel_rouse(cq);
}

/* The initiator has counted the event already and could not write it. */
void soft_channel_wake(uint32_t cq_index)
{
	struct core_cq *cq;

	pthread_mutex_lock(&soft_self.lock);
	cq = cq_index < LAYOUT_CQ_COUNT ? soft_self.cqs[cq_index] : NULL;
	if (cq && cq->soft.base.channel)
		event_write(cq->soft.base.channel->fd);
	pthread_mutex_unlock(&soft_self.lock);
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

		/* Armed for any completion already: that stands. */
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
			list_remove(channel, found); /* to the end, so that none is passed over */
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
