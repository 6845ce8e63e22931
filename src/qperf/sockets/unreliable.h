/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A ping-pong over UC or UD, which may lose messages without any error. Each message has a number as immediate data,
 * which the answer repeats: a message without a timely answer is lost, and the next one is sent; a later answer is
 * recognized by its number, and discarded.
 */
#ifndef QPERF_UNRELIABLE_H
#define QPERF_UNRELIABLE_H

#include "loops/run.h"

struct losses {
	uint64_t messages; /* unanswered */
	uint64_t cycles;   /* spent waiting for them */
};

/*
 * Has the interface of a loop of loops/run.h; the opcode must be one with immediate data. finish_cycles is the time of
 * the last answer.
 */
int unreliable_ping(struct run *run, uint64_t timeout_cycles, struct losses *losses);

#endif
