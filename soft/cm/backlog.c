// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Peers that have connected to an id and whose first message has not been read: the program does not know of them yet.
 *
 * An id that is bound may be about to listen, and its program may have announced its port already (as qperf 0.4.11
 * does): peers that connect until then wait, as if their request were still in transit, but no longer than
 * CM_GREETING_MS.
 */
#include "config.h"

#include "cm/cm.h"

/* Its time begins anew: its request may have been there for as long as its program took to listen. */
static void connect_watch(struct cm_id *child)
{
	cm_set_deadline(child, CM_GREETING_MS);
	if (cm_thread_watch(child->fd, child->number))
		cm_id_destroy(child);
}

/* Calls act() for each peer of the id whose first message has not been read. */
static void for_each_greeted(const struct cm_id *listener, void (*act)(struct cm_id *child))
{
	struct cm_id *child;
	uint32_t number = 0;

	while ((child = cm_id_next(number))) {
		number = child->number;
		if (child->state == CM_GREETED && child->listener == listener)
			act(child);
	}
}

void cm_backlog_watch(const struct cm_id *id)
{
	for_each_greeted(id, connect_watch);
}

/* Creates an id for a connecting peer; its first message is the request. */
void cm_backlog_take(struct cm_id *listener)
{
	struct cm_id *child;
	int fd;

	if (cm_link_accept(listener->fd, &fd))
		return;
	child = cm_id_create(listener->channel);
	if (!child) {
		close(fd);
		return;
	}
	child->state = CM_GREETED;
	child->fd = fd;
	child->listener = listener;
	child->port_space = listener->port_space;
	child->qp_type = listener->qp_type;
	cm_set_deadline(child, CM_GREETING_MS);
	if (listener->state == CM_LISTENS)
		connect_watch(child);
}

void cm_backlog_refuse(struct cm_id *child)
{
	struct cm_message message = {
		.kind = cm_id_is_datagram(child) ? CM_SIDR_REP : CM_REJ,
		.reason = cm_id_is_datagram(child) ? CM_SIDR_UNSUPPORTED : CM_REJ_INVALID_SERVICE_ID,
	};

	cm_link_send(child->fd, &message);
	cm_id_destroy(child);
}

/* Reads the message now, because closing the socket with unread data would discard the answer. */
void cm_backlog_refuse_unread(struct cm_id *child)
{
	struct cm_message request;

	if (cm_link_receive(child->fd, &request) == 0)
		cm_backlog_refuse(child);
	else
		cm_id_destroy(child);
}

void cm_backlog_refuse_all(struct cm_id *id)
{
	for_each_greeted(id, cm_backlog_refuse_unread);
}

void cm_close(struct cm_id *id)
{
	if (id->state == CM_BOUND)
		cm_backlog_refuse_all(id);
	cm_id_destroy(id);
}
