// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The progress line. It is cleared with blanks, so that any terminal works. What follows it begins after a newline, for
 * programs that run this one at a terminal and read what it writes line by line; the cursor is moved up before, so that
 * no empty line is seen.
 */
#include "report/progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/deadline.h"
#include "util/terminal.h"

#define LEAST_FRACTION 0.01 /* of a run, before the remaining time is shown */
#define CURSOR_UP      "\033[A"
#define MIN_SPAN_NS    200000000 /* between two writes: fast enough to read, and slow enough for a serial console */

/* Has the terminal a cursor that can be moved up (ECMA-48 CUU)? */
static bool is_watched(FILE *stream)
{
	const char *kind = getenv("TERM");

	return terminal_is_watched(stream) && kind && kind[0] && strcmp(kind, "dumb") != 0;
}

void progress_open(struct progress *progress, FILE *stream)
{
	*progress =
		(struct progress){.terminal = is_watched(stream) ? stream : NULL, .began_ns = deadline_in_ms(0).at_ns};
}

static void describe_place(const struct progress_state *state, char *text, size_t size)
{
	const bool sweep = state->count > 1, repeats = state->runs > 1;

	snprintf(text, size, sweep || repeats ? "" : " running");
	if (sweep && state->load)
		snprintf(text, size, " %u %% load, %u of %u", state->load, state->number, state->count);
	else if (sweep)
		snprintf(text, size, " %" PRIu64 " bytes, size %u of %u", state->size, state->number, state->count);
	if (repeats)
		text_add(text, size, "%s run %u of %u", sweep ? "," : "", state->run, state->runs);
}

/* " 65536 bytes, size 16 of 23: 42 % after 4.2 s, 5.8 s left" */
static void progress_describe(const struct progress_state *state, char *text, size_t size)
{
	const double fraction = state->fraction < 1 ? state->fraction : 1;
	const unsigned sizes_left = state->count ? state->count - state->number : 0;
	const unsigned runs = state->runs ? state->runs : 1, runs_left = state->runs ? state->runs - state->run : 0;
	const char *part = state->load ? "load" : "size";
	double left_s = 0;

	describe_place(state, text, size);
	if (state->seconds <= 0 && state->planned_s > 0)
		text_add(text, size, " for %g s", state->planned_s);
	else if (state->seconds > 0 && fraction < 0)
		text_add(text, size, ": %.1f s", state->seconds);
	else if (state->seconds > 0)
		text_add(text, size, ": %3.0f %% after %.1f s", 100 * fraction, state->seconds);
	if (state->seconds <= 0 || fraction < LEAST_FRACTION)
		return;
	left_s = state->seconds * (1 - fraction) / fraction + state->planned_s * (sizes_left * runs + runs_left);
	text_add(text, size, ", %.1f s left", left_s);
	/* By count, how long the others take is unknown. */
	if (state->planned_s <= 0 && (state->count > 1 || runs > 1))
		text_add(text, size, " of this %s", runs > 1 ? "run" : part);
}

void progress_show(struct progress *progress, const struct progress_state *state)
{
	char text[128];
	int64_t now_ns;
	int width;

	if (!progress->terminal)
		return;
	now_ns = deadline_in_ms(0).at_ns;
	if (progress->width && now_ns - progress->shown_ns < MIN_SPAN_NS)
		return;
	progress_describe(state, text, sizeof(text));
	width = (int)strlen(text);
	/* A line that wraps cannot be overwritten. */
	if (width >= terminal_columns(progress->terminal)) {
		width = terminal_columns(progress->terminal) - 1;
		text[width] = '\0';
	}
	/* The cursor stays at the start of the line: a warning in between overwrites it. */
	fprintf(progress->terminal, "\r%-*s\r", progress->width, text);
	fflush(progress->terminal);
	progress->width = width;
	progress->shown_ns = now_ns;
}

void progress_share(struct progress *progress, double share)
{
	const double seconds = (double)(deadline_in_ms(0).at_ns - progress->began_ns) / 1e9;

	progress_show(progress, &(struct progress_state){.fraction = share, .seconds = seconds});
}

void progress_clear(struct progress *progress)
{
	if (!progress->width)
		return;
	fprintf(progress->terminal, "\r%*s\r" CURSOR_UP "\r\n", progress->width, "");
	fflush(progress->terminal);
	progress->width = 0;
}
