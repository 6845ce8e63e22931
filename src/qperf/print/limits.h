/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which limits (--limit_bw, --max_lat and the like) does a result miss? Called by client.c. */
#pragma once

#include "params/engine/limits.h"
#include "qperf/print/report.h"

/*
 * Judges the result of a test, or what several runs of it have in common: those limits that are about what the test
 * measures. One without a figure is missed, too.
 */
void qperf_judge(struct results *results, const struct test_row *test, const struct qperf_params *params,
		 const struct figures *figures);
/* --limit_intervals: judges an interval, and at the end all of a test. */
void qperf_judge_interval(const struct test_row *test, const struct qperf_params *params,
			  const struct qperf_interval *interval, struct interval_limits *limits);
void qperf_judge_intervals(struct results *results, const struct test_row *test, const struct interval_limits *limits);
