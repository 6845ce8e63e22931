/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A moment on CLOCK_MONOTONIC until which something may be waited for. */
#ifndef UTIL_DEADLINE_H
#define UTIL_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

struct deadline {
	int64_t at_ns; /* CLOCK_MONOTONIC; INT64_MAX: never */
};

struct deadline deadline_in_ms(int64_t ms); /* ms < 0: never */
bool deadline_passed(struct deadline deadline);
/* For poll(2): milliseconds left, rounded up, 0 when passed, -1 for never. */
int deadline_poll_ms(struct deadline deadline);

#endif
