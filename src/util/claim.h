/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Can what another process says of its own measurement be true, by this one's clock and by what this one knows? Its
 * figures become rows of this one, so that a peer with a fault must not get a row: only what cannot be true is refused.
 * A program gives facts as rows, and this file the clock, the bounds of time and the judgement.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define CLAIM_MOST_PER_S  1e10 /* messages; the fastest adapters have a twentieth of it */
#define CLAIM_CLOCK_SHARE 1.01 /* the peer's clock may be that much faster, */
#define CLAIM_CLOCK_S	  0.02 /* and coarse: qperf 0.4.11 counts in ticks of 10 ms */
#define CLAIM_AT_ONCE	  1e6  /* messages of a loop that took less than its clock can tell */

/* A fact: said <= most, or the fault. */
struct claim {
	double said, most;
	const char *fault; /* what cannot be true: "its time is ..." */
};

extern const char claim_too_long[];

/*
 * The clock, CLOCK_MONOTONIC_RAW: the kernel slows CLOCK_MONOTONIC down by up to a tenth while it puts the time of the
 * host right (adjtimex(2)).
 */
int64_t claim_now_ns(void);

/* Seconds since a moment before the peer began; 0: unknown, which allows any time. */
double claim_since_s(int64_t begin_ns);

/* The longest time that the peer may have measured, seconds, if it began less than since_s ago. */
static inline double claim_longest_s(double since_s)
{
	return since_s * CLAIM_CLOCK_SHARE + CLAIM_CLOCK_S;
}

/* The messages, or the like, that can have passed. */
static inline double claim_most(double since_s)
{
	return claim_longest_s(since_s) * CLAIM_MOST_PER_S + CLAIM_AT_ONCE;
}

/* Rows of most facts. */
#define CLAIM_TIME(since_s, seconds)                                                                                   \
	{                                                                                                              \
		(seconds), claim_longest_s(since_s), claim_too_long                                                    \
	}
#define CLAIM_COUNT(since_s, count, noun) /* noun: "messages" */                                                       \
	{                                                                                                              \
		(double)(count), claim_most(since_s), "it has more " noun " than are possible in this time"            \
	}
#define CLAIM_EQUAL(said, own, fault)                                                                                  \
	{(double)(said), (double)(own), (fault)},                                                                      \
	{                                                                                                              \
		(double)(own), (double)(said), (fault)                                                                 \
	}

/* NULL, or the fault of the first that is false. */
const char *claim_judge(const struct claim *claims, size_t count);
#define CLAIM_JUDGE(table) claim_judge((table), sizeof(table) / sizeof((table)[0]))
