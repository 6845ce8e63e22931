/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How many times a message size is measured, and the common result. --repeat gives the number, --until the confidence
 * that the result needs. Called by measure.c between two measurements; depends neither on the peer nor on what is
 * printed.
 *
 * Each measurement contributes one figure: its average bandwidth, or its median latency. They are from runs that start
 * anew, and so nearly independent of each other, unlike neighbouring messages. Their mean (with medians their median)
 * has a confidence interval (stats/confidence.h); a row has the means of the rates, the sums of what was counted, and
 * all samples.
 *
 * A run that repeatedly checks whether its interval is narrow enough stops at those checks at which it is so by chance.
 * It therefore makes at least ten measurements, and two consecutive checks must agree; then the interval of a run that
 * stopped itself contained the true figure in at least 93 of 100 cases, with --steady in at least 91
 * (tests/unit/test_repeat.c has the processes).
 */
#ifndef SESSION_REPEAT_H
#define SESSION_REPEAT_H

#include <stdbool.h>
#include <stddef.h>

#include "comm/comm.h"
#include "report/row.h"
#include "util/deadline.h"

#define REPEAT_LEAST 10 /* measurements before the first check of --until */
#define REPEAT_LOOKS 2	/* consecutive checks that must find the interval narrow enough */

struct repeat_config {
	unsigned count;	      /* measurements per size, without a goal */
	double until_percent; /* the goal: maximum distance of the interval's ends from its center; 0: none */
	unsigned most;	      /* maximum measurements, with a goal */
	int64_t most_ms;      /* with a goal, no measurement begins later than this */
	bool steady;	      /* the warm-up is detected and omitted */
	bool measures;	      /* this side has figures; otherwise it agrees with its peer */
	bool both;	      /* bandwidth: the row's figure is the sum of both sides' (-b), ... */
	bool own;	      /* ... or, otherwise, this side's rather than the peer's */
};

struct repeat; /* one measurement */

struct repeats {
	struct repeat_config config;
	struct repeat *list;
	double *figures; /* of the measurements that have one, with room for sorting in a check */
	double *each[3]; /* NaN where there is none, in the order of measurement: of each enum report_side, and of the
			    sum */
	unsigned count;	 /* measurements */
	unsigned looks;	 /* consecutive checks that found the interval narrow enough */
	struct deadline end;
	struct latency *samples; /* of all measurements in the row; NULL: bandwidth */
};

/* Free with repeats_close(). has_samples: with latency. 0 or -ENOMEM. */
int repeats_open(struct repeats *repeats, const struct repeat_config *config, bool has_samples);
void repeats_close(struct repeats *repeats);

/* A new message size begins. */
void repeats_begin(struct repeats *repeats);
/*
 * A measurement is complete; copies its rows (total: with -b that of both sides), and the local samples. One without a
 * rate has no figure. 0, -ENOMEM, or -EPROTO: the maximum number has been reached.
 */
int repeats_add(struct repeats *repeats, const struct report_row *local, const struct report_row *remote,
		const struct report_row *total);
/* What this side votes for now. Call it once per measurement. */
enum comm_vote repeats_vote(struct repeats *repeats);

/* The last figure: bytes per second or seconds; NaN: none. */
double repeats_last(const struct repeats *repeats);

/*
 * The rows of all measurements, of which there is at least one; total: with -b that of both sides. Samples and the
 * figures of each measurement belong to repeats, and are valid until the next size.
 */
void repeats_conclude(struct repeats *repeats, struct report_row *local, struct report_row *remote,
		      struct report_row *total);

#endif
