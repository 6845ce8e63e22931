// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Preloaded: starts a thread that does nothing, so that libraries do not optimize for a single thread, such as by
 * omitting locks: bench/run compares one thread of a test with two under equal conditions.
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

/* The program's signals must not be delivered to it. */
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
