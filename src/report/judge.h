/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The limits on figures (--limit_bw, --max_lat and the like): which does a row miss, and by how much, as a sentence?
 * Called by all programs for each result and, with --limit_intervals, each interval: a soak may have any number of
 * those, so that only the first miss is reported at once, and at the end how many there were, and the worst.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "params/engine/limits.h"
#include "params/engine/opt.h"
#include "stats/clock.h"
#include "stats/latency.h"
#include "util/log.h"

struct envelope;

/* Zeroed at first. */
struct judge_intervals {
	uint64_t judged, missed;
	double worst_factor; /* by which the worst missed its limit; 0: none did */
	bool is_below;	     /* the worst */
	char worst[LOG_TEXT_SIZE];
};

/* The rest at the end of a run may be so short that its figure says nothing. */
static inline bool judge_takes(double row_s, double interval_s)
{
	return row_s * 2 >= interval_s;
}

/*
 * Has a row of an interval a rate? Not if it is shorter than a tenth of it: what came together in so short a time would
 * be one that nothing ever had.
 */
static inline bool judge_has_rate(double row_s, double interval_s)
{
	return row_s * 10 >= interval_s;
}

/* Per second; NaN: it has none. */
static inline double judge_rate_of(double count, double row_s, double interval_s)
{
	return judge_has_rate(row_s, interval_s) ? count / row_s : NAN;
}

/* Of a row. */
struct judge {
	struct envelope *envelope;	   /* gets what is missed */
	struct judge_intervals *intervals; /* the row is one of these; NULL: it is a result */
	char subject[32];		   /* what sentences begin with: "tcp_bw: "; "", as of the next two: nothing */
	char where[192];		   /* behind the figure: " at 4096 bytes" */
	char over[STAMP_SIZE + 4];	   /* behind all: of an interval " (STAMP)" */
	bool missed;			   /* some limit */
};

#define LIMIT_VALUE_SIZE 48

/* A figure, and what it must not be above, or below. */
struct limited {
	const char *what, *option; /* "the bandwidth is below the limit", "--limit_bw" */
	double value, limit;	   /* in the same unit; limit 0: none */
	bool is_most;
	const char *unit; /* with which both are written; NULL: they are in figure and bound */
	int decimals;
	bool rounds_limit; /* to the same decimals; otherwise it is written as it was given */
	char figure[LIMIT_VALUE_SIZE], bound[LIMIT_VALUE_SIZE];
};

/* Samples that percentiles are of. */
struct limited_samples {
	const struct latency *latency; /* NULL: none */
	const char *max, *of;	       /* "t_max", and behind "99% percentile": " of latency" */
	const char *advice;	       /* if there are too few: "raise -n or -D" */
	bool is_count_unnamed;	       /* ... their number is not part of the sentence */
};

#define LIMIT_TITLE_SIZE 64

/*
 * An option as sentences name it: "-w", "--limit_bw", or with a share of what is possible "-w 90%". name: its long one;
 * values: of the table. Returns text.
 */
const char *judge_title(const struct opt_table *table, const char *name, const void *values,
			char text[LIMIT_TITLE_SIZE]);

void judge_value(struct judge *judge, struct limited *limited);
/* --max_lat, --max_p99 and --max_percentiles. A limit on a percentile with too few samples is missed. */
void judge_latency(struct judge *judge, const struct latency_limits *limits, const struct limited_samples *samples);
/* There is no figure, which misses by more than any would. below: of a least figure. */
void judge_without(struct judge *judge, const char *lack, const char *advice, bool below);
/* The row has been judged; of an interval counts it. */
void judge_end(struct judge *judge);
/* After the last interval: the sentence about all, if one missed a limit. asked: a warning if none was judged. */
void judge_sum_up(struct judge *judge, bool asked);
