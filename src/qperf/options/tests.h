/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of tests: order, help, requests, defaults, and the test body. */
#pragma once

#include <stddef.h>

#include "qperf/options/parameters.h"

enum test_group { GROUP_MISC, GROUP_SOCKET, GROUP_MESSAGES, GROUP_RDMA, GROUP_ATOMICS, GROUP_VERIFY, NUM_GROUPS };

/* What a test measures. */
enum measure {
	MEASURE_NONE,
	MEASURE_LATENCY,
	MEASURE_RATE,
	MEASURE_BANDWIDTH,  /* lossless: what was received */
	MEASURE_BANDWIDTHS, /* sent and received */
};

/* The kinds of socket tests. */
enum protocol { PROTOCOL_TCP, PROTOCOL_UDP, PROTOCOL_SCTP, PROTOCOL_SDP, PROTOCOL_RDS, NUM_PROTOCOLS };

/* Test bodies; session_ops() has their functions. */
enum test_body {
	BODY_CONF,
	BODY_QUIT,
	BODY_SOCKET_BANDWIDTH,
	BODY_SOCKET_LATENCY,
	BODY_CONNECTIONS,
	BODY_RDMA,
	NUM_BODIES
};

#define TEST_LAST_CLASSIC 35

struct test_row {
	const char *name;
	uint8_t number; /* in requests, up to TEST_LAST_CLASSIC also those of qperf 0.4.11 */
	enum test_group group;
	enum measure measure;
	uint32_t uses;	       /* PARAM_BITs */
	uint64_t default_size; /* bytes of a message; 0: not selectable */
	uint64_t max_size;
	uint32_t classic_uses; /* those of uses that qperf 0.4.11 supports in addition to what all its tests do */
	enum test_body body;
	int kind; /* for the body: protocol, transport, operation */
	const char *purpose;
	const char *description;
};

extern const struct test_row test_rows[];
extern const size_t num_test_rows;
extern const char *const test_groups[NUM_GROUPS];

/* NULL if there is none. */
const struct test_row *test_find(const char *name);
/* Which was probably meant? NULL: nothing is like it. */
const struct test_row *test_find_similar(const char *name);
const struct test_row *test_by_number(unsigned number);
/* Does it run between the two sides, with a session? conf and quit don't. */
bool test_has_session(const struct test_row *test);
/* What part of a sample the latency is: of a round trip half; of what one side asks and the other answers, all. */
double test_sample_share(const struct test_row *test);
/* Of one message, or atomic. side: with the defaults of the test. */
uint64_t test_bytes(const struct test_row *test, const struct qperf_side *side);
/* May messages be lost? In other tests they all arrive, or the test fails. */
bool test_loses(const struct test_row *test);
