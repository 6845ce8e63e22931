/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The clock of every measurement: the CPU's cycle counter, calibrated once per run against CLOCK_MONOTONIC_RAW, or
 * clock_gettime() itself if the counter is not invariant.
 *
 *   clock_start()      first thing in a program: records a (cycles, ns) pair
 *   clock_calibrate()  before the first figure: records the second pair; if less than
 *                      CLOCK_MIN_SPAN_NS has passed it spins for the rest
 *
 * Each pair is read between two readings of the raw clock, the narrowest of several tries. The error is bounded by
 * (bracket_1 + bracket_2) / span, plus a tick of the counter at either end: brackets of 50 ns over 10 ms and a counter
 * of 1 GHz give 10 ppm.
 *
 * The main thread starts and calibrates the clock; any thread may read it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define CLOCK_MIN_SPAN_NS 10000000 /* 10 ms */

struct clock_calibration {
	double cycles_per_second;
	double relative_error; /* bound, e.g. 1e-5 */
	const char *source;    /* "tsc", "cntvct", ..., "clock_gettime" */
	bool fallback;	       /* the counter is missing or not invariant: source is clock_gettime */
};

/* The message about a fallback. */
#define CLOCK_FALLBACK_TEXT "CLOCK_MONOTONIC_RAW in place of the CPU's cycle counter"

extern bool clock_uses_gettime; /* set by clock_start() */

/*
 * Selects the source: clock_gettime() if requested here or by PERFTEST_CLOCK=gettime in the environment, or if the
 * counter is not reliable, which PERFTEST_CLOCK=counter overrides (other values are ignored). Starting again discards
 * the calibration; only tests do that.
 */
void clock_start(bool force_gettime);

/* The first call measures; later calls return the same values. */
const struct clock_calibration *clock_calibrate(void);

/*
 * May the time stamp counter of an x86 be used? invariant_bit: CPUID 0x80000007, EDX bit 8. current and available: the
 * kernel's clock sources as in sysfs, "" if they could not be read.
 *
 *   bit set      yes, unless the kernel lists its clock sources and "tsc" is not among them: it has
 *                found the counter unstable, or out of step between sockets
 *   bit hidden   only if the kernel itself uses "tsc", as is common in virtual machines whose CPUID is
 *                masked; it watches the counter and stops using it when it drifts
 */
bool clock_tsc_is_usable(bool invariant_bit, const char *current, const char *available);

/* Conversions calibrate the clock if necessary. */
double clock_cycles_to_ns(double cycles);
double clock_cycles_to_seconds(double cycles);
/* ns >= 0; centuries saturate at 2^62, so that a stamp and the result can be added. */
uint64_t clock_ns_to_cycles(double ns);

/* --- as a time of day, for rows (--timestamps) and documents --- */
#define STAMP_SIZE 64

/* The time of day of a stamp; 0, and stamps in the future: now. */
struct timespec stamp_of_cycles(uint64_t cycles);
/* "2025-11-20T11:06:00.123Z" (RFC 3339, which is ISO 8601). Returns text. */
const char *stamp_text(const struct timespec *when, char text[STAMP_SIZE]);
const char *stamp_text_of_cycles(uint64_t cycles, char text[STAMP_SIZE]);

static inline uint64_t clock_gettime_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* The first stamp after now that is a multiple of period after begin. now >= begin, period > 0. */
static inline uint64_t clock_next_multiple(uint64_t begin, uint64_t period, uint64_t now)
{
	return begin + ((now - begin) / period + 1) * period;
}

/* ... and the last one that is not after now. */
static inline uint64_t clock_last_multiple(uint64_t begin, uint64_t period, uint64_t now)
{
	return begin + (now - begin) / period * period;
}

static inline uint64_t clock_counter(void); /* one per architecture, in clock_arch.h */

#include "stats/clock_arch.h"

/* A time stamp in cycles. Not serialising: what is timed takes far longer than the out-of-order window. */
static inline uint64_t clock_cycles(void)
{
	if (__builtin_expect(clock_uses_gettime, 0))
		return clock_gettime_ns();
	return clock_counter();
}
