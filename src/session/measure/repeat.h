/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The measurements of one message size, and their common row. stats/series.h says how many are enough. Called by
 * measure.c between two measurements; depends neither on the peer nor on what is printed.
 *
 * Each measurement contributes one figure: its average bandwidth, or its median latency. A row has the means of the
 * rates, the sums of what was counted, and all samples.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "report/row.h"
#include "stats/series.h"

struct repeat_config {
	struct series_plan plan;
	bool measures; /* this side has figures; otherwise it agrees with its peer */
	bool both;     /* bandwidth: the row's figure is the sum of both sides' (-b), ... */
	bool own;      /* ... or, otherwise, this side's rather than the peer's */
};

struct repeat; /* one measurement */

struct repeats {
	struct repeat_config config;
	struct repeat *list;
	struct series series;	 /* of the figures in the row of all */
	double *sides[2];	 /* likewise, of each enum report_side alone */
	struct latency *samples; /* of all measurements in the row; NULL: bandwidth */
};

/* Free with repeats_close(). has_samples: with latency. 0 or -ENOMEM. */
int repeats_open(struct repeats *repeats, const struct repeat_config *config, bool has_samples);
void repeats_close(struct repeats *repeats);

/* A new message size begins. */
void repeats_begin(struct repeats *repeats);
/*
 * A measurement is complete; copies its rows (total: with -b that of both sides), and the local samples. One without a
 * rate has no figure. 0 or -ENOMEM.
 */
int repeats_add(struct repeats *repeats, const struct report_row *local, const struct report_row *remote,
		const struct report_row *total);
/*
 * The rows of all measurements, of which there is at least one; total: with -b that of both sides. Samples and the
 * figures of each measurement belong to repeats, and are valid until the next size.
 */
void repeats_conclude(struct repeats *repeats, struct report_row *local, struct report_row *remote,
		      struct report_row *total);
