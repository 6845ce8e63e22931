/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A line on stderr with the progress of a long run, overwritten in place, only on a terminal. Called by report.c. */
#pragma once

#include <stdint.h>
#include <stdio.h>

/* How far a run is. */
struct progress_state {
	double fraction;  /* 0..1 of this size, load or run; negative: unknown */
	double seconds;	  /* since its start; 0: it starts now */
	double planned_s; /* duration of each, by time; 0: by count, or as many as needed */
	uint64_t size;	  /* bytes */
	unsigned number;  /* of the size in a sweep, or of the load in a list, from 1 */
	unsigned count;	  /* sizes of the sweep, or loads; 0 or 1: only one */
	unsigned load;	  /* percent of the maximum; 0: sizes are measured, not loads */
	unsigned run;	  /* of several for one size (--repeat), from 1 */
	unsigned runs;	  /* at most; 0 or 1: only one */
};

struct progress {
	FILE *terminal;	  /* NULL: none */
	int64_t began_ns; /* CLOCK_MONOTONIC, and of the last write: */
	int64_t shown_ns;
	int width; /* bytes on the line; 0: none */
};

void progress_open(struct progress *progress, FILE *stream);
/* Writes at most a few times per second. */
void progress_show(struct progress *progress, const struct progress_state *state);
/* The same of a share, 0..1, of what has been done since progress_open(). */
void progress_share(struct progress *progress, double share);
/* Clears the line, before anything else is written there. */
void progress_clear(struct progress *progress);
