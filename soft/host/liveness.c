// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The connections to other processes: a list that the service thread polls and that any thread changes, and the bell
 * that notifies the service thread of the change.
 */
#include "config.h"

#include "host/liveness.h"

#include <sys/eventfd.h>
#include <sys/socket.h>

#include "host/core.h"
#include "host/mapping.h"
#include "host/runtime_dir.h"

pthread_mutex_t soft_liveness_lock = PTHREAD_MUTEX_INITIALIZER; /* protects all of the following except the bell */
static struct {
	struct connection *connections;
	size_t count;
	int bell_fd;
} live = {.bell_fd = -1};

/* What the service thread polls; only that thread uses them. */
static struct pollfd *polls;
static size_t polls_room;

int soft_liveness_open(void)
{
	live.bell_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return live.bell_fd < 0 ? -errno : 0;
}

void soft_liveness_close(void)
{
	for (size_t i = 0; i < live.count; i++) {
		if (!live.connections[i].is_outgoing)
			close(live.connections[i].fd);
	}
	live.count = 0;
	descriptor_close(&live.bell_fd);
}

int soft_liveness_bell(void)
{
	return live.bell_fd;
}

void soft_liveness_ring(void)
{
	const uint64_t one = 1;

	if (live.bell_fd >= 0 && write(live.bell_fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
		soft_error("cannot wake the service thread: %s", strerror(errno));
}

void soft_liveness_received(void)
{
	uint64_t rings;

	(void)!read(live.bell_fd, &rings, sizeof(rings));
}

static int connection_add(struct connection connection)
{
	struct connection *larger;

	pthread_mutex_lock(&soft_liveness_lock);
	larger = soft_array_grow(live.connections, live.count, sizeof(*larger));
	if (larger) {
		live.connections = larger;
		live.connections[live.count++] = connection;
	}
	pthread_mutex_unlock(&soft_liveness_lock);
	return larger ? 0 : -ENOMEM;
}

/* The lock is held. */
static struct connection *connection_find(int fd)
{
	for (size_t i = 0; i < live.count; i++) {
		if (live.connections[i].fd == fd)
			return &live.connections[i];
	}
	return NULL;
}

int soft_liveness_watch(int fd, uint32_t slot, uint32_t instance)
{
	int err =
		connection_add((struct connection){.fd = fd, .slot = slot, .instance = instance, .is_outgoing = true});

	if (!err)
		soft_liveness_ring();
	return err;
}

int soft_liveness_accept(int fd)
{
	return connection_add((struct connection){.fd = fd});
}

void soft_liveness_forget(int fd)
{
	struct connection *connection;

	pthread_mutex_lock(&soft_liveness_lock);
	connection = connection_find(fd);
	if (connection)
		*connection = live.connections[--live.count];
	pthread_mutex_unlock(&soft_liveness_lock);
}

void soft_liveness_name(int fd, uint32_t slot, uint32_t instance)
{
	struct connection *connection;

	pthread_mutex_lock(&soft_liveness_lock);
	connection = connection_find(fd);
	if (connection) {
		connection->slot = slot;
		connection->instance = instance;
	}
	pthread_mutex_unlock(&soft_liveness_lock);
}

/*
 * Not on the heap: the kernel reads this when the thread already counts as asleep, and a page of the program that
 * becomes private again is empty for a moment then.
 */
static void polls_make_room(size_t count)
{
	struct pollfd *larger;

	if (polls && polls_room >= count)
		return;
	larger = mapping_make_private(2 * count * sizeof(*larger));
	if (!larger)
		return;
	mapping_drop(polls, polls_room * sizeof(*polls));
	polls = larger;
	polls_room = 2 * count;
}

struct pollfd *soft_liveness_polls(size_t fixed, size_t *count)
{
	pthread_mutex_lock(&soft_liveness_lock);
	polls_make_room(live.count + fixed);
	*count = polls ? fixed : 0;
	for (size_t i = 0; i < live.count && *count < polls_room && *count; i++)
		polls[(*count)++] = (struct pollfd){.fd = live.connections[i].fd, .events = POLLIN};
	pthread_mutex_unlock(&soft_liveness_lock);
	return polls;
}

size_t soft_liveness_strangers(int *fds, size_t max)
{
	size_t count = 0;

	pthread_mutex_lock(&soft_liveness_lock);
	for (size_t i = 0; i < live.count && count < max; i++) {
		if (!live.connections[i].is_outgoing && !live.connections[i].instance)
			fds[count++] = live.connections[i].fd;
	}
	pthread_mutex_unlock(&soft_liveness_lock);
	return count;
}

/* Nothing but the end is expected on an outgoing connection; anything else must not wake us repeatedly. */
static bool outgoing_has_ended(int fd)
{
	char ignored[64];
	ssize_t length = recv(fd, ignored, sizeof(ignored), MSG_DONTWAIT);

	return length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR);
}

bool soft_liveness_find(int fd, struct connection *copy)
{
	struct connection *found;
	bool has_ended = false;

	pthread_mutex_lock(&soft_liveness_lock);
	found = connection_find(fd);
	*copy = found ? *found : (struct connection){.fd = -1};
	/*
	 * The descriptor belongs to its peer, which may close it, and the number may be reused, unless we hold the
	 * lock.
	 */
	if (found && found->is_outgoing && outgoing_has_ended(fd)) {
		has_ended = true;
		*found = live.connections[--live.count];
	}
	pthread_mutex_unlock(&soft_liveness_lock);
	return has_ended;
}

/* A process may have two, while one of its threads disconnects and another reconnects. */
bool soft_liveness_initiator_is_gone(uint32_t instance)
{
	bool is_gone = true;

	pthread_mutex_lock(&soft_liveness_lock);
	for (size_t i = 0; i < live.count && is_gone; i++) {
		const struct connection *connection = &live.connections[i];

		if (!connection->is_outgoing && connection->instance == instance)
			is_gone = soft_runtime_is_gone(connection->fd);
	}
	pthread_mutex_unlock(&soft_liveness_lock);
	return is_gone;
}

bool soft_liveness_holder_is_gone(uint32_t holder)
{
	return holder && holder != soft_self.instance && soft_liveness_initiator_is_gone(holder);
}

void soft_liveness_reset(void)
{
	soft_liveness_close();
	free(live.connections);
	live.connections = NULL;
	mapping_drop(polls, polls_room * sizeof(*polls));
	polls = NULL;
}
