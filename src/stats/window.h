/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Peak rate in one pass and constant memory.
 *
 * The run is cut into windows. A window ends at the first look at the completion queue that finds `width`
 * messages of its own completed, and the next one begins at that look. The peak is the highest
 * messages-per-cycle of any window; with fewer messages than one window there is none, and the caller
 * takes the average of the run. width = max(tx_depth * queue pairs, messages / 64).
 *
 * A window goes from completion to completion, but a completion is seen when the program looks, not when
 * it happens: a program that was kept from running finds all that completed until then at once, and a
 * device that works while a request is posted (the software device) has completed it before any thread
 * looks. Work that was done before a window began must not count in it, or its rate is one that the device
 * never had. So the caller says at each turn how many messages may have been done when the window began:
 * - a poll that left the completion queue empty: those that have completed by it, and of each queue pair
 *   those behind the last signalled message, cq_mod - 1 of them at most and none that was not posted;
 * - any other poll: all that were posted.
 * The time of the begin is read before that poll, the time of the end behind it. What a window counts was
 * therefore done between its two times, so that no peak is above what the device did, whatever kept the
 * program from looking; it may be below it by what was already done when the window began.
 */
#ifndef STATS_WINDOW_H
#define STATS_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

struct window {
	uint64_t width;	       /* messages */
	uint64_t begin_cycles; /* when the window began */
	uint64_t begin_count;  /* messages that may have been done before it */
	uint64_t end_count;    /* the completed messages at which it ends; UINT64_MAX: never */
	uint64_t first_cycles; /* windows that begin before this stamp, ... */
	uint64_t last_cycles;  /* ... or end after this one, are not in the peak of the run */
	double peak;	       /* messages per cycle, of the windows of the run; 0: none is complete */
	double interval_peak;  /* of all windows that ended since window_take_interval() */
};

/* Nothing is posted yet. width UINT64_MAX: no window ever ends. */
void window_open(struct window *window, uint64_t width, uint64_t now_cycles);
/* Only windows inside of these stamps are of the run. After window_open(). */
void window_limit(struct window *window, uint64_t first_cycles, uint64_t last_cycles);
/*
 * A window that is full ends: so many messages completed, at end_cycles. The next one begins at begin_cycles,
 * when at most done messages had been done.
 */
void window_turn(struct window *window, uint64_t completed, uint64_t end_cycles, uint64_t done, uint64_t begin_cycles);
/*
 * Ends an interval of so many messages: returns its peak, in messages per cycle, which is its average where no window
 * that ended in it was faster. One of at least `width` messages is a window of the run, too: what a row shows, the
 * run had.
 */
double window_take_interval(struct window *window, uint64_t count, uint64_t begin_cycles, uint64_t end_cycles);

/* Has the window as many messages as it takes? */
static inline bool window_is_full(const struct window *window, uint64_t completed)
{
	return __builtin_expect(completed >= window->end_count, 0);
}

#endif
