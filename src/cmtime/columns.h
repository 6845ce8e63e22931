/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The columns of cmtime's tables: of steps, of intervals and of the whole. report.c prints them with report/table.h. */
#pragma once

#include "cmtime/conn_stats.h"
#include "cmtime/parameters.h"
#include "report/table.h"

enum test_kind {
	TEST_QPS,
	TEST_SIMULATED_QPS,
	TEST_NO_QPS,
	TEST_SOCKETS,
};

/* The result of a test, of this instance or of the whole cluster, which is printed as rows. */
struct cmtime_result {
	enum test_kind kind;
	bool merged;	  /* of the whole cluster instead of this instance */
	bool in_text;	  /* the text has only one of the two; CSV and JSON have both */
	bool partial;	  /* the test was cut short */
	uint64_t planned; /* connections; classic cmtime divides by it */
	const struct conn_stats *stats;
	/* --- set by report.c --- */
	const char *test; /* "simulated QPs" */
	const char *part; /* of the cluster: "local", "total" */
	bool is_flow;
	bool listens;	/* results of a server */
	unsigned index; /* of the row's step or, in the table of intervals, of its interval */
};

enum cmtime_format { CMTIME_TEXT, CMTIME_CSV, CMTIME_JSON };

#define CMTIME_NUM_USUAL	4 /* percentiles in CSV and JSON by default */
#define CMTIME_MOST_PERCENTILES (CMTIME_NUM_USUAL + CMTIME_MAX_PERCENTILES)

/* A table, with the percentiles that its columns point to. */
struct cmtime_table {
	struct table table;
	double percentiles[CMTIME_MOST_PERCENTILES];
};

/* The text has only one form. */
void columns_steps(struct cmtime_table *steps, const struct cmtime_params *params, enum cmtime_format format);
/* Only in JSON documents. */
extern const struct table columns_intervals;
extern const struct table columns_summary;

/* The histograms of a step, "latency_histogram" and so on, with table_histogram_json(). 0 or -ENOMEM. */
int columns_add_histograms(json_t *object, const struct step_stats *stats);
