/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is known of one test: for each step three distributions over its connections, and how long all of
 * them together took; and how many connections came up when. Figures of several instances are added:
 * histograms bucket by bucket, so that a percentile of the whole cluster is right.
 */
#ifndef CMTIME_CONN_STATS_H
#define CMTIME_CONN_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "cmtime/step.h"
#include "stats/latency.h"

/* What of a step is measured; step.h says how they are told apart. */
enum measure {
	MEASURE_TIME,
	MEASURE_SERVICE,
	MEASURE_QUEUED,
	MEASURE_COUNT,
};

struct step_stats {
	uint64_t total_ns;			/* from the first begin to the last end; merged: the longest */
	struct latency measures[MEASURE_COUNT]; /* ns; counts differ: not every step has all of them */
};

/*
 * Connections established in intervals of equal width. Beyond the last one the width is doubled and pairs
 * are added up, so that a run of any length fits.
 */
#define RATE_INTERVALS 4096
#define RATE_WIDTH_NS  100000000 /* 100 ms at first */

struct rate {
	uint64_t width_ns; /* RATE_WIDTH_NS times a power of two */
	uint32_t used;	   /* intervals up to the last that has one */
	uint64_t counts[RATE_INTERVALS];
};

struct conn_stats {
	uint64_t connections; /* that were established */
	uint64_t retries;     /* of resolving an address or a route, and of stale connections */
	struct step_stats steps[STEP_COUNT];
	struct rate rate;
};

/* 0 or -ENOMEM, not reported. */
int conn_stats_open(struct conn_stats **stats);
void conn_stats_close(struct conn_stats *stats); /* takes NULL */
/* The steps: sums, but for the totals, of which the longest counts. */
void conn_stats_add_steps(struct conn_stats *into, const struct conn_stats *from);
/* One step of one connection; cycles are turned into ns. asked, taken and event may be 0. */
void conn_stats_record(struct conn_stats *stats, enum step step, const struct step_times *times);

void rate_record(struct rate *rate, uint64_t since_start_ns);
void rate_add(struct rate *into, const struct rate *from);
/* Connections a second: from the first call for one to the last one that was established; 0: there was none. */
double conn_stats_rate_average(const struct conn_stats *stats, bool listens);
/* ... of the highest whole interval, or the average where that is higher; NaN: no interval was over. */
double conn_stats_rate_peak(const struct conn_stats *stats, bool listens);

#endif
