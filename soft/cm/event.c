// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Event channels: queues of events of cm ids that the program has not read yet.
 *
 * The channel's eventfd counts one for each queued event. A reader first takes a token, blocking or not as the
 * program's flags say, and then the event, under the lock. Dropping an event also removes its token; if a reader was
 * faster, it finds no event for its token and waits for the next one.
 */
#include "config.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/uio.h>

#include "cm/cm.h"

struct cm_event {
	struct cm_event *next;
	struct cm_id *id;	/* counted in its events_reported: the listener, for a request */
	struct cm_id *child;	/* of a request */
	struct cm_group *group; /* of an event of a group of the id's */
	struct rdma_ucm_event_resp response;
};

int cm_channel_open(int flags, struct cm_channel **out)
{
	struct cm_channel *channel = calloc(1, sizeof(*channel));
	int err;

	if (!channel)
		return -ENOMEM;
	channel->fd = eventfd(0, EFD_SEMAPHORE | (flags & O_CLOEXEC ? EFD_CLOEXEC : 0) |
					 (flags & O_NONBLOCK ? EFD_NONBLOCK : 0));
	if (channel->fd < 0) {
		err = -errno;
		free(channel);
		return err;
	}
	channel->users = 1;
	channel->last = &channel->first;
	*out = channel;
	return 0;
}

void cm_channel_put(struct cm_channel *channel)
{
	if (--channel->users)
		return;
	while (channel->first) {
		struct cm_event *event = channel->first;

		channel->first = event->next;
		free(event);
	}
	free(channel);
}

/* The program may have replaced it by another file, which must not be written to. */
static bool channel_is_there(struct cm_channel *channel)
{
	if (channel->fd >= 0 && eventfd_look(channel->fd) == 0)
		channel->fd = -1;
	return channel->fd >= 0;
}

static int enqueue(struct cm_channel *channel, const struct cm_event *event)
{
	struct cm_event *copy = malloc(sizeof(*copy));

	if (!copy)
		return -ENOMEM;
	*copy = *event;
	copy->next = NULL;
	*channel->last = copy;
	channel->last = &copy->next;
	/* Not write(), which we interpose (node.c). */
	if (channel_is_there(channel))
		eventfd_write(channel->fd, 1);
	return 0;
}

/* The program reads it as an event of that id, or group. */
static int event_queue(struct cm_event event, uint64_t uid, uint32_t number, uint32_t type)
{
	event.response.uid = uid;
	event.response.id = number;
	event.response.event = type;
	return enqueue(event.id->channel, &event);
}

int cm_event_raise(struct cm_id *id, enum cm_event_type type, int status, const struct rdma_ucm_event_resp *details)
{
	struct cm_event event = {.id = id};

	if (!id->uid)
		return 0;
	if (details)
		event.response = *details;
	event.response.status = (uint32_t)status;
	return event_queue(event, id->uid, id->number, type);
}

int cm_event_write(struct cm_id *id, const struct cm_write_event *command)
{
	struct cm_event event = {.id = id, .response.status = command->status};

	if (command->event != CM_USER && command->event != CM_INTERNAL)
		return -EINVAL;
	memcpy(&event.response.param, &command->param.arg, sizeof(command->param.arg));
	return event_queue(event, id->uid, id->number, command->event);
}

int cm_event_raise_join(struct cm_id *id, struct cm_group *group, const struct rdma_ucm_event_resp *details)
{
	return event_queue((struct cm_event){.id = id, .group = group, .response = *details}, group->uid, group->number,
			   CM_MULTICAST_JOIN);
}

int cm_event_raise_request(struct cm_id *listener, struct cm_id *child, const struct rdma_ucm_event_resp *details)
{
	return event_queue((struct cm_event){.id = listener, .child = child, .response = *details}, listener->uid,
			   child->number, CM_CONNECT_REQUEST);
}

/* Never blocks, whatever the program's flags. Kernels before 5.8 do not support the flag for an eventfd. */
static void token_take_back(struct cm_channel *channel)
{
	uint64_t token;
	struct iovec into = {&token, sizeof(token)};
	struct pollfd ready = {.fd = channel->fd, .events = POLLIN};

	if (!channel_is_there(channel))
		return;
	if (preadv2(channel->fd, &into, 1, -1, RWF_NOWAIT) < 0 && errno == EOPNOTSUPP && poll(&ready, 1, 0) == 1)
		(void)!read(channel->fd, &token, sizeof(token));
}

/* Only of that group of the id, unless it is NULL. */
static struct cm_event *unlink_first_of(struct cm_channel *channel, const struct cm_id *id,
					const struct cm_group *group)
{
	for (struct cm_event **link = &channel->first; *link; link = &(*link)->next) {
		struct cm_event *event = *link;

		if ((event->id != id && event->child != id) || (group && event->group != group))
			continue;
		*link = event->next;
		if (!*link)
			channel->last = link;
		return event;
	}
	return NULL;
}

void cm_event_drop(struct cm_id *id, const struct cm_group *group)
{
	struct cm_event *event;

	while ((event = unlink_first_of(id->channel, id, group))) {
		token_take_back(id->channel);
		free(event);
	}
}

void cm_event_move(struct cm_id *id, struct cm_channel *to)
{
	struct cm_event *event;

	while ((event = unlink_first_of(id->channel, id, NULL))) {
		token_take_back(id->channel);
		enqueue(to, event);
		free(event);
	}
}

int cm_event_take(struct cm_channel *channel, struct rdma_ucm_event_resp *response)
{
	struct cm_event *event = NULL;
	uint64_t token;

	while (!event) {
		if (read(channel->fd, &token, sizeof(token)) < 0)
			return -errno;
		pthread_mutex_lock(&cm_lock);
		event = channel->first;
		if (event) {
			channel->first = event->next;
			if (!channel->first)
				channel->last = &channel->first;
			event->id->events_reported++;
			if (event->group)
				event->group->events_reported++;
			/* The program has seen it: its place in the backlog is free for the next request. */
			if (event->child) {
				event->id->backlog++;
				event->child->listener = NULL;
			}
		}
		pthread_mutex_unlock(&cm_lock);
	}
	*response = event->response;
	free(event);
	return 0;
}
