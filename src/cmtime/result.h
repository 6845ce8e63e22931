/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The result of a test, of this instance or of the whole cluster, from which a table is printed. */
#pragma once

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
	bool merged;	  /* of the whole cluster instead of this instance */
	bool in_text;	  /* the text has only one of the two; CSV and JSON have both */
	bool partial;	  /* the test was cut short */
	uint64_t planned; /* connections; classic cmtime divides by it */
	const struct conn_stats *stats;
};
