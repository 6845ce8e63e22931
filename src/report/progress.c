// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The progress line. Blanks wipe it, so that any terminal will do. */
#include "report/progress.h"

#include <time.h>
#include <unistd.h>

#define MIN_SPAN_NS 200000000 /* between two writings: a human reads no faster, a serial console survives */

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

void progress_show(struct progress *progress, double fraction, double seconds)
{
	char text[64];
	int64_t now_ns;
	int width;

	if (!progress->terminal)
		return;
	now_ns = monotonic_ns();
	if (progress->width && now_ns - progress->shown_ns < MIN_SPAN_NS)
		return;
	if (fraction < 0)
		width = snprintf(text, sizeof(text), " running: %.1f s", seconds);
	else
		width = snprintf(text, sizeof(text), " running: %3.0f %% after %.1f s",
				 100 * (fraction < 1 ? fraction : 1), seconds);
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
