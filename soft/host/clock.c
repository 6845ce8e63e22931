// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The device's clock: for completion timestamps, waiting requests, and ibv_query_rt_values_ex(). */
#include <time.h>

#include "soft.h"

uint64_t soft_clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
