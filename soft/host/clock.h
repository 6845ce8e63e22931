/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Clock for time limits and waits. The program sees another clock, soft_clock_now(). */
#pragma once

#include <stdint.h>
#include <time.h>

static inline int64_t soft_monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline int64_t soft_monotonic_ms(void)
{
	return soft_monotonic_ns() / 1000000;
}
