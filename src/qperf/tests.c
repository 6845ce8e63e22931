// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which tests are there? Names, numbers and defaults are those of qperf 0.4.11. */
#include "qperf/tests.h"

#include <string.h>

#include "qperf/protocol.h"

#define KIB 1024ULL
#define BIT PARAM_BIT

#define USES_SOCKETS                                                                                                   \
	(BIT(PARAM_AFFINITY) | BIT(PARAM_FLIP) | BIT(PARAM_MSG_SIZE) | BIT(PARAM_NO_MSGS) | BIT(PARAM_PORT) |          \
	 BIT(PARAM_SOCK_BUF_SIZE) | BIT(PARAM_TIME) | BIT(PARAM_TIMEOUT) | BIT(PARAM_SPIN))
#define USES_TCP    (USES_SOCKETS | BIT(PARAM_CONGESTION))
#define USES_STREAM (BIT(PARAM_ACCESS_RECV) | BIT(PARAM_SEND) | BIT(PARAM_RECEIVE))

#define MOST_STREAM   (1ULL << 40)
#define MOST_DATAGRAM 65507
#define MOST_RDS      (1ULL << 20)

#define SOCKET_BW(which, low, size, most, figure, more)                                                                \
	.group = GROUP_SOCKET, .measure = (figure), .uses = USES_SOCKETS | USES_STREAM | (more),                       \
	.default_size = (size), .max_size = (most), .body = BODY_SOCKET_BANDWIDTH, .kind = PROTOCOL_##which,           \
	.purpose = #which " streaming one way bandwidth",                                                              \
	.description = "The client sends messages without a pause, and the server counts those that arrive whole."

#define SOCKET_LAT(which, low, most, more)                                                                             \
	.group = GROUP_SOCKET, .measure = MEASURE_LATENCY, .uses = USES_SOCKETS | (more), .default_size = 1,           \
	.max_size = (most), .body = BODY_SOCKET_LATENCY, .kind = PROTOCOL_##which,                                     \
	.purpose = #which " one way latency",                                                                          \
	.description = "The client and the server send a message back and forth; the latency is half of the time of "  \
		       "a round trip."

const char *const test_groups[NUM_GROUPS] = {
	[GROUP_MISC] = "Miscellaneous", [GROUP_SOCKET] = "Socket Based",	[GROUP_MESSAGES] = "RDMA Send/Receive",
	[GROUP_RDMA] = "RDMA",		[GROUP_ATOMICS] = "InfiniBand Atomics", [GROUP_VERIFY] = "Verification",
};

const struct test_row test_rows[] = {
	{
		.name = "conf",
		.body = BODY_CONF,
		.number = 0,
		.uses = BIT(PARAM_TIMEOUT),
		.purpose = "Show configuration",
		.description = "Shows the name, the CPUs and the system of both hosts.",
	},
	{
		.name = "quit",
		.body = BODY_QUIT,
		.number = 1,
		.uses = BIT(PARAM_TIMEOUT),
		.purpose = "Cause the server to quit",
		.description = "Ends the server, unless it was started with --no_quit. Tests behind it are not run.",
	},
	{.name = "rds_bw", .number = 2, SOCKET_BW(RDS, rds, 8 * KIB, MOST_RDS, MEASURE_BANDWIDTH, 0)},
	{.name = "rds_lat", .number = 3, SOCKET_LAT(RDS, rds, MOST_RDS, 0)},
	{.name = "sctp_bw", .number = 4, SOCKET_BW(SCTP, sctp, 32 * KIB, MOST_STREAM, MEASURE_BANDWIDTH, 0)},
	{.name = "sctp_lat", .number = 5, SOCKET_LAT(SCTP, sctp, MOST_STREAM, 0)},
	{.name = "sdp_bw", .number = 6, SOCKET_BW(SDP, sdp, 64 * KIB, MOST_STREAM, MEASURE_BANDWIDTH, 0)},
	{.name = "sdp_lat", .number = 7, SOCKET_LAT(SDP, sdp, MOST_STREAM, 0)},
	{.name = "tcp_bw",
	 .number = 8,
	 SOCKET_BW(TCP, tcp, 64 * KIB, MOST_STREAM, MEASURE_BANDWIDTH, BIT(PARAM_CONGESTION))},
	{.name = "tcp_lat", .number = 9, SOCKET_LAT(TCP, tcp, MOST_STREAM, BIT(PARAM_CONGESTION))},
	{.name = "udp_bw", .number = 10, SOCKET_BW(UDP, udp, 32 * KIB, MOST_DATAGRAM, MEASURE_BANDWIDTHS, 0)},
	{.name = "udp_lat", .number = 11, SOCKET_LAT(UDP, udp, MOST_DATAGRAM, 0)},
};

const size_t num_test_rows = sizeof(test_rows) / sizeof(test_rows[0]);

const struct test_row *test_find(const char *name)
{
	for (size_t i = 0; i < num_test_rows; i++)
		if (strcmp(test_rows[i].name, name) == 0)
			return &test_rows[i];
	return NULL;
}

const struct test_row *test_by_number(unsigned number)
{
	for (size_t i = 0; i < num_test_rows; i++)
		if (test_rows[i].number == number)
			return &test_rows[i];
	return NULL;
}

bool test_has_session(const struct test_row *test)
{
	return test->body != BODY_CONF && test->body != BODY_QUIT;
}
