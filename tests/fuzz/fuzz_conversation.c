// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Can any words of a peer, native or classic, in any order and cut in any pieces, make a side crash, wait for ever,
 * take memory without a bound, fail without a line, or fail with two? The first bytes choose the roles, the rest is
 * what the peer says (fuzz_conversation.h). `make fuzz_conversation` builds it with libFuzzer; the unit test runs it
 * with the inputs of tests/fuzz/corpus.
 */
#include "fuzz/fuzz_conversation.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/perftest_communication.h"
#include "comm/protocol.h"
#include "comm/wire.h"
#include "stats/latency.h"
#include "util/log.h"

#define MAX_QPS	  8
#define MAX_BYTES (MESSAGE_HEADER_SIZE + 6 + WIRE_MAX_ENDPOINTS * 256U) /* of the longest message */
#define LOOKS	  3

/* --- what is reported --- */

int conversation_result;
static unsigned num_errors;

/* One line that can be shown on a terminal. */
__attribute__((format(printf, 1, 0))) static void check_line(const char *format, va_list args)
{
	char line[LOG_TEXT_SIZE];

	vsnprintf(line, sizeof(line), format, args);
	for (const char *at = line; *at; at++)
		if (*at < 0x20 || *at > 0x7e)
			abort();
}

void log_line(enum log_kind kind, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (kind < LOG_OF_HUMAN)
		check_line(format, args);
	va_end(args);
	num_errors += kind == LOG_OF_ERROR;
}

/* --- a peer whose words are there, and who hears nothing --- */

static struct {
	const uint8_t *bytes;
	size_t left;
	size_t piece; /* bytes that come at once */
	bool ends;    /* behind its words it closes; otherwise it is silent */
	size_t calls; /* of the carrier: a loop that goes round without an end shows in it */
	size_t most_calls;
} peer;

static void count_call(void)
{
	if (++peer.calls > peer.most_calls)
		abort();
}

static ssize_t send_now(struct conn *conn, const void *bytes, size_t length)
{
	(void)conn;
	(void)bytes;
	count_call();
	return (ssize_t)length;
}

static ssize_t receive_now(struct conn *conn, void *bytes, size_t size)
{
	size_t part = peer.left < peer.piece ? peer.left : peer.piece;

	count_call();
	if (conn->in_size > MAX_BYTES)
		abort();
	if (!peer.left)
		return peer.ends ? -ECONNRESET : 0;
	if (part > size)
		part = size;
	memcpy(bytes, peer.bytes, part);
	peer.bytes += part;
	peer.left -= part;
	return (ssize_t)part;
}

static int poll_fds(struct conn *conn, short events, struct pollfd *fds)
{
	(void)conn;
	(void)fds;
	count_call();
	return events & POLLOUT || peer.left || peer.ends ? 0 : -ETIMEDOUT;
}

static void close_nothing(struct conn *conn)
{
	(void)conn;
}

static const struct carrier carrier_fuzz = {
	.name = "fuzz",
	.send_now = send_now,
	.receive_now = receive_now,
	.poll_fds = poll_fds,
	.close = close_nothing,
};

static const struct carrier carrier_fuzz_packets = {
	.name = "fuzz",
	.packets = true,
	.send_now = send_now,
	.receive_now = receive_now,
	.poll_fds = poll_fds,
	.close = close_nothing,
};

/* --- the order of a test, as session holds it --- */

struct setup {
	uint8_t role;
	struct comm_plan plan;
	unsigned num_qps, num_sizes;
	bool validates, gathers;
};

static struct setup read_setup(const uint8_t *head)
{
	const uint8_t flags = head[CONVERSATION_PLAN];

	return (struct setup){
		.role = head[CONVERSATION_ROLE],
		.plan = {.traffic = {.verb = head[CONVERSATION_PROGRAM] & 3,
				     .metric = head[CONVERSATION_PROGRAM] & 4 ? METRIC_LAT : METRIC_BW,
				     .arrivals = flags & 1,
				     .active = flags & 32},
			 .bidirectional = flags & 2,
			 .all_sizes = flags & 4,
			 .by_time = flags & 8,
			 .endless = flags & 16,
			 .rdma_cm = flags & 64,
			 .mtu = 4096,
			 .page_bytes = 4096,
			 .cache_line = 64,
			 .bw_unit = 1048576},
		.num_qps = 1 + (head[CONVERSATION_COUNTS] & 7),
		.num_sizes = 1 + (head[CONVERSATION_COUNTS] >> 3 & 3),
		.validates = head[CONVERSATION_COUNTS] & CONVERSATION_VALIDATES,
		.gathers = head[CONVERSATION_COUNTS] & CONVERSATION_GATHERS,
	};
}

static int agree_natively(struct comm *comm, const struct setup *setup)
{
	char params[] = "size=64\n";
	struct comm_hello ours = {.program = "ib_write_bw", .version = "7.0", .host = "alpha", .params = params};
	struct comm_hello theirs = {.params = NULL};
	size_t requested;
	int rc;

	ours.site.page_bytes = 4096;
	if (comm->client) {
		rc = comm_swap(comm, MESSAGE_HELLO, &ours, &theirs);
	} else {
		requested = comm_request_size(comm);
		if (requested < MESSAGE_HEADER_SIZE || requested > MESSAGE_HEADER_SIZE + 2 * WIRE_MAX_PARAMS)
			abort();
		rc = comm_receive(comm, MESSAGE_HELLO, &theirs);
		if (!rc && setup->role & CONVERSATION_REFUSE) {
			comm_transmit(comm, MESSAGE_REFUSE, "no");
			comm_hello_clear(&theirs);
			return 1;
		}
		if (!rc)
			rc = comm_transmit(comm, MESSAGE_AGREE, &ours);
	}
	if (!rc && (theirs.site.page_bytes < SITE_LEAST_PAGE || theirs.site.page_bytes > SITE_LARGEST_PAGE))
		abort();
	comm_hello_clear(&theirs);
	return rc;
}

static int agree(struct comm *comm, const struct setup *setup)
{
	uint32_t page = 0;
	int rc = 0;

	if (setup->role & CONVERSATION_CLASSIC)
		comm_assume_classic(comm);
	else
		rc = comm_greet(comm);
	if (rc)
		return rc;
	if (comm->traits->negotiates)
		return agree_natively(comm, setup);
	rc = comm_exchange_sizes(comm, &setup->plan, &page);
	if (!rc && page > SITE_LARGEST_PAGE)
		abort();
	return rc;
}

static int exchange_rounds(struct comm *comm)
{
	struct comm_round round = {.messages = 64, .granule = 4};
	int rc = 0;

	for (unsigned i = 0; !rc && i < 2; i++) {
		rc = comm_transmit(comm, WIRE_ROUND, &round);
		if (!rc)
			rc = comm_receive(comm, WIRE_ROUND, &round);
	}
	return rc;
}

/* Both sides of a test of several: who says that others are missing, and who hears it. */
static int wait_for_others(struct comm *comm, const struct setup *setup)
{
	int rc = 0;

	for (unsigned i = 0; !rc && i < LOOKS; i++) {
		rc = comm_look(comm);
		rc = rc > 0 ? 0 : rc;
		if (!rc && comm_at_barrier(comm))
			break;
	}
	for (unsigned i = 0; !rc && i < LOOKS; i++) {
		rc = comm_transmit(comm, WIRE_WAIT, &(uint32_t){setup->num_sizes - i});
		if (!rc)
			rc = comm_look(comm);
		rc = rc > 0 ? 0 : rc;
	}
	return rc;
}

/* Of a latency test, from a client to a server that gathers. */
static int exchange_samples(struct comm *comm, const struct setup *setup)
{
	static struct latency few = {.min = 3, .max = 600, .histogram.bucket = {[3] = 50, [300] = 50}}, received;
	const struct comm_samples ours = {.tick_seconds = 1e-9, .latency = &few};
	struct comm_samples theirs = {.latency = &received};
	uint64_t count = 0;
	int rc;

	if (setup->plan.traffic.metric != METRIC_LAT || comm->traits->lacks[COMM_JOINS])
		return 0;
	if (comm->client)
		return comm->gathers ? comm_transmit(comm, WIRE_SAMPLES, &ours) : 0;
	if (!setup->gathers)
		return 0;
	received = (struct latency){.min = 0};
	rc = comm_receive(comm, WIRE_SAMPLES, &theirs);
	for (unsigned i = 0; !rc && i < HISTOGRAM_BUCKETS; i++)
		count += received.histogram.bucket[i];
	if (!rc && count != received.histogram.count)
		abort();
	return rc;
}

static int measure(struct comm *comm, const struct setup *setup, unsigned size)
{
	const struct comm_result ours = {
		.size = 64ULL << size, .iterations = 100, .last = size + 1 == setup->num_sizes};
	const struct comm_verdict verdict = {
		.checked = 100, .size = ours.size, .moved = 100, .sent = 100, .may_lose = true};
	const bool validates = setup->validates && !comm->traits->lacks[COMM_VALIDATES];
	struct comm_result theirs;
	struct comm_verdict found;
	int rc = comm_compare_clocks(comm);

	if (!rc && setup->gathers && !comm->traits->lacks[COMM_JOINS])
		rc = wait_for_others(comm, setup);
	if (!rc)
		rc = comm_barrier(comm, COMM_SIZE + size);
	if (!rc && validates)
		rc = exchange_rounds(comm);
	for (unsigned i = 0; !rc && i < LOOKS; i++) {
		rc = comm_look(comm);
		rc = rc > 0 ? 0 : rc;
	}
	if (!rc)
		rc = comm_transmit(comm, MESSAGE_ALIVE, NULL);
	if (!rc)
		rc = comm_transmit(comm, MESSAGE_DONE, &(struct comm_done){.messages = 100});
	if (!rc)
		rc = comm_receive(comm, MESSAGE_DONE, NULL);
	if (!rc)
		rc = comm_swap(comm, MESSAGE_RESULT, &ours, &theirs);
	if (!rc)
		rc = exchange_samples(comm, setup);
	if (!rc && validates)
		rc = comm_swap(comm, WIRE_VERDICT, &verdict, &found);
	return rc;
}

static int converse(struct comm *comm, const struct setup *setup)
{
	struct endpoint local[MAX_QPS], remote[MAX_QPS];
	int rc = agree(comm, setup);

	for (unsigned i = 0; i < MAX_QPS; i++)
		local[i] = (struct endpoint){.qpn = 100 + i, .mtu = 4096, .gid = {[15] = setup->role & 0x10}};
	if (!rc && !comm->traits->negotiates && setup->plan.rdma_cm)
		rc = comm_exchange_readiness(comm, local, setup->num_qps);
	if (!rc)
		rc = comm_exchange_endpoints(comm, local, remote, setup->num_qps);
	if (!rc)
		rc = comm_barrier(comm, COMM_CONNECTED);
	for (unsigned size = 0; !rc && size < setup->num_sizes; size++)
		rc = measure(comm, setup, size);
	return rc ? rc : comm_barrier(comm, COMM_CLOSE);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	static const size_t pieces[] = {1, 3, 56, 64, 100, 4096, 1 << 20, 1 << 30};
	struct comm comm = {0};
	struct setup setup;
	int rc;

	if (length < CONVERSATION_HEAD)
		return 0;
	setup = read_setup(bytes);
	peer.bytes = bytes + CONVERSATION_HEAD;
	peer.left = length - CONVERSATION_HEAD;
	peer.piece = pieces[bytes[CONVERSATION_ROLE] >> 5];
	peer.ends = setup.role & CONVERSATION_EOF;
	peer.calls = 0;
	peer.most_calls = 4 * length + 1000;
	num_errors = 0;
	comm.client = setup.role & CONVERSATION_CLIENT;
	comm.channel.timeout_ms = 1000;
	comm.start_ms = 60000;
	comm.per_port = bytes[CONVERSATION_COUNTS] & CONVERSATION_PORTS;
	comm.conn.carrier = setup.plan.rdma_cm ? &carrier_fuzz_packets : &carrier_fuzz;
	comm.conn.role = comm.client ? "server" : "client";
	if (conn_open(&comm.conn))
		abort();
	rc = converse(&comm, &setup);
	conversation_result = rc;
	if (rc < 0 ? num_errors != 1 : num_errors != 0)
		abort();
	comm_abort(&comm, "enough");
	comm_close(&comm);
	return 0;
}
