// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The progress line. Blanks wipe it, so that any terminal will do. */
#include "report/progress.h"

#include <inttypes.h>
#include <time.h>
#include <unistd.h>

#include "util/terminal.h"

#define LEAST_FRACTION 0.01	 /* of a run, before it says how long the rest takes */
#define MIN_SPAN_NS    200000000 /* between two writings: a human reads no faster, a serial console survives */

static int64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void progress_open(struct progress *progress, FILE *stream)
{
	*progress = (struct progress){.terminal = isatty(fileno(stream)) ? stream : NULL};
}

/* " 65536 bytes, size 16 of 23: 42 % after 4.2 s, 5.8 s left" */
static int progress_describe(const struct progress_state *state, char *text, size_t size)
{
	const double fraction = state->fraction < 1 ? state->fraction : 1;
	const bool sweep = state->count > 1;
	double left_s = 0;
	int used;

	if (sweep)
		used = snprintf(text, size, " %" PRIu64 " bytes, size %u of %u", state->size, state->number,
				state->count);
	else
		used = snprintf(text, size, " running");
	if (state->seconds <= 0) {
		if (state->planned_s > 0)
			used += snprintf(text + used, size - (size_t)used, " for %g s", state->planned_s);
		return used;
	}
	if (fraction < 0)
		return used + snprintf(text + used, size - (size_t)used, ": %.1f s", state->seconds);
	used += snprintf(text + used, size - (size_t)used, ": %3.0f %% after %.1f s", 100 * fraction, state->seconds);
	if (fraction < LEAST_FRACTION)
		return used;
	left_s = state->seconds * (1 - fraction) / fraction;
	if (sweep)
		left_s += state->planned_s * (state->count - state->number);
	/* How long the other sizes of a sweep by count take, is not known. */
	return used + snprintf(text + used, size - (size_t)used, ", %.1f s left%s", left_s,
			       sweep && state->planned_s <= 0 ? " of this size" : "");
}

void progress_show(struct progress *progress, const struct progress_state *state)
{
	char text[128];
	int64_t now_ns;
	int width;

	if (!progress->terminal)
		return;
	now_ns = monotonic_ns();
	if (progress->width && now_ns - progress->shown_ns < MIN_SPAN_NS)
		return;
	width = progress_describe(state, text, sizeof(text));
	/* A line that wraps could not be written over. */
	if (width >= terminal_columns(progress->terminal)) {
		width = terminal_columns(progress->terminal) - 1;
		text[width] = '\0';
	}
	/* The cursor stays at the line's begin: a warning that comes between writes over it. */
	fprintf(progress->terminal, "\r%-*s\r", progress->width, text);
	fflush(progress->terminal);
	progress->width = width;
	progress->shown_ns = now_ns;
}

void progress_clear(struct progress *progress)
{
	if (!progress->width)
		return;
	fprintf(progress->terminal, "\r%*s\r", progress->width, "");
	fflush(progress->terminal);
	progress->width = 0;
}
