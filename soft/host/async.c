// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Asynchronous events: a queue of events per open device, and an eventfd that counts them, so that poll() works on
 * async_fd. Destroying an object drops its events, but waits until those that the program has read are acknowledged, as
 * libibverbs does. The program's threads and the service thread raise them.
 */
#include "host/async.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct soft_async_entry {
	struct soft_async_entry *next;
	struct ibv_async_event event;
	void *object;
	uint32_t *reported; /* events of that object that the program has read; NULL for a port or the device */
};

static struct soft_core_context *core_of(struct ibv_context *context)
{
	return container_of_type(context, struct soft_context, verbs.context)->core;
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

static void event_raise(struct soft_core_context *core, struct ibv_async_event event, void *object, uint32_t *reported)
{
	struct soft_async_entry *entry = calloc(1, sizeof(*entry));
	const uint64_t one = 1;

	if (!entry)
		return;
	entry->event = event;
	entry->object = object;
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

	event_raise(core_of(public->context), (struct ibv_async_event){.element.qp = public, .event_type = type}, qp,
		    &qp->async_reported);
}

void soft_async_raise_cq(struct core_cq *cq, enum ibv_event_type type)
{
	struct ibv_cq *public = (struct ibv_cq *)&cq->soft.base;

	event_raise(core_of(public->context), (struct ibv_async_event){.element.cq = public, .event_type = type}, cq,
		    &cq->async_reported);
}

void soft_async_raise_srq(struct core_srq *srq, enum ibv_event_type type)
{
	struct ibv_srq *public = &srq->base;

	event_raise(core_of(public->context), (struct ibv_async_event){.element.srq = public, .event_type = type}, srq,
		    &srq->async_reported);
}

void soft_async_raise_port(struct ibv_context *context, enum ibv_event_type type)
{
	event_raise(core_of(context), (struct ibv_async_event){.element.port_num = 1, .event_type = type}, NULL, NULL);
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
	switch (event->event_type) {
	case IBV_EVENT_CQ_ERR: {
		struct ibv_cq *cq = event->element.cq;

		pthread_mutex_lock(&cq->mutex);
		cq->async_events_completed++;
		pthread_cond_broadcast(&cq->cond);
		pthread_mutex_unlock(&cq->mutex);
		break;
	}
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_QP_LAST_WQE_REACHED: {
		struct ibv_qp *qp = event->element.qp;

		pthread_mutex_lock(&qp->mutex);
		qp->events_completed++;
		pthread_cond_broadcast(&qp->cond);
		pthread_mutex_unlock(&qp->mutex);
		break;
	}
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_SRQ_LIMIT_REACHED: {
		struct ibv_srq *srq = event->element.srq;

		pthread_mutex_lock(&srq->mutex);
		srq->events_completed++;
		pthread_cond_broadcast(&srq->cond);
		pthread_mutex_unlock(&srq->mutex);
		break;
	}
	default:
		break;
	}
}

/* Returns how many events of the object were read. */
static uint32_t events_drop(struct soft_core_context *core, const void *object, const uint32_t *reported)
{
	struct pollfd ready = {.fd = core->async_fd, .events = POLLIN};
	uint32_t count;
	uint64_t token;

	pthread_mutex_lock(&core->lock);
	for (struct soft_async_entry **link = &core->first; *link;) {
		struct soft_async_entry *entry = *link;

		if (entry->object != object) {
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

void soft_async_forget_qp(struct core_qp *qp)
{
	struct ibv_qp *public = &qp->soft.base.qp_base;
	uint32_t count = events_drop(core_of(public->context), qp, &qp->async_reported);

	pthread_mutex_lock(&public->mutex);
	while (public->events_completed != count)
		pthread_cond_wait(&public->cond, &public->mutex);
	pthread_mutex_unlock(&public->mutex);
}

void soft_async_forget_srq(struct core_srq *srq)
{
	struct ibv_srq *public = &srq->base;
	uint32_t count = events_drop(core_of(public->context), srq, &srq->async_reported);

	pthread_mutex_lock(&public->mutex);
	while (public->events_completed != count)
		pthread_cond_wait(&public->cond, &public->mutex);
	pthread_mutex_unlock(&public->mutex);
}

void soft_async_forget_cq(struct core_cq *cq)
{
	struct ibv_cq *public = (struct ibv_cq *)&cq->soft.base;
	uint32_t count = events_drop(core_of(public->context), cq, &cq->async_reported);

	pthread_mutex_lock(&public->mutex);
	while (public->async_events_completed != count || public->comp_events_completed != cq->events_reported)
		pthread_cond_wait(&public->cond, &public->mutex);
	pthread_mutex_unlock(&public->mutex);
}
