/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A ping-pong over UC or UD, where a message may get lost, and only the two sides notice. Each has its number
 * as immediate data, which the answer repeats: what has no answer in time is lost, and the next one goes out; an answer
 * that comes later is known by its number, and thrown away.
 */
#ifndef QPERF_UNRELIABLE_H
#define QPERF_UNRELIABLE_H

#include "loops/run.h"

struct losses {
	uint64_t messages; /* that had no answer */
	uint64_t cycles;   /* for which they were waited for */
};

/* As a loop of loops/run.h; the opcode is one with immediate data. finish_cycles is when the last answer came. */
int unreliable_ping(struct run *run, uint64_t patience_cycles, struct losses *losses);

#endif
