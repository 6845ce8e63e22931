/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The columns of qperf's CSV, with a row for each result and each interval. For report.c. */
#pragma once

#include "qperf/options/options.h"
#include "qperf/options/tests.h"
#include "qperf/print/figures.h"
#include "report/table.h"
#include "stats/series.h"

struct qperf_row {
	const char *kind; /* "result", "partial", "interval", "spread" or "partial_spread" */
	const struct test_row *test;
	const struct qperf_params *params;
	const struct figures *figures;
	bool has_no_counts;		  /* an interval, or several runs, without counts of messages */
	const struct series_result *runs; /* of several; otherwise NULL */
	const char *time;		  /* --timestamps */
};

#define QPERF_HAS_TIME 1U /* of struct table's has */

extern const struct table qperf_columns;
