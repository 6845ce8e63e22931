// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See fabric_guard.h. */
#include "config.h"

#include "cxi/fabric_guard.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>

#include "util/deadline.h"
#include "util/stop.h"

#define JUMP_SIGNAL SIGURG /* ignored by default, so that a late one does no harm */
#define STOP_MS	    1000   /* limit of a call after Ctrl-C, or without a peer */

/* The handler has no argument for it; a program has only one transport. */
static struct fabric_guard *guarded;

static void jump(int number)
{
	struct fabric_guard *guard = guarded;

	(void)number;
	if (guard && pthread_equal(pthread_self(), guard->caller) && atomic_load(&guard->overdue) &&
	    atomic_load(&guard->entered) == atomic_load(&guard->overdue))
		siglongjmp(guard->way_out, 1);
}

/* If the process was killed, its end is closed, whatever locks it held. */
static bool peer_is_gone(const struct fabric_guard *guard)
{
	struct pollfd fd = {.fd = guard->peer_fd, .events = POLLRDHUP};

	return poll(&fd, 1, 0) > 0;
}

static bool is_overdue(const struct fabric_guard *guard, struct deadline limit, struct deadline stop)
{
	return deadline_passed(limit) || (deadline_passed(stop) && (stop_requested() || peer_is_gone(guard)));
}

/* Ends each call that lasts too long, counting from when it was first seen. */
static void *guard_watch(void *argument)
{
	struct fabric_guard *guard = argument;
	struct deadline limit = deadline_in_ms(-1), stop = deadline_in_ms(-1);
	uint64_t seen = 0;

	while (cxi_watcher_pause(&guard->watcher)) {
		const uint64_t entered = atomic_load(&guard->entered);

		if (entered != seen) {
			seen = entered;
			limit = deadline_in_ms(atomic_load(&guard->limit_ms));
			stop = deadline_in_ms(STOP_MS);
		}
		if (seen % 2 && is_overdue(guard, limit, stop)) {
			atomic_store(&guard->overdue, seen);
			pthread_kill(guard->caller, JUMP_SIGNAL);
		}
	}
	return NULL;
}

void fabric_guard_start(struct fabric_guard *guard, int64_t limit_ms, int peer_fd)
{
	struct sigaction action = {.sa_handler = jump, .sa_flags = SA_NODEFER | SA_RESTART};

	sigemptyset(&action.sa_mask);
	atomic_store(&guard->limit_ms, limit_ms);
	guard->peer_fd = peer_fd;
	guard->caller = pthread_self();
	if (sigaction(JUMP_SIGNAL, &action, NULL))
		return;
	guarded = guard;
	cxi_watcher_start(&guard->watcher, guard_watch, guard);
	if (!fabric_guard_is_on(guard))
		guarded = NULL;
}

void fabric_guard_stop(struct fabric_guard *guard)
{
	if (!fabric_guard_is_on(guard))
		return;
	cxi_watcher_stop(&guard->watcher);
	guarded = NULL;
}

int fabric_guard_left(struct fabric_guard *guard)
{
	/* The stack frame of way_out is about to return. */
	if (!guard->is_stuck)
		fabric_guard_leave(guard);
	guard->is_stuck = true;
	if (stop_requested())
		return -EINTR;
	return peer_is_gone(guard) ? -ECONNRESET : -ETIMEDOUT;
}
