/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a test has come to, of this instance or of the whole cluster: what a table is made of. */
#ifndef CMTIME_RESULT_H
#define CMTIME_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "cmtime/conn_stats.h"

enum test_kind {
	TEST_QPS,
	TEST_SIMULATED_QPS,
	TEST_NO_QPS,
	TEST_SOCKETS,
};

struct cmtime_result {
	enum test_kind kind;
	bool merged;	  /* of the whole cluster, rather than this instance's */
	bool in_text;	  /* of the two the text has one; CSV and documents have both */
	bool partial;	  /* it was cut short */
	uint64_t planned; /* connections; what classic cmtime divides by */
	const struct conn_stats *stats;
};

#endif
