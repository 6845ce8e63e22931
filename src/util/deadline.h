/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A time of CLOCK_MONOTONIC at which a wait ends. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct deadline {
	int64_t at_ns; /* CLOCK_MONOTONIC; INT64_MAX: never */
};

struct deadline deadline_in_ms(int64_t ms); /* ms < 0: never */
bool deadline_passed(struct deadline deadline);
/* The remaining time; 0 when passed, -1 for never. For poll(2): milliseconds, rounded up. */
int64_t deadline_left_ns(struct deadline deadline);
int deadline_poll_ms(struct deadline deadline);

void deadline_postpone(struct deadline *deadline, int64_t ns);
/*
 * For a loop that comes here every most_ms: by how much it is too late, if by so much that this process was stopped
 * (SIGSTOP, a frozen container); otherwise 0. What others did not do meanwhile, it could not see. *due: of the previous
 * call; at first zeroed.
 */
int64_t deadline_stopped_ns(struct deadline *due, int64_t most_ms);

static inline struct deadline deadline_sooner(struct deadline a, struct deadline b)
{
	return a.at_ns < b.at_ns ? a : b;
}
