// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * When was a bandwidth test fastest? The loops note completions, session prints the peak.
 *
 * A window counts only when the next one has closed, because until then the rest of the run
 * may still have to join it.
 */
#include "stats/window.h"

void window_open(struct window *window, uint64_t width, uint64_t now_cycles)
{
	*window = (struct window){
		.width = width ? width : 1,
		.begin_cycles = now_cycles,
		.last_begin_cycles = now_cycles,
	};
	window->end_count = window->width;
}

/* Raises the peak to the rate of a window, if that is higher. */
static void peak_raise(struct window *window, uint64_t count, uint64_t cycles)
{
	double rate;

	if (!cycles)
		return;
	rate = (double)count / (double)cycles;
	if (rate > window->peak)
		window->peak = rate;
}

void window_turn(struct window *window, uint64_t count, uint64_t now_cycles)
{
	if (now_cycles == window->begin_cycles)
		return;
	peak_raise(window, window->begin_count - window->last_begin_count,
		   window->begin_cycles - window->last_begin_cycles);
	window->last_begin_cycles = window->begin_cycles;
	window->last_begin_count = window->begin_count;
	window->begin_cycles = now_cycles;
	window->begin_count = count;
	window->end_count = count + window->width;
}

double window_close(struct window *window, uint64_t count, uint64_t now_cycles)
{
	/* A rest that is as long as a window is one of its own. */
	window_note(window, count, now_cycles);
	peak_raise(window, count - window->last_begin_count, now_cycles - window->last_begin_cycles);
	return window->peak;
}

double window_restart(struct window *window, uint64_t count, uint64_t now_cycles)
{
	const double peak = window_close(window, count, now_cycles);

	window_open(window, window->width, now_cycles);
	window->begin_count = count;
	window->last_begin_count = count;
	window->end_count = count + window->width;
	return peak;
}
