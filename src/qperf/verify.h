/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The loop of the tests that look at what atomics return. */
#ifndef QPERF_VERIFY_H
#define QPERF_VERIFY_H

#include "loops/run.h"

#define VERIFY_MAX_DEPTH 1024 /* requests in flight, each with a place of its own for what it returns */

struct verify_mistake {
	uint64_t request; /* its number, from 0 */
	uint64_t expected;
	uint64_t found;
};

/*
 * Requests go out in order, and a responder executes those of one queue pair in order: what the n-th returns is known.
 * FETCH_AND_ADD of 1 returns n. CMP_AND_SWP puts the n-th of a series of values where the one before it was. The 8
 * bytes at the responder begin with 0. slots: registered memory for depth results of 8 bytes, in front of which the
 * queue's first request points. As a loop_fn; -EBADMSG: one was wrong, in *mistake.
 */
int verify_atomics(struct run *run, uint64_t *slots, unsigned depth, struct verify_mistake *mistake);

#endif
