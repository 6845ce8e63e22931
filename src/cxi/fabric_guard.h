/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Protection against a provider's call that does not return. The shared memory provider (shm, 1.17) uses spin locks in
 * memory shared by both sides: if one side is stopped or killed while it holds a lock, the other one spins forever,
 * without reacting to Ctrl-C. A thread checks how long a call lasts and whether the peer has closed its end, and sends
 * a signal to the calling thread, whose handler jumps out of the call. Locks of the library remain held: it is never
 * called again, and the process is about to exit.
 */
#ifndef CXI_FABRIC_GUARD_H
#define CXI_FABRIC_GUARD_H

#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "cxi/watcher.h"

struct fabric_guard {
	sigjmp_buf way_out;	  /* of the current call */
	_Atomic uint64_t entered; /* incremented at each start and end of a call; odd: in a call */
	_Atomic uint64_t overdue; /* value of entered for the call that must end; 0: none */
	_Atomic int64_t limit_ms; /* of a call */
	bool is_stuck;		  /* a call was abandoned: the library must not be called again */
	pthread_t caller;
	int peer_fd; /* closed when the peer's process is gone; -1: none */
	struct cxi_watcher watcher;
};

/* Guards calls by this thread. If there is no thread or descriptor for that, calls are not guarded. */
void fabric_guard_start(struct fabric_guard *guard, int64_t limit_ms, int peer_fd);
/* May be zeroed except for watcher.end_fd, which is -1. */
void fabric_guard_stop(struct fabric_guard *guard);

/* Is there a guard? */
static inline bool fabric_guard_is_on(const struct fabric_guard *guard)
{
	return cxi_watcher_is_on(&guard->watcher);
}

/*
 * Around each call, if there is a guard. The caller sets way_out, and must not return before the call has ended.
 *
 *	if (guard->is_stuck)
 *		return fabric_guard_left(guard);
 *	if (sigsetjmp(guard->way_out, 0)) // stands alone: C11 7.13.1.1
 *		return fabric_guard_left(guard);
 *	fabric_guard_enter(guard);
 *	ret = ...;
 *	fabric_guard_leave(guard);
 */
/* Written by a single thread, so two locked instructions per poll are avoided. */
static inline void fabric_guard_count(struct fabric_guard *guard)
{
	const uint64_t entered = atomic_load_explicit(&guard->entered, memory_order_relaxed);

	atomic_store_explicit(&guard->entered, entered + 1, memory_order_release);
}

static inline void fabric_guard_enter(struct fabric_guard *guard)
{
	fabric_guard_count(guard);
}

static inline void fabric_guard_leave(struct fabric_guard *guard)
{
	fabric_guard_count(guard);
}

/*
 * A call was abandoned, now or earlier: -ETIMEDOUT, -ECONNRESET if the peer is gone, or -EINTR if the user wants to
 * stop.
 */
int fabric_guard_left(struct fabric_guard *guard);

#endif
