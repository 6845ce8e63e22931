// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The peak of a bandwidth test. The loops turn windows, session prints the peak. */
#include "stats/window.h"

static void window_begin(struct window *window, uint64_t done, uint64_t now_cycles)
{
	window->begin_cycles = now_cycles;
	window->begin_count = done;
	window->end_count = window->width < UINT64_MAX - done ? done + window->width : UINT64_MAX;
}

void window_open(struct window *window, uint64_t width, uint64_t now_cycles)
{
	*window = (struct window){.width = width ? width : 1, .last_cycles = UINT64_MAX};
	window_begin(window, 0, now_cycles);
}

void window_limit(struct window *window, uint64_t first_cycles, uint64_t last_cycles)
{
	window->first_cycles = first_cycles;
	window->last_cycles = last_cycles;
}

void window_turn(struct window *window, uint64_t completed, uint64_t end_cycles, uint64_t done, uint64_t begin_cycles)
{
	double rate;

	/* A coarse clock may not have advanced yet; the window then stays open. */
	if (end_cycles <= window->begin_cycles)
		return;
	rate = (double)(completed - window->begin_count) / (double)(end_cycles - window->begin_cycles);
	if (rate > window->interval_peak)
		window->interval_peak = rate;
	if (rate > window->peak && window->begin_cycles >= window->first_cycles && end_cycles <= window->last_cycles)
		window->peak = rate;
	window_begin(window, done, begin_cycles);
}

double window_take_interval(struct window *window, uint64_t count, uint64_t begin_cycles, uint64_t end_cycles)
{
	const double rate = end_cycles > begin_cycles ? (double)count / (double)(end_cycles - begin_cycles) : 0;
	const double peak = window->interval_peak > rate ? window->interval_peak : rate;

	window->interval_peak = 0;
	if (count >= window->width && begin_cycles >= window->first_cycles && end_cycles <= window->last_cycles &&
	    peak > window->peak)
		window->peak = peak;
	return peak;
}
