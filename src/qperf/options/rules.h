/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How a test's options are completed and checked: defaults, limits, and combinations that are not allowed. */
#pragma once

#include <stddef.h>

#include "qperf/options/tests.h"
#include "stats/series.h"

/* Fills in the test's defaults for what the user did not set. */
void qperf_complete(const struct test_row *test, struct qperf_params *params);
/* Checks one side of a test. 0, or -EINVAL and a line in reason. */
int qperf_check(const struct test_row *test, const struct qperf_side *side, char *reason, size_t reason_size);
/* How often each test is run, and what cannot be combined: 0, or -EINVAL and a line in reason. */
struct series_plan qperf_plan(const struct qperf_params *params);
int qperf_check_plan(const struct qperf_params *params, char *reason, size_t reason_size);
/* What a 0.4.11 server would ignore in this test, or its request cannot express, in words; NULL: nothing. */
const char *rules_not_classic(const struct test_row *test, const struct qperf_side *remote);

/* Can it run with a qperf 0.4.11 peer? Sockets but RDS, whose addresses that asks for, and QPs connected with rdma_cm.
 */
bool rules_are_classic(const struct test_row *test, const struct qperf_side *side);
