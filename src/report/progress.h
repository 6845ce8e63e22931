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

/* How far a run is. */
struct progress_state {
	double fraction;  /* 0..1 of this size, load or run; below 0: unknown */
	double seconds;	  /* since it began; 0: it begins now */
	double planned_s; /* that each of them takes, by time; 0: by count, or as many as it takes */
	uint64_t size;	  /* bytes */
	unsigned number;  /* of the size in a sweep, or of the load in a table of them, from 1 */
	unsigned count;	  /* sizes of the sweep, or loads; 0 or 1: there is none */
	unsigned load;	  /* percent of the maximum; 0: it is sizes that are gone through */
	unsigned run;	  /* of several of one size (--repeat), from 1 */
	unsigned runs;	  /* at most; 0 or 1: it is the only one */
};

struct progress {
	FILE *terminal;	  /* NULL: there is none */
	int64_t shown_ns; /* CLOCK_MONOTONIC of the last writing */
	int width;	  /* bytes that stand on the line; 0: none */
};

void progress_open(struct progress *progress, FILE *stream);
/* Writes a few times a second at most. */
void progress_show(struct progress *progress, const struct progress_state *state);
/* Wipes the line, before something else is written there. */
void progress_clear(struct progress *progress);

#endif
