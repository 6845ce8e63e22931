/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Limits of what another process can have done and measured, by this one's clock. Its figures become rows of this one,
 * so that a peer with a fault must not get a row: only what cannot be true is refused. Called by what judges messages:
 * claim.c of comm, cxi and qperf, and cmtime/link.c.
 */
#pragma once

#include <stdbool.h>

#define CLAIM_MOST_PER_S 1e10 /* messages; the fastest adapters have a twentieth of it */

/*
 * since_s: since some time before the peer began, by the clock of measurements (stats/clock.h): the kernel slows
 * CLOCK_MONOTONIC down by up to a tenth while it puts the time of the host right (adjtimex(2)).
 */

/* The longest time that the peer may have measured, seconds. */
double claim_longest_s(double since_s);
/* Can so many messages, or the like, have passed? */
bool claim_is_possible(double since_s, double messages);
