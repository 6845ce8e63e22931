// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Asynchronous events: a queue of events per open device, and an eventfd that counts them, so that poll() works on
 * async_fd. Destroying an object drops its events, but waits until those that the program has read are acknowledged, as
 * libibverbs does. The program's threads and the service thread raise them.
 */
#include "host/async.h"

#include <poll.h>
#include <sys/eventfd.h>

struct soft_async_entry {
	struct soft_async_entry *next;
	struct ibv_async_event event;
	uint32_t *reported; /* of its object: events that the program has read; NULL for a port or the device */
};

static struct soft_core_context *core_of(const struct ibv_context *context)
{
	return soft_context_of(context)->core;
}

#define OBJECT(of, counter) ((struct async_object){(of)->context, &(of)->mutex, &(of)->cond, &(of)->counter})

struct async_object soft_async_object(const struct ibv_async_event *event)
{
	switch (event->event_type) {
	case IBV_EVENT_CQ_ERR:
		return OBJECT(event->element.cq, async_events_completed);
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		return OBJECT(event->element.qp, events_completed);
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_SRQ_LIMIT_REACHED:
		return OBJECT(event->element.srq, events_completed);
	default:
		return (struct async_object){0};
	}
}

int soft_async_open(struct soft_core_context *core)
{
	core->async_fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
	if (core->async_fd < 0)
		return -errno;
	pthread_mutex_init(&core->lock, NULL);
	core->last = &core->first;
	return 0;
}

void soft_async_close(struct soft_core_context *core)
{
	while (core->first) {
		struct soft_async_entry *entry = core->first;

		core->first = entry->next;
		free(entry);
	}
	close(core->async_fd);
	pthread_mutex_destroy(&core->lock);
}

static void event_raise(struct ibv_context *context, struct ibv_async_event event, uint32_t *reported)
{
	struct soft_core_context *core = core_of(context);
	struct soft_async_entry *entry = calloc(1, sizeof(*entry));
	const uint64_t one = 1;

	if (!entry)
		return;
	entry->event = event;
	entry->reported = reported;
	pthread_mutex_lock(&core->lock);
	*core->last = entry;
	core->last = &entry->next;
	pthread_mutex_unlock(&core->lock);
	(void)!write(core->async_fd, &one, sizeof(one));
}

void soft_async_raise_qp(struct core_qp *qp, enum ibv_event_type type)
{
	struct ibv_qp *public = &qp->soft.base.qp_base;

	event_raise(public->context, (struct ibv_async_event){.element.qp = public, .event_type = type},
		    &qp->async_reported);
}

void soft_async_raise_cq(struct core_cq *cq, enum ibv_event_type type)
{
	struct ibv_cq *public = (struct ibv_cq *)&cq->soft.base;

	event_raise(public->context, (struct ibv_async_event){.element.cq = public, .event_type = type},
		    &cq->async_reported);
}

void soft_async_raise_srq(struct core_srq *srq, enum ibv_event_type type)
{
	event_raise(srq->base.context, (struct ibv_async_event){.element.srq = &srq->base, .event_type = type},
		    &srq->async_reported);
}

void soft_async_raise_port(struct ibv_context *context, enum ibv_event_type type)
{
	event_raise(context, (struct ibv_async_event){.element.port_num = 1, .event_type = type}, NULL);
}

int soft_get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	struct soft_core_context *core = core_of(context);
	struct soft_async_entry *entry = NULL;
	uint64_t token;

	while (!entry) {
		if (read(core->async_fd, &token, sizeof(token)) < 0)
			return -1;
		pthread_mutex_lock(&core->lock);
		entry = core->first;
		if (entry) {
			core->first = entry->next;
			if (!core->first)
				core->last = &core->first;
			if (entry->reported)
				++*entry->reported;
		}
		pthread_mutex_unlock(&core->lock);
	}
	*event = entry->event;
	free(entry);
	return 0;
}

void soft_ack_async_event(struct ibv_async_event *event)
{
	const struct async_object object = soft_async_object(event);

	if (!object.context)
		return;
	pthread_mutex_lock(object.mutex);
	++*object.acknowledged;
	pthread_cond_broadcast(object.cond);
	pthread_mutex_unlock(object.mutex);
}

/* Returns how many events of the object were read. */
static uint32_t events_drop(struct soft_core_context *core, const uint32_t *reported)
{
	struct pollfd ready = {.fd = core->async_fd, .events = POLLIN};
	uint32_t count;
	uint64_t token;

	pthread_mutex_lock(&core->lock);
	for (struct soft_async_entry **link = &core->first; *link;) {
		struct soft_async_entry *entry = *link;

		if (entry->reported != reported) {
			link = &entry->next;
			continue;
		}
		*link = entry->next;
		free(entry);
		if (poll(&ready, 1, 0) == 1)
			(void)!read(core->async_fd, &token, sizeof(token));
	}
	core->last = &core->first;
	while (*core->last)
		core->last = &(*core->last)->next;
	count = *reported;
	pthread_mutex_unlock(&core->lock);
	return count;
}

static void object_forget(struct async_object object, const uint32_t *reported)
{
	const uint32_t count = events_drop(core_of(object.context), reported);

	pthread_mutex_lock(object.mutex);
	while (*object.acknowledged != count)
		pthread_cond_wait(object.cond, object.mutex);
	pthread_mutex_unlock(object.mutex);
}

void soft_async_forget_qp(struct core_qp *qp)
{
	object_forget(OBJECT(&qp->soft.base.qp_base, events_completed), &qp->async_reported);
}

void soft_async_forget_srq(struct core_srq *srq)
{
	object_forget(OBJECT(&srq->base, events_completed), &srq->async_reported);
}

void soft_async_forget_cq(struct core_cq *cq)
{
	struct ibv_cq *public = (struct ibv_cq *)&cq->soft.base;

	object_forget(OBJECT(public, async_events_completed), &cq->async_reported);
	pthread_mutex_lock(&public->mutex);
	while (public->comp_events_completed != cq->events_reported)
		pthread_cond_wait(&public->cond, &public->mutex);
	pthread_mutex_unlock(&public->mutex);
}
