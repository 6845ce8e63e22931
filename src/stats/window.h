/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Peak rate in one pass and constant memory.
 *
 * The run is cut into consecutive windows; each ends at the first look at the completion
 * queue that finds at least `width` messages completed since the window began. The peak is
 * the highest messages-per-cycle of any window. What is left at the end joins the last
 * window, so the windows cover the run and the peak is never below the average.
 * width = max(tx_depth * queue pairs, messages / 64, 1): long enough that the messages which
 * were already in flight when it began do not count for much.
 */
#ifndef STATS_WINDOW_H
#define STATS_WINDOW_H

#include <stdint.h>

struct window {
	uint64_t width; /* messages */
	uint64_t begin_cycles;
	uint64_t begin_count;
	uint64_t end_count;	    /* the count at which the open window may close */
	uint64_t last_begin_cycles; /* of the window closed last, to join the rest to */
	uint64_t last_begin_count;
	double peak; /* messages per cycle, of all windows before the one closed last */
};

void window_open(struct window *window, uint64_t width, uint64_t now_cycles);
/* Closes the open window, unless no cycle has passed since it began; called by window_note() only when it is full. */
void window_turn(struct window *window, uint64_t count, uint64_t now_cycles);
/* Ends the run and returns the peak in messages per cycle; 0 if nothing completed, or no time passed. */
double window_close(struct window *window, uint64_t count, uint64_t now_cycles);
/* Ends an interval: returns its peak as window_close() does, and begins the next one here. */
double window_restart(struct window *window, uint64_t count, uint64_t now_cycles);

static inline void window_note(struct window *window, uint64_t count, uint64_t now_cycles)
{
	if (__builtin_expect(count >= window->end_count, 0))
		window_turn(window, count, now_cycles);
}

#endif
