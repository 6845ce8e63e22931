/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One line on stderr that says how far a long run is, written over itself, for a human at a terminal
 * only. Called by report.c.
 */
#ifndef REPORT_PROGRESS_H
#define REPORT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
	FILE *terminal;	  /* NULL: nobody looks */
	int64_t shown_ns; /* CLOCK_MONOTONIC of the last writing */
	int width;	  /* bytes that stand on the line; 0: none */
};

void progress_open(struct progress *progress, FILE *stream);
/* fraction 0..1, below 0 unknown; seconds since the start. Writes a few times a second at most. */
void progress_show(struct progress *progress, double fraction, double seconds);
/* Wipes the line, before something else is written there. */
void progress_clear(struct progress *progress);

#endif
