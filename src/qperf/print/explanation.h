/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --explain: what both sides saw during a test, and what that says about its figures. */
#pragma once

#include "explain/explain.h"
#include "qperf/control/control.h"
#include "qperf/print/figures.h"

/* Before and after the loop, outside its time. id: this side's RDMA device and port. */
void qperf_watch_begin(const struct test_row *test, const struct control *control, const char *id);
/* data_fd: the TCP connection of the test; < 0: it has none. */
void qperf_watch_end(const struct control *control, int data_fd);
/* After the results: with a native peer. 0 or -errno, reported. */
int qperf_exchange_facts(struct control *control);

/* On the client, after that. own: this side's account. Until the next test. */
const struct explanation *qperf_explain(const struct test_row *test, const struct qperf_params *params,
					const struct account *own, const struct figures *figures);
