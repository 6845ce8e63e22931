// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See fabric_guard.h. */
#include "config.h"

#include "cxi/fabric/fabric_guard.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "util/deadline.h"
#include "util/stop.h"

#define LOOK_MS 100  /* between two checks */
#define STOP_MS 1000 /* limit of a call after Ctrl-C, or without a peer */

/* If the process was killed, its end is closed, whatever locks it held. */
static bool peer_is_gone(const struct fabric_guard *guard)
{
	struct pollfd fd = {.fd = guard->peer_fd, .events = POLLRDHUP};

	return poll(&fd, 1, 0) > 0;
}

/* 0, or why a call that has lasted until now does not go on. */
static int judge(const struct fabric_guard *guard, struct deadline limit, struct deadline stop)
{
	if (deadline_passed(stop) && stop_requested())
		return -EINTR;
	if (deadline_passed(stop) && peer_is_gone(guard))
		return -ECONNRESET;
	return deadline_passed(limit) ? -ETIMEDOUT : 0;
}

/* A call's time counts from when it was first seen. */
static void *guard_watch(void *argument)
{
	struct fabric_guard *guard = argument;
	struct deadline limit = deadline_in_ms(-1), stop = deadline_in_ms(-1);
	struct pollfd end = {.fd = guard->end_fd, .events = POLLIN};
	uint64_t seen = 0;
	int error = 0;

	while (!error && !poll(&end, 1, LOOK_MS)) {
		const uint64_t entered = atomic_load(&guard->entered);

		if (entered != seen) {
			seen = entered;
			limit = deadline_in_ms(atomic_load(&guard->limit_ms));
			stop = deadline_in_ms(STOP_MS);
		}
		if (seen % 2)
			error = judge(guard, limit, stop);
	}
	if (error)
		guard->stuck(guard->context, error);
	return NULL;
}

void fabric_guard_start(struct fabric_guard *guard, int64_t limit_ms)
{
	sigset_t all, saved;

	atomic_store(&guard->limit_ms, limit_ms);
	guard->end_fd = eventfd(0, EFD_CLOEXEC);
	if (guard->end_fd < 0)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	if (pthread_create(&guard->thread, NULL, guard_watch, guard)) {
		close(guard->end_fd);
		guard->end_fd = -1;
	}
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
}

void fabric_guard_stop(struct fabric_guard *guard)
{
	if (guard->end_fd < 0)
		return;
	(void)eventfd_write(guard->end_fd, 1);
	pthread_join(guard->thread, NULL);
	close(guard->end_fd);
	guard->end_fd = -1;
}
