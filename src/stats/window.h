/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Peak rate in one pass and constant memory.
 *
 * A window begins at a look at the completion queue, and counts only messages that are posted after
 * it: what was in flight is not its work, though it may delay it. It ends at the first look that finds
 * at least `width` of its messages completed, and the next one begins there. The peak is the highest
 * messages-per-cycle of any window, or of the whole run from its first post to its last completion if
 * that is higher. So a peak is a rate that the device did reach over at least `width` messages from
 * their posting to their completion, and it is never below the average.
 * width = max(8 * tx_depth * queue pairs, messages / 64): what was in flight when a window began takes
 * at most a ninth of its time from it.
 */
#ifndef STATS_WINDOW_H
#define STATS_WINDOW_H

#include <stdint.h>

struct window {
	uint64_t width;	       /* messages */
	uint64_t open_cycles;  /* when the run began */
	uint64_t open_count;   /* messages completed before it */
	uint64_t begin_cycles; /* when the window began */
	uint64_t begin_count;  /* messages posted before it */
	uint64_t end_count;    /* the completed messages at which it may close */
	double peak;	       /* messages per cycle, of the closed windows */
};

/* Nothing is posted yet. width UINT64_MAX: only the average will be known. */
void window_open(struct window *window, uint64_t width, uint64_t now_cycles);
/* Closes the open window; called by window_note() only when it is full. */
void window_turn(struct window *window, uint64_t completed, uint64_t posted, uint64_t now_cycles);
/* Ends the run and returns the peak in messages per cycle; 0 if nothing completed. */
double window_close(struct window *window, uint64_t completed, uint64_t now_cycles);
/* Ends an interval: returns its peak as window_close() does, and begins the next one here. */
double window_restart(struct window *window, uint64_t completed, uint64_t posted, uint64_t now_cycles);

/* A look: so many messages are completed and posted, in all, and none was posted since now_cycles. */
static inline void window_note(struct window *window, uint64_t completed, uint64_t posted, uint64_t now_cycles)
{
	if (__builtin_expect(completed >= window->end_count, 0))
		window_turn(window, completed, posted, now_cycles);
}

#endif
