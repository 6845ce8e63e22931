/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Repeated measurements of one thing: how many are enough, and what do they say together? --repeat gives the number,
 * --until the confidence that the result needs. Called between two measurements by the programs that repeat them;
 * depends neither on the peer nor on what is printed.
 *
 * Each measurement has one figure. They are from runs that start anew, and so nearly independent of each other, unlike
 * neighbouring messages: their mean (with medians their median) has a confidence interval (confidence.h).
 *
 * A run that repeatedly checks whether its interval is narrow enough stops at those checks at which it is so by chance.
 * It therefore makes at least ten measurements, and two consecutive checks must agree; then the interval of a run that
 * stopped itself contained the true figure in at least 93 of 100 cases, with --steady in at least 91
 * (tests/unit/test_repeat.c has the processes).
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "stats/confidence.h"

#define SERIES_LEAST 10 /* measurements before the first check of --until */
#define SERIES_LOOKS 2	/* consecutive checks that must find the interval narrow enough */

/* What the user asked for: options store into it. */
struct series_plan {
	uint32_t count;	      /* --repeat; without a goal */
	double until_percent; /* --until, the goal: maximum distance of the interval's ends from its center; 0: none */
	uint32_t most;	      /* --max_repeats; with a goal */
	uint32_t most_s;      /* --max_time; with a goal, no measurement begins later than this */
	bool steady;	      /* --steady: the warm-up is detected and omitted */
};

static inline bool series_repeats(const struct series_plan *plan)
{
	return plan->count > 1 || plan->until_percent > 0;
}

static inline uint32_t series_most(const struct series_plan *plan)
{
	return plan->until_percent > 0 ? plan->most : plan->count;
}

/* What the measurements say together. */
struct series_result {
	unsigned count;		      /* measurements in it; 0: one, which was not repeated */
	unsigned left_out;	      /* previous ones, of a warm-up */
	struct confidence confidence; /* in the unit of the figures */
	bool reached;		      /* --until */
	/* the figure of each measurement, those left out first; NaN: it has none. NULL: there is only one */
	const double *each;
};

static inline struct series_result series_of_one(void)
{
	return (struct series_result){.count = 1, .confidence = {NAN, NAN, NAN}};
}

/* Whether a side wants to measure once more; the larger of both sides' values counts. */
enum series_vote {
	SERIES_ENOUGH, /* its result is as precise as requested */
	SERIES_AGAIN,
	SERIES_NO_MORE, /* a limit is reached: there is no room for more, whatever the other side votes */
};

struct series {
	struct series_plan plan;
	bool of_medians; /* the figures are medians of histograms */
	double tick;	 /* ... whose buckets are so wide: the unit of a figure for each of the histogram's */
	double *each;	 /* of each measurement, in their order; NaN: it has no figure */
	double *known;	 /* those that have one, with room for sorting */
	unsigned count;	 /* measurements */
	unsigned looks;	 /* consecutive checks that found the interval narrow enough */
	uint64_t end_ns; /* of plan.most_s, by clock_gettime_ns() */
};

/* Free with series_close(), which takes a zeroed struct. 0 or -ENOMEM. */
int series_open(struct series *series, const struct series_plan *plan, bool of_medians);
void series_close(struct series *series);

/* Something else is measured from here on, and the time of its plan begins; series_open() does the same. */
void series_begin(struct series *series);
/* A measurement is complete, after a vote for it. NaN: it has no figure. */
void series_add(struct series *series, double figure);
/* What this side votes for now; call it once per measurement. */
enum series_vote series_vote(struct series *series);

/* Valid until the next measurement, as what points into the series. */
struct series_result series_conclude(struct series *series);
/* Of another figure of the same measurements, without those that are left out. */
struct confidence series_interval(struct series *series, const double *each, unsigned left_out);
/* The figures that are known, from one measurement on, ascending. Returns how many. */
unsigned series_sort(struct series *series, unsigned first, const double **sorted);
