/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Protection against a provider's call that does not return. The shared memory provider (shm, 1.17) uses spin locks in
 * memory shared by both sides: if one side is stopped or killed while it holds a lock, the other one spins forever,
 * without reacting to Ctrl-C. A thread checks how long a call lasts and whether the peer has closed its end, and ends
 * the program.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct fabric_guard {
	_Atomic uint64_t entered; /* incremented at each start and end of a call; odd: in a call */
	_Atomic int64_t limit_ms; /* of a call */
	int peer_fd;		  /* closed when the peer's process is gone; -1: none */
	/*
	 * Called once, by the thread, while the caller is still in its call: -ETIMEDOUT, -ECONNRESET if the peer is
	 * gone, or -EINTR if the user wants to stop. Does not return, except in tests.
	 */
	void (*stuck)(void *context, int error);
	void *context;
	pthread_t thread; /* blocks all signals */
	int end_fd;	  /* an eventfd(2), readable when the thread must end; -1: there is no thread */
};

/* Members other than the limit are set. If there is no thread or descriptor for it, calls are not guarded. */
void fabric_guard_start(struct fabric_guard *guard, int64_t limit_ms);
/* May be zeroed except for end_fd, which is -1. */
void fabric_guard_stop(struct fabric_guard *guard);

/* Around each call. Counted by a single thread, so two locked instructions per poll are avoided. */
static inline void fabric_guard_enter(struct fabric_guard *guard)
{
	const uint64_t entered = atomic_load_explicit(&guard->entered, memory_order_relaxed);

	atomic_store_explicit(&guard->entered, entered + 1, memory_order_release);
}

/* Returns what the call has returned. */
static inline int fabric_guard_leave(struct fabric_guard *guard, int ret)
{
	fabric_guard_enter(guard);
	return ret;
}
