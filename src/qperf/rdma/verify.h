/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The loop of tests that check the values that atomics return. */
#pragma once

#include "loops/run.h"

#define VERIFY_MAX_DEPTH 1024 /* requests in flight, each with its own place for the returned value */

struct verify_mistake {
	uint64_t request; /* index, from 0 */
	uint64_t expected;
	uint64_t found;
};

/*
 * Requests are sent in order, and a responder executes those of a QP in order, so the result of the n-th is known.
 * FETCH_AND_ADD of 1 returns n. CMP_AND_SWP replaces a value of a sequence by the next one. The 8 bytes at the
 * responder start as 0. slots: registered memory for `depth` results of 8 bytes; the queue's first request points to
 * its start. Has the interface of a loop_fn; -EBADMSG: a result was wrong, see *mistake.
 */
int verify_atomics(struct run *run, uint64_t *slots, unsigned depth, struct verify_mistake *mistake);
