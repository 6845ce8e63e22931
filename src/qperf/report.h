/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a client prints: text, CSV or a JSON document, each result as soon as it is there. */
#ifndef QPERF_REPORT_H
#define QPERF_REPORT_H

#include "qperf/figures.h"
#include "qperf/tests.h"
#include "qperf/text.h"

struct qperf_report;

/* params: those of the whole command line. 0 or -errno, reported. */
int qperf_report_open(struct qperf_report **report, const struct qperf_params *params);
/* Takes NULL. */
void qperf_report_free(struct qperf_report *report);
/* status: "complete", "failed", "interrupted"; reason may be NULL. 0 or -errno, reported. */
int qperf_report_close(struct qperf_report *report, const char *status, const char *reason);

/* A test begins. 0 or -errno: stdout takes nothing more, reported; the others leave that to this one and to the end. */
int qperf_report_head(struct qperf_report *report, const char *name);
void qperf_report_conf(struct qperf_report *report, const struct conf *local, const struct conf *remote);
/* params: with the defaults of the test. peer: the version of the server, for the document. */
void qperf_report_result(struct qperf_report *report, const struct test_row *test, const struct qperf_params *params,
			 const struct figures *figures, bool classic_peer);
/* value: a latency of 0: no answer came. sends: this side does, where the two bandwidths are apart. */
void qperf_report_interval(struct qperf_report *report, const struct test_row *test, const struct qperf_params *params,
			   double begin_s, double end_s, double value, bool sends);
void qperf_report_spread(struct qperf_report *report, const struct test_row *test, const struct qperf_params *params,
			 double *results, unsigned count); /* puts them in order */

#endif
