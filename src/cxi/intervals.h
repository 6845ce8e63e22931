/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What has a row of --report_interval, and when? A row ends with the last list that its interval has counted, so that
 * its rate is one of whole lists; where none came in the latter half of the interval, with the interval. It is kept
 * back for CXI_LEAST_INTERVAL_NS: what is left when the size ends by then is part of it, and has no row of its own.
 * The end of the time of -D is no boundary, so that what is under way then is part of the last row. Called by run.c.
 */
#ifndef CXI_INTERVALS_H
#define CXI_INTERVALS_H

#include <stdint.h>

#define CXI_LEAST_INTERVAL_NS 1e7 /* as --report_interval, and what its two decimals show */

/* What was counted until then. */
struct cxi_mark {
	uint64_t lists; /* in and out */
	uint64_t sent;	/* of them those of whole iterations of this side's */
	uint64_t cycles;
};

struct cxi_intervals {
	uint64_t length; /* cycles; 0: no rows are asked for */
	uint64_t least;	 /* cycles */
	uint64_t begin, end;
	uint64_t boundary;	 /* the next one */
	struct cxi_mark printed; /* where the last row ended */
	struct cxi_mark held;	 /* where the one ends that is kept back; no later than printed: there is none */
	struct cxi_mark counted; /* with the last list */
	void (*row)(void *context, const struct cxi_mark *from, const struct cxi_mark *to);
	void *context;
};

/* end: of a size by time; UINT64_MAX: by iterations. row and context are the caller's. */
void cxi_intervals_start(struct cxi_intervals *intervals, double seconds, uint64_t begin, uint64_t end);
/* Now and then. */
void cxi_intervals_look(struct cxi_intervals *intervals, uint64_t now);
/* The rows that are left; until: the end of the last one. */
void cxi_intervals_end(struct cxi_intervals *intervals, uint64_t until);

/* So many lists were counted by then. */
static inline void cxi_intervals_count(struct cxi_intervals *intervals, uint64_t lists, uint64_t sent, uint64_t cycles)
{
	if (lists != intervals->counted.lists)
		intervals->counted = (struct cxi_mark){lists, sent, cycles};
}

#endif
