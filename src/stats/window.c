// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* When was a bandwidth test fastest? The loops note completions, session prints the peak. */
#include "stats/window.h"

static void begin(struct window *window, uint64_t posted, uint64_t now_cycles)
{
	window->begin_cycles = now_cycles;
	window->begin_count = posted;
	window->end_count = window->width < UINT64_MAX - posted ? posted + window->width : UINT64_MAX;
}

void window_open(struct window *window, uint64_t width, uint64_t now_cycles)
{
	*window = (struct window){.width = width ? width : 1, .open_cycles = now_cycles};
	begin(window, 0, now_cycles);
}

/* Raises the peak to this rate, if it is higher. */
static void raise_peak(struct window *window, uint64_t count, uint64_t cycles)
{
	double rate;

	if (!cycles)
		return;
	rate = (double)count / (double)cycles;
	if (rate > window->peak)
		window->peak = rate;
}

void window_turn(struct window *window, uint64_t completed, uint64_t posted, uint64_t now_cycles)
{
	/* A clock of coarse ticks may not have moved yet; the window then stays open. */
	if (now_cycles == window->begin_cycles)
		return;
	raise_peak(window, completed - window->begin_count, now_cycles - window->begin_cycles);
	begin(window, posted, now_cycles);
}

double window_close(struct window *window, uint64_t completed, uint64_t now_cycles)
{
	raise_peak(window, completed - window->open_count, now_cycles - window->open_cycles);
	return window->peak;
}

double window_restart(struct window *window, uint64_t completed, uint64_t posted, uint64_t now_cycles)
{
	const double peak = window_close(window, completed, now_cycles);

	window->peak = 0;
	window->open_cycles = now_cycles;
	window->open_count = completed;
	begin(window, posted, now_cycles);
	return peak;
}
