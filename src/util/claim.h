/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Limits of what another process can have done and measured, by this one's clock. Its figures become rows of this one,
 * so that a peer with a fault must not get a row: only what cannot be true is refused. Called by what judges messages:
 * claim.c of comm, cxi and qperf, and cmtime/link.c.
 */
#pragma once

#include <stdbool.h>

#define CLAIM_MOST_PER_S  1e10 /* messages; the fastest adapters have a twentieth of it */
#define CLAIM_CLOCK_SHARE 1.01 /* the peer's clock may be that much faster, */
#define CLAIM_CLOCK_S	  0.02 /* and coarse: qperf 0.4.11 counts in ticks of 10 ms */
#define CLAIM_AT_ONCE	  1e6  /* messages of a loop that took less than its clock can tell */

/*
 * since_s: since some time before the peer began, by the clock of measurements (stats/clock.h): the kernel slows
 * CLOCK_MONOTONIC down by up to a tenth while it puts the time of the host right (adjtimex(2)).
 */

/* The longest time that the peer may have measured, seconds. */
static inline double claim_longest_s(double since_s)
{
	return since_s * CLAIM_CLOCK_SHARE + CLAIM_CLOCK_S;
}

/* Can so many messages, or the like, have passed? */
static inline bool claim_is_possible(double since_s, double messages)
{
	return messages <= claim_longest_s(since_s) * CLAIM_MOST_PER_S + CLAIM_AT_ONCE;
}
