// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Preloaded: a thread that does nothing. What a library spares a program of one thread, such as its locks, it then does
 * not: bench/run measures one thread of a test in front of two.
 */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static void *rest(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* The program's signals are not for it. */
static void __attribute__((constructor)) start_resting(void)
{
	sigset_t all, before;
	pthread_t thread;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	if (!pthread_create(&thread, NULL, rest, NULL))
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}
