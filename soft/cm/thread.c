// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The thread that receives other processes' messages while the program sleeps or computes. Started with the first event
 * channel, it sleeps in epoll_wait() until a socket is readable or a time limit expires.
 */
#include "config.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "cm/cm.h"
#include "host/threads.h"

#define BATCH	 64
#define PAUSE_MS 4
#define TURNS	 (CM_MAX_IDS / BATCH) /* full batches: then each socket has had its turn */

static struct {
	bool is_running;
	int epoll_fd;
	int bell_fd; /* a time limit was set */
	bool rings;
	bool has_limits; /* some id has one; otherwise the table is not searched */
	bool pauses;	 /* before it looks at the sockets again */
	const struct cm_thread_calls *calls;
} thread = {.epoll_fd = -1, .bell_fd = -1};

int cm_thread_watch(int fd, uint32_t id)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = id};

	return epoll_ctl(thread.epoll_fd, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

void cm_thread_rouse(void)
{
	const uint64_t one = 1;

	thread.has_limits = true;
	if (thread.rings)
		return;
	thread.rings = true;
	(void)!write(thread.bell_fd, &one, sizeof(one));
}

void cm_thread_pause(void)
{
	thread.pauses = true;
}

void cm_set_deadline(struct cm_id *id, int64_t in_ms)
{
	id->deadline_ms = in_ms ? soft_monotonic_ms() + in_ms : 0;
	if (in_ms)
		cm_thread_rouse();
}

/* Handles expired limits; returns milliseconds until the next, -1: there is none. */
static int limits_serve(void)
{
	const int64_t now = soft_monotonic_ms();
	int64_t next = INT64_MAX;
	struct cm_id *id;
	uint32_t number = 0;

	if (!thread.has_limits)
		return -1;
	while ((id = cm_id_next(number))) {
		number = id->number;
		thread.calls->time_passes(id, now);
		id = cm_id_at(number);
		if (!id)
			continue;
		if (id->deadline_ms && id->deadline_ms < next)
			next = id->deadline_ms;
		if (id->retry_ms && id->retry_ms < next)
			next = id->retry_ms;
	}
	thread.has_limits = next != INT64_MAX;
	if (next == INT64_MAX)
		return -1;
	return next <= now ? 0 : (int)(next - now);
}

static void *cm_thread_run(void *argument)
{
	struct epoll_event events[BATCH];
	unsigned int full = 0; /* batches, one behind the other */
	int timeout = -1;

	(void)argument;
	for (;;) {
		int count = epoll_wait(thread.epoll_fd, events, BATCH, timeout);
		bool pauses;

		pthread_mutex_lock(&cm_lock);
		for (int i = 0; i < count; i++) {
			struct cm_id *id = cm_id_at(events[i].data.u32);
			uint64_t rings;

			if (events[i].data.u32 == 0) {
				(void)!read(thread.bell_fd, &rings, sizeof(rings));
				thread.rings = false;
			} else if (id) {
				thread.calls->readable(id);
			}
		}
		/* A full batch may not be all: what has come is not late because the thread is. */
		full = count < BATCH ? 0 : full + 1;
		timeout = full % TURNS ? 0 : limits_serve();
		pauses = thread.pauses;
		thread.pauses = false;
		pthread_mutex_unlock(&cm_lock);
		if (pauses)
			poll(NULL, 0, PAUSE_MS);
	}
	return NULL;
}

int cm_thread_start(const struct cm_thread_calls *calls)
{
	pthread_t handle;
	int err;

	if (thread.is_running)
		return 0;
	thread.calls = calls;
	thread.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	thread.bell_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	err = thread.epoll_fd < 0 || thread.bell_fd < 0 ? -errno : cm_thread_watch(thread.bell_fd, 0);
	if (err)
		goto err_close;
	err = -soft_thread_create(&handle, cm_thread_run, NULL);
	if (err)
		goto err_close;
	pthread_detach(handle);
	thread.is_running = true;
	return 0;

err_close:
	cm_thread_forget();
	return err;
}

void cm_thread_forget(void)
{
	descriptor_close(&thread.epoll_fd);
	descriptor_close(&thread.bell_fd);
	thread.is_running = thread.rings = thread.has_limits = thread.pauses = false;
}
