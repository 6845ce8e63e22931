/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Peak rate in one pass and constant memory.
 *
 * The run is divided into windows. A window ends at the first poll of the completion queue that finds `width` messages
 * of it completed, and the next one begins at that poll. The peak is the highest number of messages per cycle of any
 * window; with fewer messages than one window there is none, and the caller uses the average of the run.
 * width = max(tx_depth * queue pairs, messages / 64).
 *
 * A window goes from completion to completion, but a completion is seen when the program polls, not when it happens: a
 * program that was not scheduled finds all that completed until then at once, and a device that works while a request
 * is posted (the software device) has completed it before any thread polls. Work that was done before a window began
 * must not count in it, or its rate is one that the device never had. So at each turn the caller says how many messages
 * may have been done when the window began:
 * - after a poll that left the completion queue empty: those that have completed by then, and of each queue pair those
 *   after the last signalled message, at most cq_mod - 1 of them and none that was not posted;
 * - after any other poll: all that were posted.
 *
 * The start time is read before that poll, the end time after it. So what a window counts was done between its two
 * times, and no peak is above what the device did, whatever kept the program from polling; it may be lower by what was
 * already done when the window began.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct window {
	uint64_t width;	       /* messages */
	uint64_t begin_cycles; /* when the window began */
	uint64_t begin_count;  /* messages that may have been done before it */
	uint64_t end_count;    /* completed messages at which it ends; UINT64_MAX: never */
	uint64_t first_cycles; /* windows that begin before this stamp, ... */
	uint64_t last_cycles;  /* ... or end after this one, are not in the peak of the run */
	double peak;	       /* messages per cycle, of the windows of the run; 0: none was complete */
	double interval_peak;  /* of all windows that ended since window_take_interval() */
};

/* Nothing is posted yet. width UINT64_MAX: no window ends. */
void window_open(struct window *window, uint64_t width, uint64_t now_cycles);
/* Only windows inside these stamps belong to the run. After window_open(). */
void window_limit(struct window *window, uint64_t first_cycles, uint64_t last_cycles);
/*
 * A full window ends: this many messages had completed, at end_cycles. The next one begins at begin_cycles, when at
 * most done messages had been done.
 */
void window_turn(struct window *window, uint64_t completed, uint64_t end_cycles, uint64_t done, uint64_t begin_cycles);
/*
 * Ends an interval of count messages: returns its peak, in messages per cycle, which is its average if no window that
 * ended in it was faster. An interval of at least `width` messages is also a window of the run: the run's peak is never
 * below one that a row shows.
 */
double window_take_interval(struct window *window, uint64_t count, uint64_t begin_cycles, uint64_t end_cycles);

/* Does the window have all its messages? */
static inline bool window_is_full(const struct window *window, uint64_t completed)
{
	return __builtin_expect(completed >= window->end_count, 0);
}
