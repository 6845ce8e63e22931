/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What are the library's own threads to the program's? See threads.c. */
#ifndef SOFT_THREADS_H
#define SOFT_THREADS_H

#include <pthread.h>
#include <signal.h>

/*
 * At the head of what takes a lock, or owns a descriptor for a while, and makes system calls meanwhile: a thread that
 * is cancelled ends at its next cancellation point outside.
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

/* A thread of the library's own, deaf to the program's signals. 0 or a positive errno. */
int soft_thread_create(pthread_t *thread, void *(*start)(void *), void *argument);

/* All signals of this thread but faults; before: to be set again by pthread_sigmask(). */
void soft_signals_block(sigset_t *before);

#endif
