/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A clock of the test's own, for loops whose figures depend on the time: no other program can make them wait. A test
 * sets clock_uses_gettime (stats/clock.h) and a time; a cycle is a nanosecond then.
 */
#pragma once

#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Time that the test makes up: each reading of the clock takes a while. 0: it is the host's. */
static uint64_t made_up_ns;

int clock_gettime(clockid_t clock, struct timespec *now)
{
	if (!made_up_ns)
		return (int)syscall(SYS_clock_gettime, clock, now);
	made_up_ns += 50;
	*now = (struct timespec){.tv_sec = (time_t)(made_up_ns / 1000000000),
				 .tv_nsec = (long)(made_up_ns % 1000000000)};
	return 0;
}
