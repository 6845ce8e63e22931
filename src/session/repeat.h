/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How often is a message size measured, and what do several measurements come to? --repeat says how often, --until how
 * sure the result is to be. Called by measure.c between two measurements; knows neither the peer nor what is printed.
 *
 * One figure of each measurement counts: of bandwidth its average, of latency its median. They are of runs that begin
 * anew, and so nearly independent of each other, as neighbouring messages are not. Their mean (of medians their median)
 * has a confidence interval (stats/confidence.h), and a row has the rates' means, the sums of what was counted, and the
 * samples of all.
 *
 * A run that looks again and again whether its interval is narrow enough stops at those looks by which chance made it
 * so. It therefore makes ten measurements at least, and two looks in a row must agree; with that the interval of a run
 * that stopped itself held the true figure in 93 of 100 cases or more (tests/unit/test_repeat.c has the processes).
 */
#ifndef SESSION_REPEAT_H
#define SESSION_REPEAT_H

#include <stdbool.h>
#include <stddef.h>

#include "comm/comm.h"
#include "report/row.h"
#include "util/deadline.h"

#define REPEAT_LEAST 10 /* measurements before --until looks */
#define REPEAT_LOOKS 2	/* in a row that must find the interval narrow enough */

struct repeat_config {
	unsigned count;	      /* measurements of a size, without a goal */
	double until_percent; /* the goal: how far the interval's ends may be from its center; 0: none */
	unsigned most;	      /* measurements with a goal */
	int64_t most_ms;      /* with a goal, none begins later than this */
	bool steady;	      /* the warm-up is found and left out */
	bool measures;	      /* this side has figures; otherwise it wants what its peer wants */
	bool both;	      /* bandwidth: the row's figure is the sum of both sides' (-b), ... */
	bool own;	      /* ... or, otherwise, this side's rather than the peer's */
};

struct repeat; /* one measurement */

struct repeats {
	struct repeat_config config;
	struct repeat *list;
	double *figures; /* one for each measurement; room for the looks' own order */
	unsigned count;	 /* of those with a figure */
	unsigned seen;	 /* of all */
	unsigned looks;	 /* in a row that found the interval narrow enough */
	struct deadline end;
	struct latency *samples; /* of all measurements in the row; NULL: of bandwidth */
};

/* Frees with repeats_close(). has_samples: of latency. 0 or -ENOMEM. */
int repeats_open(struct repeats *repeats, const struct repeat_config *config, bool has_samples);
void repeats_close(struct repeats *repeats);

/* A new message size begins. */
void repeats_begin(struct repeats *repeats);
/*
 * A measurement is complete; its rows are copied, and so are the samples of the local one. Without a rate it is none to
 * go by. 0, -ENOMEM, or -EPROTO: there have been as many as there may be.
 */
int repeats_add(struct repeats *repeats, const struct report_row *local, const struct report_row *remote);
/* What this side wants now. Once for each measurement. */
enum comm_vote repeats_vote(struct repeats *repeats);

/* The figure of the last one: bytes per second or seconds; NaN: none. */
double repeats_last(const struct repeats *repeats);

/*
 * The rows of all measurements, of which there is at least one; total: what their printed row has to say of the
 * repetition (of -b the sum's, which the caller makes). Samples stay those of repeats until its next size.
 */
void repeats_conclude(struct repeats *repeats, struct report_row *local, struct report_row *remote,
		      struct report_repeats *total);

#endif
