/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The columns of cmtime's tables: of a step, of an interval and of the whole. For report.c, which prints them by
 * report/table.h.
 */
#ifndef CMTIME_COLUMNS_H
#define CMTIME_COLUMNS_H

#include "cmtime/parameters.h"
#include "cmtime/result.h"
#include "report/table.h"

/* What a row is of. */
struct cmtime_row {
	const struct cmtime_result *result;
	bool is_flow;
	bool listens;	/* a server's own figures */
	unsigned index; /* of a step's table the step, of the intervals' the interval */
};

enum cmtime_format { CMTIME_TEXT, CMTIME_CSV, CMTIME_JSON };

#define CMTIME_NUM_USUAL	4 /* percentiles that CSV and every document have */
#define CMTIME_MOST_PERCENTILES (CMTIME_NUM_USUAL + CMTIME_MAX_PERCENTILES)

/* A table, with room for the percentiles that it points to. */
struct cmtime_table {
	struct table table;
	double percentiles[CMTIME_MOST_PERCENTILES];
};

/* The text has one form. */
void columns_steps(struct cmtime_table *steps, const struct cmtime_params *params, enum cmtime_format format);
/* In documents only. */
extern const struct table columns_intervals;
extern const struct table columns_summary;

/* The histograms of a step: "latency_histogram" and so on, by table_histogram_json(). 0 or -ENOMEM. */
int columns_add_histograms(json_t *object, const struct step_stats *stats);

/* "simulated QPs" */
const char *columns_kind_name(enum test_kind kind);

#endif
