// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The classic conversation: what linux-rdma perftest since 5.70 sends to a peer that claims a version below 6.28.
 * Options are not exchanged, so both sides must have been given the same; there is no message for a failure, for being
 * alive or for having sent everything. The next message depends on the program (docs/wire.md); the keys of a queue
 * pair, H, also serve as a barrier.
 *
 * In every exchange the client sends first. Its H therefore tells a server's loop that the client's is over; a client's
 * loop is told nothing about the server's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "comm/perftest_communication.h"
#include "comm/protocol.h"
#include "comm/wire.h"
#include "util/log.h"
#include "util/terminal.h"

#define SAME_OPTIONS                                                                                                   \
	"linux-rdma perftest does not send its options, so both sides need the same program and the same "             \
	"-a, -b, -c, -D, -n, -q, -R, -s and -x"

/* --- one message; each function reports errors with the noun --- */

/* A measurement may last longer than the answer to a message. */
static struct deadline classic_deadline(const struct comm *comm)
{
	if (!comm->measuring || comm->channel.timeout_ms < 0)
		return comm_limit(comm);
	return channel_limit(&comm->channel,
			     comm->plan.measuring_ms < 0 ? -1 : comm->channel.timeout_ms + comm->plan.measuring_ms);
}

/* Reports why the wait for the peer's `noun` failed. */
static int classic_fail(const struct comm *comm, int error, const char *noun)
{
	if (error == -ETIMEDOUT && !channel_test_is_over(&comm->channel))
		return conn_error(&comm->conn, error, "%s for %g s while this side waited for its %s. %s",
				  conn_pending(&comm->conn) ? "sent part of it and then nothing" : "was silent",
				  (comm->channel.timeout_ms + (double)(comm->measuring ? comm->plan.measuring_ms : 0)) /
					  1e3,
				  noun, SAME_OPTIONS);
	if (error == -ECONNRESET)
		return conn_error(&comm->conn, error,
				  "closed the connection while this side waited for its %s; see its own message. %s",
				  noun, SAME_OPTIONS);
	return channel_report(&comm->channel, error, noun);
}

/* Waits until size bytes have arrived. With a type of keys: and checks, if possible, that they are of this type. */
static int classic_await(struct comm *comm, size_t size, enum wire_classic_type type, const char *noun)
{
	const bool keys = type == WIRE_CLASSIC_KEYS || type == WIRE_CLASSIC_KEYS_GID;
	const struct deadline deadline = classic_deadline(comm);
	const char *misfit;
	int rc;

	for (;;) {
		misfit =
			keys ? wire_classic_keys_misfit(type, conn_data(&comm->conn), conn_pending(&comm->conn)) : NULL;
		if (misfit)
			return conn_error(&comm->conn, -EPROTO, "%s", misfit);
		if (conn_pending(&comm->conn) >= size)
			return 0;
		rc = conn_fill(&comm->conn, size, deadline);
		if (!rc && conn_pending(&comm->conn) < size)
			rc = conn_over(&comm->conn, deadline);
		if (rc)
			return classic_fail(comm, rc, noun);
	}
}

static int classic_receive(struct comm *comm, enum wire_classic_type type, void *into, const char *noun)
{
	const size_t size = wire_classic_size(type);
	const char *fault;
	char came[WIRE_CLASSIC_MAX_SIZE + 1];
	int rc;

	rc = classic_await(comm, size, type, noun);
	if (rc)
		return rc;
	if (wire_classic_decode(type, conn_data(&comm->conn), into, &fault))
		return conn_error(&comm->conn, -EBADMSG, "sent \"%s\" instead of its %s: %s. %s",
				  printable(conn_data(&comm->conn), size, came, sizeof(came)), noun, fault,
				  SAME_OPTIONS);
	conn_consume(&comm->conn, size);
	return 0;
}

/* Sends a message at once: classic peers treat the result of one read() as the whole message. */
static int classic_transmit_bytes(struct comm *comm, const uint8_t *bytes, size_t size, const char *noun)
{
	int rc = conn_send(&comm->conn, bytes, size, comm_limit(comm));

	return rc ? classic_fail(comm, rc, noun) : 0;
}

static int classic_transmit(struct comm *comm, enum wire_classic_type type, const void *from, const char *noun)
{
	uint8_t bytes[WIRE_CLASSIC_MAX_SIZE];

	wire_classic_encode(type, from, bytes);
	return classic_transmit_bytes(comm, bytes, wire_classic_size(type), noun);
}

static int classic_swap(struct comm *comm, enum wire_classic_type type, const void *ours, void *theirs,
			const char *noun)
{
	int rc = 0;

	for (unsigned turn = 0; !rc && turn < COMM_TURNS; turn++)
		rc = comm_sends(comm, turn) ? classic_transmit(comm, type, ours, noun)
					    : classic_receive(comm, type, theirs, noun);
	return rc;
}

/* --- keys --- */

static bool classic_has_gid(const struct endpoint *endpoint)
{
	static const uint8_t none[sizeof(endpoint->gid)];

	return memcmp(endpoint->gid, none, sizeof(none)) != 0;
}

static enum wire_classic_type keys_type(const struct comm *comm, const struct endpoint *local)
{
	if (comm->conn.carrier->packets)
		return comm->cm_markers ? WIRE_CLASSIC_KEYS_CM_MARKERS : WIRE_CLASSIC_KEYS_CM;
	return classic_has_gid(local) ? WIRE_CLASSIC_KEYS_GID : WIRE_CLASSIC_KEYS;
}

/* With rdma_cm a message arrives whole: its length tells which form the peer uses. */
static int receive_cm_keys(struct comm *comm, struct endpoint *theirs, const char *noun)
{
	int rc = classic_await(comm, 1, WIRE_CLASSIC_KEYS_CM, noun);

	if (rc)
		return rc;
	if (conn_pending(&comm->conn) == wire_classic_size(WIRE_CLASSIC_KEYS_CM) ||
	    conn_pending(&comm->conn) == wire_classic_size(WIRE_CLASSIC_KEYS_CM_MARKERS)) {
		comm->cm_markers = conn_pending(&comm->conn) == wire_classic_size(WIRE_CLASSIC_KEYS_CM_MARKERS);
		return classic_receive(comm, keys_type(comm, NULL), theirs, noun);
	}
	return log_fail(-EBADMSG, "the %s (%s, linux-rdma perftest %s) sent %zu bytes instead of its %s. %s",
			comm->conn.role, comm->conn.peer, comm->peer_version, conn_pending(&comm->conn), noun,
			SAME_OPTIONS);
}

static int receive_keys(struct comm *comm, const struct endpoint *local, struct endpoint *theirs, const char *noun)
{
	if (comm->conn.carrier->packets)
		return receive_cm_keys(comm, theirs, noun);
	return classic_receive(comm, keys_type(comm, local), theirs, noun);
}

static int swap_keys(struct comm *comm, const struct endpoint *local, struct endpoint *remote, const char *noun)
{
	struct endpoint theirs = {0};
	int rc = 0;

	for (unsigned turn = 0; !rc && turn < COMM_TURNS; turn++)
		rc = comm_sends(comm, turn) ? classic_transmit(comm, keys_type(comm, local), local, noun)
					    : receive_keys(comm, local, &theirs, noun);
	if (rc)
		return rc;
	*remote = theirs;
	remote->mtu = comm->peer_mtu;
	return 0;
}

/* Both sides are ready: any keys will do. */
static int classic_meet(struct comm *comm, const char *noun)
{
	struct endpoint unused;

	return swap_keys(comm, &comm->local[0], &unused, noun);
}

static int refuse_count(const struct comm *comm)
{
	return conn_error(&comm->conn, -EPROTO, "does not have %u queue pairs like this side: give both the same -q",
			  comm->num_endpoints);
}

static bool is_send(const struct comm *comm)
{
	return comm->plan.traffic.verb == VERB_SEND;
}

static bool is_latency(const struct comm *comm)
{
	return comm->plan.traffic.metric == METRIC_LAT;
}

/* Queue pairs may have their numbers only once they are connected, when keys are repeated. */
static bool has_late_numbers(const struct comm *comm)
{
	return comm->plan.traffic.transport && comm->plan.traffic.transport->late_endpoint;
}

int comm_exchange_readiness(struct comm *comm, const struct endpoint *local, unsigned count)
{
	comm->local = local;
	comm->num_endpoints = count;
	return classic_meet(comm, "readiness");
}

static int classic_exchange_endpoints(struct comm *comm, const struct endpoint *local, struct endpoint *remote,
				      unsigned count)
{
	bool has_markers;
	int rc;

	comm->local = local;
	comm->remote = remote;
	comm->num_endpoints = count;
	if (is_latency(comm) && !is_send(comm)) {
		rc = classic_meet(comm, "keys");
		if (rc)
			return rc;
	}
	has_markers = comm->cm_markers;
	for (unsigned i = 0; i < count; i++) {
		rc = swap_keys(comm, &local[i], &remote[i], "keys");
		if (rc)
			return rc;
		/* A client's keys are sent first: it learns too late that the peer reads them as another form. */
		if (comm->client && comm->cm_markers != has_markers)
			return conn_error(&comm->conn, -EPROTO,
					  "says that it is linux-rdma perftest %s, but sends keys in the format of "
					  "another version: start that program as the client, or omit -z",
					  comm->peer_version);
		/* Only with rdma_cm: with -R keys are exchanged before there are queue pairs, and are all zero. */
		if (comm->conn.carrier->packets && !comm->plan.rdma_cm && !has_late_numbers(comm) && !remote[i].qpn)
			return conn_error(&comm->conn, -EPROTO,
					  "uses -R, but this side does not: give -R to both or to neither");
		/* A peer with fewer has begun to repeat them. */
		if (i > 0 && remote[i].qpn == remote[0].qpn && !has_late_numbers(comm))
			return refuse_count(comm);
	}
	return 0;
}

/* Sends the keys of all queue pairs again; some have their numbers only now. */
static int repeat_keys(struct comm *comm)
{
	for (unsigned i = 0; i < comm->num_endpoints; i++) {
		struct endpoint again;
		int rc = swap_keys(comm, &comm->local[i], &again, "keys");

		if (rc)
			return rc;
		if (has_late_numbers(comm))
			comm->remote[i].qpn = again.qpn;
		if (again.qpn != comm->remote[i].qpn || (i > 0 && again.qpn == comm->remote[0].qpn))
			return refuse_count(comm);
	}
	return 0;
}

/* --- points --- */

static int reach_connected(struct comm *comm)
{
	int rc = is_send(comm) ? classic_meet(comm, "readiness") : 0;

	if (!rc)
		rc = repeat_keys(comm);
	if (!rc && !is_send(comm))
		rc = classic_meet(comm, "readiness");
	return rc;
}

/* ib_write_lat has no last message: its end is that of the connection, and its queue pair is needed until then... */
static int await_end(struct comm *comm)
{
	const struct deadline deadline = classic_deadline(comm);
	int rc;

	conn_finish(&comm->conn);
	do {
		conn_consume(&comm->conn, conn_pending(&comm->conn));
		rc = conn_fill(&comm->conn, 1, deadline);
		if (!rc)
			rc = conn_over(&comm->conn, deadline);
	} while (!rc);
	return rc == -ECONNRESET ? 0 : classic_fail(comm, rc, "end");
}

static int reach_close(struct comm *comm)
{
	static const char farewell[] = "done"; /* with its NUL; the peer ignores it */
	int rc;

	/* ...or, with rdma_cm, that of the queue pair's own connection: the peer waits for it before this one ends. */
	if (is_latency(comm) && comm->plan.traffic.verb == VERB_WRITE)
		return comm->plan.rdma_cm ? 0 : await_end(comm);
	rc = classic_meet(comm, "end");
	if (!rc && !comm->conn.carrier->packets)
		conn_post_last(&comm->conn, farewell, sizeof(farewell));
	return rc;
}

static int classic_barrier(struct comm *comm, uint32_t tag)
{
	int rc = 0;

	if (comm->over)
		return 0;
	switch (tag) {
	case COMM_CONNECTED:
		rc = reach_connected(comm);
		comm->measuring = true;
		break;
	case COMM_CLOSE:
		rc = reach_close(comm);
		break;
	default:
		/* A side that only writes to, or reads from, memory that is ready starts without a message. */
		if (comm->plan.traffic.arrivals || comm->plan.bidirectional)
			rc = classic_meet(comm, "readiness");
	}
	return rc;
}

/* --- results --- */

#define FIELD_WIDTH 8

static int receive_field(struct comm *comm, uint8_t *field, const char *noun)
{
	int rc = classic_await(comm, FIELD_WIDTH, WIRE_CLASSIC_RESULT, noun);

	if (rc)
		return rc;
	memcpy(field, conn_data(&comm->conn), FIELD_WIDTH);
	conn_consume(&comm->conn, FIELD_WIDTH);
	return 0;
}

/* Field by field, because a classic peer sends the next one only after reading one. */
static int swap_fields(struct comm *comm, const uint8_t *ours, uint8_t *theirs, size_t size)
{
	static const char noun[] = "result";
	int rc = 0;

	for (size_t at = 0; at < size; at += FIELD_WIDTH)
		for (unsigned turn = 0; !rc && turn < COMM_TURNS; turn++)
			rc = comm_sends(comm, turn) ? classic_transmit_bytes(comm, ours + at, FIELD_WIDTH, noun)
						    : receive_field(comm, theirs + at, noun);
	return rc;
}

static void scale(struct comm_result *result, double bw, double message_rate)
{
	result->bw_peak *= bw;
	result->bw_average *= bw;
	result->message_rate *= message_rate;
	for (unsigned i = 0; i < 2; i++) {
		result->ports[i].bw_average *= bw;
		result->ports[i].message_rate *= message_rate;
	}
}

/* Of a result, or of its ports. What a passive side sends is uninitialised memory, so it is ignored. */
static int swap_figures(struct comm *comm, enum wire_classic_type type, const struct comm_result *local,
			struct comm_result *remote, bool peer_counts)
{
	struct comm_result ours = *local, theirs = {0};
	uint8_t sent[WIRE_CLASSIC_MAX_SIZE], received[WIRE_CLASSIC_MAX_SIZE];
	const char *fault;
	int rc;

	scale(&ours, 1 / comm->plan.bw_unit, 1e-6);
	wire_classic_encode(type, &ours, sent);
	rc = swap_fields(comm, sent, received, wire_classic_size(type));
	if (rc || !peer_counts)
		return rc;
	if (wire_classic_decode(type, received, &theirs, &fault))
		return conn_error(&comm->conn, -EBADMSG, "sent an invalid result: %s. %s", fault, SAME_OPTIONS);
	*remote = theirs;
	scale(remote, comm->plan.bw_unit, 1e6);
	return 0;
}

/* Its peak may be any figure: it divides by the time between two completions that were found together. */
static int judge_result(const struct comm *comm, const struct comm_result *local, const struct comm_result *remote)
{
	const char *fault = comm_claim_rates(local->size, remote->bw_average, remote->message_rate);

	if (comm->plan.bidirectional && remote->size != local->size)
		return conn_error(&comm->conn, -EPROTO,
				  "measured messages of %llu bytes, but this side messages of %llu. %s",
				  (unsigned long long)remote->size, (unsigned long long)local->size, SAME_OPTIONS);
	return fault ? conn_error(&comm->conn, -EBADMSG, "sent a result that cannot be true: %s. %s", fault,
				  SAME_OPTIONS)
		     : 0;
}

static int swap_result(struct comm *comm, const struct comm_result *local, struct comm_result *remote, bool peer_counts)
{
	struct comm_result totals, ports = {0};
	int rc = swap_figures(comm, WIRE_CLASSIC_RESULT, local, &totals, peer_counts);

	if (!rc && peer_counts)
		rc = judge_result(comm, local, &totals);
	if (!rc && comm->per_port)
		rc = swap_figures(comm, WIRE_CLASSIC_PORTS, local, &ports, peer_counts);
	if (rc || !peer_counts)
		return rc;
	totals.received = totals.begin_ns = totals.elapsed_ns = totals.arrived = COMM_UNKNOWN;
	memcpy(totals.ports, ports.ports, sizeof(totals.ports));
	*remote = totals;
	return 0;
}

/* One side measures all sizes alone, and tells only the last. */
static int finish_last(struct comm *comm, const struct comm_result *local, struct comm_result *remote)
{
	int rc;

	if (!local->last)
		return 0;
	/* A run without end ends with the connection. */
	if (comm->plan.endless && !comm->plan.traffic.active) {
		comm->over = true;
		return await_end(comm);
	}
	rc = classic_meet(comm, "end of measurement");
	return rc ? rc : swap_result(comm, local, remote, !comm->plan.traffic.active);
}

static int finish_each(struct comm *comm, const struct comm_result *local, struct comm_result *remote)
{
	const struct comm_plan *plan = &comm->plan;
	int rc = 0;

	if (plan->all_sizes && !is_send(comm))
		rc = classic_meet(comm, "end of measurement");
	if (!rc && plan->bidirectional && !(plan->traffic.arrivals && plan->by_time))
		rc = swap_result(comm, local, remote, true /* both count */);
	if (!rc && plan->all_sizes && is_send(comm))
		rc = classic_meet(comm, "end of measurement");
	return rc;
}

static int swap_results(struct comm *comm, unsigned type, const void *own, void *theirs)
{
	const struct comm_result *local = own;
	struct comm_result result = comm_result_of_none();
	int rc = 0;

	(void)type; /* a result */

	if (!comm->over && !is_latency(comm)) {
		if (comm->plan.traffic.arrivals || comm->plan.bidirectional)
			rc = finish_each(comm, local, &result);
		else
			rc = finish_last(comm, local, &result);
	}
	if (!rc)
		*(struct comm_result *)theirs = result;
	return rc;
}

/* --- while a loop runs --- */

/* There are no messages for that. */
static int classic_note_done(struct comm *comm, unsigned type, const void *own)
{
	if (type == MESSAGE_DONE)
		comm->over = comm->over || ((const struct comm_done *)own)->stopped;
	return 0;
}

/*
 * A program with a failed message closes the connection silently. This side's completion of that message says more than
 * the end of the connection, and has arrived by then: the caller polls once more before that is reported.
 */
static int classic_look(struct comm *comm)
{
	int rc;

	if (comm->over)
		return 0;
	rc = conn_fill_now(&comm->conn, 0);
	comm->peer_done = conn_pending(&comm->conn) > 0;
	if (!rc || comm->peer_done)
		return comm->peer_done;
	if (rc == -ECONNRESET && !comm->peer_gone) {
		comm->peer_gone = true;
		return 0;
	}
	return classic_fail(comm, rc, "messages");
}

static void classic_abort(struct comm *comm, const char *reason)
{
	(void)reason; /* there is no message for it: the peer sees the end of the connection */
	if (comm->conn.carrier->break_off)
		comm->conn.carrier->break_off(&comm->conn);
}

/* --- before the keys --- */

/*
 * From here on keys with rdma_cm have 64 bytes. Builds that report 6.28 have 56 like that release, or 64; the answering
 * side learns which, and the asking side assumes the release.
 */
#define FIRST_WITH_MARKERS 6.29

int comm_exchange_sizes(struct comm *comm, const struct comm_plan *plan, uint32_t *peer_page_bytes)
{
	uint32_t page = 0, line, mtu;
	int rc;

	comm->plan = *plan;
	comm->cm_markers = strtod(comm->peer_version, NULL) >= FIRST_WITH_MARKERS;
	if (!comm->unversioned) {
		rc = classic_swap(comm, WIRE_CLASSIC_NUMBER, &plan->page_bytes, &page, "page size");
		if (!rc)
			rc = classic_swap(comm, WIRE_CLASSIC_NUMBER, &plan->cache_line, &line, "cache line size");
		if (!rc)
			rc = classic_swap(comm, WIRE_CLASSIC_MTU, &plan->mtu, &mtu, "MTU");
		if (rc)
			return rc;
		if (page > SITE_LARGEST_PAGE)
			return conn_error(&comm->conn, -EBADMSG, "sent an impossible page size, %u bytes", page);
		comm->peer_mtu = mtu;
	}
	*peer_page_bytes = page;
	return 0;
}

/* linux-rdma perftest, whose last message is its result of the last size: none of our extensions. */
const struct comm_traits comm_classic_traits = {
	.name = "linux-rdma perftest",
	.lacks =
		{
			[COMM_VALIDATES] = "whose --data_validation is incompatible",
			[COMM_REPEATS] = "which cannot repeat a size over one connection",
			[COMM_JOINS] = "which cannot be one of several peers",
			[COMM_OPEN_LOOP] = "which handles one message at a time",
			[COMM_SIZES] = "whose sizes are those of -a",
			[COMM_FRAMES] = "whose raw Ethernet programs have no side channel",
			[COMM_LATENCY_QUEUES] = "whose latency tests use one queue pair",
		},
};

const struct comm_ops comm_classic = {
	.exchange_endpoints = classic_exchange_endpoints,
	.barrier = classic_barrier,
	.transmit = classic_note_done,
	.swap = swap_results,
	.look = classic_look,
	.abort = classic_abort,
};
