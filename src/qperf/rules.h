/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a test takes of what was asked for: defaults, limits, and what does not go together. */
#ifndef QPERF_RULES_H
#define QPERF_RULES_H

#include <stddef.h>

#include "qperf/tests.h"

/* Gives what the user left open the values of this test. */
void qperf_complete(const struct test_row *test, struct qperf_params *params);
/* One side of a test. 0, or -EINVAL and a line in reason. */
int qperf_check(const struct test_row *test, const struct qperf_side *side, char *reason, size_t reason_size);
/* What a server of version 0.4.11 would not heed of this test, in words; NULL: nothing. */
const char *rules_not_classic(const struct test_row *test, const struct qperf_side *remote);

/* May it run with a qperf 0.4.11: no RDMA, or queue pairs that rdma_cm connects to each other? */
bool rules_classic_rdma(const struct test_row *test, const struct qperf_side *side);

#endif
