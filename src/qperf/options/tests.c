// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of tests, with the names, numbers and defaults of qperf 0.4.11. */
#include "qperf/options/tests.h"

#include <string.h>

#include "params/engine/opt_name.h"
#include "qperf/rdma/rdma_kind.h"

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
	.description =                                                                                                 \
		"The client sends messages without a pause, and the server counts those that arrive completely."

#define SOCKET_LAT(which, low, most, more)                                                                             \
	.group = GROUP_SOCKET, .measure = MEASURE_LATENCY, .uses = USES_SOCKETS | (more), .default_size = 1,           \
	.max_size = (most), .body = BODY_SOCKET_LATENCY, .kind = PROTOCOL_##which,                                     \
	.purpose = #which " one way latency",                                                                          \
	.description = "The client and the server send a message back and forth; the latency is half of the time of "  \
		       "a round trip."

#define USES_RDMA                                                                                                      \
	(BIT(PARAM_AFFINITY) | BIT(PARAM_ALT_PORT) | BIT(PARAM_FLIP) | BIT(PARAM_ID) | BIT(PARAM_MTU_SIZE) |           \
	 BIT(PARAM_NO_MSGS) | BIT(PARAM_POLL_MODE) | BIT(PARAM_SERVICE_LEVEL) | BIT(PARAM_SRC_PATH_BITS) |             \
	 BIT(PARAM_STATIC_RATE) | BIT(PARAM_TIME) | BIT(PARAM_TIMEOUT) | BIT(PARAM_USE_CM))
#define USES_MESSAGES (USES_RDMA | BIT(PARAM_MSG_SIZE))
#define USES_READS    (USES_MESSAGES | BIT(PARAM_RD_ATOMIC))
#define USES_ARRIVALS (USES_MESSAGES | BIT(PARAM_ACCESS_RECV))

#define MOST_RDMA	   (1ULL << 31)
#define MOST_DATAGRAM_RDMA 4096

#define RDMA(words, wire, which, what, flags, title)                                                                   \
	.name = (words), .number = (wire), .body = BODY_RDMA,                                                          \
	.kind = RDMA_KIND(TRANSPORT_##which, VERB_##what, flags), .purpose = (title)
#define RDMA_TEST(where, figure, used, size, most)                                                                     \
	.group = (where), .measure = (figure), .uses = (used), .default_size = (size), .max_size = (most)

#define ONE_WAY	 "The client sends messages with SEND, and the server counts those that arrive."
#define TWO_WAYS "Both sides send messages to each other with SEND, and count those that arrive."
#define PINGS                                                                                                          \
	"The client and the server send a message back and forth; the latency is half of the time of a round trip. "   \
	"By SEND."
#define WRITES                                                                                                         \
	"The client writes into the server's memory, with immediate data, so that the server can count what arrives."
#define WRITE_PINGS                                                                                                    \
	"The client and the server write into each other's memory in turn, with immediate data; the latency is half "  \
	"of "                                                                                                          \
	"the time of a round trip."
#define POLL_PINGS                                                                                                     \
	"The client and the server write into each other's memory in turn, and each polls its own for the last byte, " \
	"without a completion queue; the latency is half of the time of a round trip."

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
		.description = "Shows the name, CPUs and operating system of both hosts.",
	},
	{
		.name = "quit",
		.body = BODY_QUIT,
		.number = 1,
		.uses = BIT(PARAM_TIMEOUT),
		.purpose = "Cause the server to quit",
		.description = "Ends the server, unless it was started with --no_quit. Tests after it are not run.",
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
	{.name = "tcp_crr",
	 .number = 36,
	 .group = GROUP_SOCKET,
	 .measure = MEASURE_LATENCY,
	 .uses = USES_TCP & ~(BIT(PARAM_FLIP) | BIT(PARAM_SPIN)),
	 .default_size = 1,
	 .max_size = MOST_STREAM,
	 .body = BODY_CONNECTIONS,
	 .kind = PROTOCOL_TCP,
	 .purpose = "TCP connect, request, response, close",
	 .description =
		 "The client connects, sends a message, receives one and waits until the server has closed, again "
		 "and again; the latency is that of all four. Not in qperf 0.4.11, which does not serve it."},
	{.name = "udp_bw", .number = 10, SOCKET_BW(UDP, udp, 32 * KIB, MOST_DATAGRAM, MEASURE_BANDWIDTHS, 0)},
	{.name = "udp_lat", .number = 11, SOCKET_LAT(UDP, udp, MOST_DATAGRAM, 0)},
	{RDMA("rc_bi_bw", 12, RC, SEND, RDMA_BOTH, "RC streaming two way bandwidth"),
	 RDMA_TEST(GROUP_MESSAGES, MEASURE_BANDWIDTH, USES_ARRIVALS, 64 * KIB, MOST_RDMA), .description = TWO_WAYS},
	{RDMA("rc_bw", 13, RC, SEND, 0, "RC streaming one way bandwidth"), .classic_uses = BIT(PARAM_NO_MSGS),
	 RDMA_TEST(GROUP_MESSAGES, MEASURE_BANDWIDTH, USES_ARRIVALS, 64 * KIB, MOST_RDMA), .description = ONE_WAY},
	{RDMA("rc_compare_swap_mr", 14, RC, ATOMIC, RDMA_SWAP, "RC compare and swap messaging rate"),
	 RDMA_TEST(GROUP_ATOMICS, MEASURE_RATE, USES_RDMA | BIT(PARAM_RD_ATOMIC), 0, 0),
	 .description =
		 "The client compares and swaps 8 bytes of the server's memory, with several requests in flight."},
	{RDMA("rc_fetch_add_mr", 15, RC, ATOMIC, 0, "RC fetch and add messaging rate"),
	 RDMA_TEST(GROUP_ATOMICS, MEASURE_RATE, USES_RDMA | BIT(PARAM_RD_ATOMIC), 0, 0),
	 .description = "The client adds to 8 bytes of the server's memory, with several requests in flight."},
	{RDMA("rc_lat", 16, RC, SEND, 0, "RC one way latency"),
	 RDMA_TEST(GROUP_MESSAGES, MEASURE_LATENCY, USES_MESSAGES, 1, MOST_RDMA), .description = PINGS},
	{RDMA("rc_rdma_read_bw", 17, RC, READ, 0, "RC RDMA read streaming one way bandwidth"),
	 RDMA_TEST(GROUP_RDMA, MEASURE_BANDWIDTH, USES_READS | BIT(PARAM_ACCESS_RECV), 64 * KIB, MOST_RDMA),
	 .description = "The client reads from the server's memory, with several requests in flight."},
	{RDMA("rc_rdma_read_lat", 18, RC, READ, 0, "RC RDMA read one way latency"),
	 RDMA_TEST(GROUP_RDMA, MEASURE_LATENCY, USES_MESSAGES, 1, MOST_RDMA),
	 .description = "The client reads from the server's memory, one request at a time; the latency is that of a "
			"whole request."},
	{RDMA("rc_rdma_write_bw", 19, RC, WRITE, RDMA_IMM, "RC RDMA write streaming one way bandwidth"),
	 RDMA_TEST(GROUP_RDMA, MEASURE_BANDWIDTH, USES_MESSAGES, 64 * KIB, MOST_RDMA), .description = WRITES},
	{RDMA("rc_rdma_write_lat", 20, RC, WRITE, RDMA_IMM, "RC RDMA write one way latency"),
	 RDMA_TEST(GROUP_RDMA, MEASURE_LATENCY, USES_MESSAGES, 1, MOST_RDMA), .description = WRITE_PINGS},
	{RDMA("rc_rdma_write_poll_lat", 21, RC, WRITE, RDMA_MEMORY, "RC RDMA write one way polling latency"),
	 RDMA_TEST(GROUP_RDMA, MEASURE_LATENCY, USES_MESSAGES, 1, MOST_RDMA), .description = POLL_PINGS},
	{RDMA("uc_bi_bw", 22, UC, SEND, RDMA_BOTH, "UC streaming two way bandwidth"),
	 RDMA_TEST(GROUP_MESSAGES, MEASURE_BANDWIDTHS, USES_ARRIVALS, 64 * KIB, MOST_RDMA), .description = TWO_WAYS},
	{RDMA("uc_bw", 23, UC, SEND, 0, "UC streaming one way bandwidth"),
	 RDMA_TEST(GROUP_MESSAGES, MEASURE_BANDWIDTHS, USES_ARRIVALS, 64 * KIB, MOST_RDMA), .description = ONE_WAY},
	{RDMA("uc_lat", 24, UC, SEND, 0, "UC one way latency"),
	 RDMA_TEST(GROUP_MESSAGES, MEASURE_LATENCY, USES_MESSAGES, 1, MOST_RDMA), .description = PINGS},
	{RDMA("uc_rdma_write_bw", 25, UC, WRITE, RDMA_IMM, "UC RDMA write streaming one way bandwidth"),
	 RDMA_TEST(GROUP_RDMA, MEASURE_BANDWIDTHS, USES_MESSAGES, 64 * KIB, MOST_RDMA), .description = WRITES},
	{RDMA("uc_rdma_write_lat", 26, UC, WRITE, RDMA_IMM, "UC RDMA write one way latency"),
	 RDMA_TEST(GROUP_RDMA, MEASURE_LATENCY, USES_MESSAGES, 1, MOST_RDMA), .description = WRITE_PINGS},
	{RDMA("uc_rdma_write_poll_lat", 27, UC, WRITE, RDMA_MEMORY, "UC RDMA write one way polling latency"),
	 RDMA_TEST(GROUP_RDMA, MEASURE_LATENCY, USES_MESSAGES, 1, MOST_RDMA), .description = POLL_PINGS},
	{RDMA("ud_bi_bw", 28, UD, SEND, RDMA_BOTH, "UD streaming two way bandwidth"),
	 RDMA_TEST(GROUP_MESSAGES, MEASURE_BANDWIDTHS, USES_ARRIVALS, 2 * KIB, MOST_DATAGRAM_RDMA),
	 .description = TWO_WAYS},
	{RDMA("ud_bw", 29, UD, SEND, 0, "UD streaming one way bandwidth"),
	 RDMA_TEST(GROUP_MESSAGES, MEASURE_BANDWIDTHS, USES_ARRIVALS, 2 * KIB, MOST_DATAGRAM_RDMA),
	 .description = ONE_WAY},
	{RDMA("ud_lat", 30, UD, SEND, 0, "UD one way latency"),
	 RDMA_TEST(GROUP_MESSAGES, MEASURE_LATENCY, USES_MESSAGES, 1, MOST_DATAGRAM_RDMA), .description = PINGS},
	{RDMA("ver_rc_compare_swap", 31, RC, ATOMIC, RDMA_SWAP | RDMA_VERIFY, "Verify RC compare and swap"),
	 RDMA_TEST(GROUP_VERIFY, MEASURE_RATE, USES_READS, 64 * KIB, MOST_RDMA),
	 .description = "The client compares and swaps 8 bytes of the server's memory through a series of values, and "
			"checks what each request returns."},
	{RDMA("ver_rc_fetch_add", 32, RC, ATOMIC, RDMA_VERIFY, "Verify RC fetch and add"),
	 RDMA_TEST(GROUP_VERIFY, MEASURE_RATE, USES_READS, 64 * KIB, MOST_RDMA),
	 .description = "The client adds one to 8 bytes of the server's memory again and again, and checks what each "
			"request returns."},
	{RDMA("xrc_bi_bw", 33, XRC, SEND, RDMA_BOTH, "XRC streaming two way bandwidth"),
	 RDMA_TEST(GROUP_MESSAGES, MEASURE_BANDWIDTH, USES_ARRIVALS, 64 * KIB, MOST_RDMA), .description = TWO_WAYS},
	{RDMA("xrc_bw", 34, XRC, SEND, 0, "XRC streaming one way bandwidth"), .classic_uses = BIT(PARAM_NO_MSGS),
	 RDMA_TEST(GROUP_MESSAGES, MEASURE_BANDWIDTH, USES_ARRIVALS, 64 * KIB, MOST_RDMA), .description = ONE_WAY},
	{RDMA("xrc_lat", 35, XRC, SEND, 0, "XRC one way latency"),
	 RDMA_TEST(GROUP_MESSAGES, MEASURE_LATENCY, USES_MESSAGES, 1, MOST_RDMA), .description = PINGS},
};

const size_t num_test_rows = sizeof(test_rows) / sizeof(test_rows[0]);

const struct test_row *test_find(const char *name)
{
	for (size_t i = 0; i < num_test_rows; i++)
		if (strcmp(test_rows[i].name, name) == 0)
			return &test_rows[i];
	return NULL;
}

const struct test_row *test_find_similar(const char *name)
{
	struct opt_nearest nearest = opt_nearest_to(name, strlen(name));
	const struct test_row *similar = NULL;

	for (size_t i = 0; i < num_test_rows; i++)
		if (opt_nearest_try(&nearest, test_rows[i].name))
			similar = &test_rows[i];
	return similar;
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

double test_sample_share(const struct test_row *test)
{
	return test->body == BODY_CONNECTIONS || (test->body == BODY_RDMA && RDMA_VERB(test->kind) == VERB_READ) ? 1
														 : 0.5;
}

uint64_t test_bytes(const struct test_row *test, const struct qperf_side *side)
{
	return test->measure == MEASURE_RATE ? RDMA_ATOMIC_BYTES : side->number[PARAM_MSG_SIZE];
}

bool test_loses(const struct test_row *test)
{
	if (test->body == BODY_RDMA)
		return !transport_traits(RDMA_TRANSPORT(test->kind))->reliable;
	return test->group == GROUP_SOCKET && test->kind == PROTOCOL_UDP;
}
