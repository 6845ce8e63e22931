/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What if a provider's call does not return? That of shared memory (shm, 1.17) takes spin locks which lie in memory of
 * both sides: one that is stopped or killed while it holds such a lock leaves the other spinning for good, deaf to
 * Ctrl-C. A thread looks how long a call lasts, and whether the peer has hung up meanwhile, and sends a signal to who
 * is in it, whose handler jumps out of it. What the library held then it holds for ever: nothing of it is called again,
 * and the process is about to end.
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
	sigjmp_buf way_out;	  /* of the call that lasts */
	_Atomic uint64_t entered; /* calls so far; odd: one lasts */
	_Atomic uint64_t overdue; /* the number of the one that has to end; 0: none has */
	_Atomic int64_t limit_ms; /* that a call may last */
	bool is_stuck;		  /* one was left: there is no way back into the library */
	pthread_t caller;
	int peer_fd; /* hangs up when the peer's process is gone; -1: none does */
	struct cxi_watcher watcher;
};

/* For calls by this thread. Without thread or descriptor there is no guard, and calls are as they are without one. */
void fabric_guard_start(struct fabric_guard *guard, int64_t limit_ms, int peer_fd);
/* Takes a zeroed one whose watcher.end_fd is -1. */
void fabric_guard_stop(struct fabric_guard *guard);

/* There is one. */
static inline bool fabric_guard_is_on(const struct fabric_guard *guard)
{
	return cxi_watcher_is_on(&guard->watcher);
}

/*
 * Around a call, where there is a guard: way_out is set by the caller, whose frame must last as long.
 *
 *	if (guard->is_stuck)
 *		return fabric_guard_left(guard);
 *	if (sigsetjmp(guard->way_out, 0)) // stands alone: C11 7.13.1.1
 *		return fabric_guard_left(guard);
 *	fabric_guard_enter(guard);
 *	ret = ...;
 *	fabric_guard_leave(guard);
 */
/* One thread writes it: no locked instruction is needed, of which there would be two for each poll. */
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

/* One was left, now or before: -ETIMEDOUT, -ECONNRESET if the peer is gone, or -EINTR where the user wants the end. */
int fabric_guard_left(struct fabric_guard *guard);

#endif
