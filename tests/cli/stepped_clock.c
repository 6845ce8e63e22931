// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Preloaded, with PERFTEST_CLOCK=gettime: now and then a reading of the clock is 0.4 s too early, as if the program had
 * briefly run on a CPU whose counter is behind. Built by three .bats files.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

#define EVERY  101
#define STEP_S 0.4 /* longer than an exchange on a busy machine, shorter than a silence that means loss: 0.5 s */

int clock_gettime(clockid_t clock, struct timespec *now)
{
	static int (*next)(clockid_t, struct timespec *);
	static unsigned long readings;
	int ret;

	if (!next)
		next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	ret = next(clock, now);
	if (ret || clock != CLOCK_MONOTONIC_RAW || ++readings % EVERY)
		return ret;
	now->tv_nsec -= (long)(STEP_S * 1e9);
	if (now->tv_nsec < 0) {
		now->tv_nsec += 1000000000;
		now->tv_sec--;
	}
	return 0;
}
