/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Threads: the program's and the library's own. See threads.c. */
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * Put first in a function that makes system calls while it holds a lock, or owns a descriptor: a cancelled thread then
 * exits at its next cancellation point outside.
 */
#define SOFT_UNCANCELLED int uncancelled __attribute__((cleanup(soft_cancel_restore), unused)) = soft_cancel_forbid()

static inline int soft_cancel_forbid(void)
{
	int before;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	return before;
}

static inline void soft_cancel_restore(const int *before)
{
	int ignored;

	pthread_setcancelstate(*before, &ignored);
}

/* Creates a thread of the library, with the program's signals blocked. 0 or a positive errno. */
int soft_thread_create(pthread_t *thread, void *(*start)(void *), void *argument);

/* Blocks all signals of this thread except faults; *before: restore it with pthread_sigmask(). */
void soft_signals_block(sigset_t *before);

/*
 * The id for system calls of a thread of this process, given its name in /proc/self/task; 0: it has exited. /proc shows
 * the ids of the PID namespace that it was mounted for: after `unshare --pid` without `--mount-proc`, or in a container
 * with the host's /proc, that is another one than this process's.
 */
pid_t soft_proc_task(const char *name);
