/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The output of a client: text, CSV or a JSON document, each result as soon as it is available. */
#pragma once

#include "explain/explain.h"
#include "qperf/control/control.h"
#include "qperf/options/tests.h"
#include "qperf/print/figures.h"
#include "qperf/print/text.h"
#include "report/judge.h"
#include "report/results.h"

/* params: of the whole command line. 0 or -errno, reported. */
int qperf_report_open(struct results *results, const struct qperf_params *params, const struct run_id *run_id);

/*
 * Starts a test. 0 or -errno: stdout cannot be written, reported; the functions below leave errors to this one and to
 * the end, except for that of an interval.
 */
int qperf_report_head(struct results *results, const char *name);
void qperf_report_conf(struct results *results, const struct conf *local, const struct conf *remote);
/* params: including the defaults of the test. explanation NULL: none was asked for. */
void qperf_report_result(struct results *results, const struct test_row *test, const struct qperf_params *params,
			 const struct figures *figures, const struct qperf_sides *sides,
			 const struct explanation *explanation);
/* 0 or -errno, as qperf_report_head(). */
int qperf_report_interval(struct results *results, const struct test_row *test, const struct qperf_params *params,
			  const struct qperf_interval *interval, const struct qperf_sides *sides);
/* Of several runs, at least one of which has a result; figures: what they have in common. */
void qperf_report_spread(struct results *results, const struct test_row *test, const struct qperf_params *params,
			 struct series *series, const struct series_result *result, const struct figures *figures,
			 const struct qperf_sides *sides);

/* --- limits.c: which limits (--limit_bw, --max_lat and the like) does a result miss? --- */

/* "--limit_bw 90%", the first limit of such a test that is a share of what is possible; NULL: none is. May use text. */
const char *qperf_share_option(const struct test_row *test, const struct qperf_params *params,
			       char text[LIMIT_TITLE_SIZE]);
/*
 * Judges the result of a test, or what several runs of it have in common: those limits that are about what the test
 * measures. One without a figure is missed, too.
 */
void qperf_judge(struct results *results, const struct test_row *test, const struct qperf_params *params,
		 const struct figures *figures, const struct payload_path *path);
/* --limit_intervals: judges an interval, and at the end all of a test. asked: as in judge.h. */
void qperf_judge_interval(struct results *results, const struct test_row *test, const struct qperf_params *params,
			  const struct qperf_interval *interval, const struct payload_path *path,
			  struct judge_intervals *intervals);
void qperf_judge_intervals(struct results *results, const struct test_row *test, bool asked,
			   struct judge_intervals *intervals);

/* --- explanation.c: --explain, what both sides saw during a test, and what that says about its figures --- */

/* Before and after the loop, outside its time. id: this side's RDMA device and port. */
void qperf_watch_begin(const struct test_row *test, const struct control *control, const char *id);
/* data_fd: the TCP connection of the test; < 0: it has none. */
void qperf_watch_end(const struct control *control, int data_fd);
/* After the results: with a native peer. 0 or -errno, reported. */
int qperf_exchange_facts(struct control *control);

/* On the client, after that. own: this side's account. path: of the messages. Until the next test. */
const struct explanation *qperf_explain(const struct test_row *test, const struct qperf_params *params,
					const struct account *own, const struct figures *figures,
					const struct payload_path *path);
