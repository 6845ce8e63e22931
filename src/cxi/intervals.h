/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Determines the rows of --report_interval. A row ends with the last list that was counted in its interval, so that its
 * rate refers to whole lists; if none was completed in the second half of the interval, it ends with the interval. It
 * is held back for CXI_LEAST_INTERVAL_NS: if the size ends within that time, the remainder is included and gets no row
 * of its own. The end of -D is not a boundary, so that what is in flight then is part of the last row. Called by run.c.
 */
#pragma once

#include <stdint.h>

#define CXI_LEAST_INTERVAL_NS 1e7 /* the minimum of --report_interval, and the resolution of its two decimals */

/* Counts up to a point in time. */
struct cxi_mark {
	uint64_t lists; /* in both directions */
	uint64_t sent;	/* those in whole iterations of this side */
	uint64_t cycles;
};

struct cxi_intervals {
	uint64_t length; /* cycles; 0: no rows */
	uint64_t least;	 /* cycles */
	uint64_t begin, end;
	uint64_t boundary;	 /* end of the current interval */
	struct cxi_mark printed; /* end of the last row */
	struct cxi_mark held;	 /* end of the row that is held back; not after printed: there is none */
	struct cxi_mark counted; /* as of the last list */
	void (*row)(void *context, const struct cxi_mark *from, const struct cxi_mark *to);
	void *context;
};

/* end: with a duration; UINT64_MAX: with a number of iterations. The caller sets row and context. */
void cxi_intervals_start(struct cxi_intervals *intervals, double seconds, uint64_t begin, uint64_t end);
/* To be called regularly. */
void cxi_intervals_look(struct cxi_intervals *intervals, uint64_t now);
/* Prints the remaining rows; until: the end of the last one. */
void cxi_intervals_end(struct cxi_intervals *intervals, uint64_t until);

/* Records the total numbers of lists at a time. */
static inline void cxi_intervals_count(struct cxi_intervals *intervals, uint64_t lists, uint64_t sent, uint64_t cycles)
{
	if (lists != intervals->counted.lists)
		intervals->counted = (struct cxi_mark){lists, sent, cycles};
}
