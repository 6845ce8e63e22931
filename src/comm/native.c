// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The native conversation: frames of docs/wire.md, between two ends of this suite.
 *
 * Small messages are sent by both sides at once, which costs half a round trip; endpoints, that
 * can fill the socket's buffers, go from the client to the server first.
 *
 * HEARTBEAT, INTERVAL, DONE and ABORT may come at any time after the agreement; whatever waits for another
 * message takes note of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "comm/intervals.h"
#include "comm/limit.h"
#include "comm/protocol.h"
#include "comm/wire.h"
#include "util/log.h"
#include "util/printable.h"

/* --- receiving --- */

/* The message at the front of what came. 1: complete; 0: more bytes are needed; -EBADMSG, reported. */
static int front(const struct comm *comm, struct wire_header *header)
{
	const char *fault;

	if (conn_pending(&comm->conn) < WIRE_HEADER_SIZE)
		return 0;
	if (wire_native_decode_header(conn_data(&comm->conn), header, &fault)) {
		char came[WIRE_HEADER_SIZE + 1];

		log_error("the %s (%s) sent rubbish, \"%s\": %s", comm->conn.role, comm->conn.peer,
			  printable(conn_data(&comm->conn), WIRE_HEADER_SIZE, came, sizeof(came)), fault);
		return -EBADMSG;
	}
	return conn_pending(&comm->conn) - WIRE_HEADER_SIZE >= header->length;
}

/* Decodes the complete message at the front; it stays there, because message may point into it. */
static int native_decode(const struct comm *comm, const struct wire_header *header, struct wire_message *message)
{
	const char *fault;

	if (!wire_native_decode(header, conn_data(&comm->conn) + WIRE_HEADER_SIZE, message, &fault))
		return 0;
	log_error("the %s (%s) sent a faulty message, its %s: %s", comm->conn.role, comm->conn.peer,
		  wire_native_noun(header->type), fault);
	return -EBADMSG;
}

static void consume(struct comm *comm, const struct wire_header *header)
{
	conn_consume(&comm->conn, WIRE_HEADER_SIZE + header->length);
}

/* Whether the message may come while another one is waited for. */
static bool is_interim(const struct wire_header *header)
{
	return header->type == WIRE_HEARTBEAT || header->type == WIRE_DONE || header->type == WIRE_ABORT ||
	       header->flags & WIRE_FLAG_OPTIONAL;
}

/* Of the loop that runs, or has just ended. Time and messages only grow, and nothing comes behind the last one. */
static int take_interval(struct comm *comm, const struct comm_interval *interval)
{
	if (!comm_intervals_add(&comm->intervals, interval))
		return 0;
	log_error("the %s (%s) sent an interval that is before the one that it sent last", comm->conn.role,
		  comm->conn.peer);
	return -EBADMSG;
}

/* Deals with such a message, complete at the front. 0, or an error, reported. */
static int take_interim(struct comm *comm, const struct wire_header *header)
{
	struct wire_message message;
	int rc;

	switch (header->type) {
	case WIRE_DONE:
		rc = native_decode(comm, header, &message);
		if (rc)
			return rc;
		comm->peer_done = true;
		comm->done = message.done;
		break;
	case WIRE_INTERVAL:
		rc = native_decode(comm, header, &message);
		if (!rc)
			rc = take_interval(comm, &message.interval);
		if (rc)
			return rc;
		break;
	case WIRE_REFUSE:
	case WIRE_ABORT:
		rc = native_decode(comm, header, &message);
		if (rc)
			return rc;
		log_error("the %s (%s) %s: %s", comm->conn.role, comm->conn.peer,
			  header->type == WIRE_REFUSE ? "refuses" : "ended the test", message.reason);
		return -ECANCELED;
	default: /* a heartbeat, or something newer that may be ignored */
		break;
	}
	comm->interim++;
	consume(comm, header);
	return 0;
}

/* Whether a message of this type may be there when `expected` is waited for. */
static bool is_in_order(const struct wire_header *header, enum wire_type expected)
{
	if (header->type == expected || header->type == WIRE_ABORT)
		return true;
	if (expected == WIRE_AGREE && header->type == WIRE_REFUSE)
		return true;
	/* Before the agreement nothing prolongs a wait. */
	return expected != WIRE_HELLO && expected != WIRE_AGREE && is_interim(header);
}

static int report_wait(const struct comm *comm, int error, enum wire_type expected, struct deadline most)
{
	/* A server greets all who come, and then hears them one after the other. */
	if (error == -ETIMEDOUT && expected == WIRE_AGREE)
		return comm_report_busy(comm, error);
	if (error == -ETIMEDOUT && expected == WIRE_DONE && deadline_passed(most) && !comm_is_over(comm)) {
		log_error("the %s (%s) did not end its part of the test, which should take %g s, within %g s more",
			  comm->conn.role, comm->conn.peer, (double)comm->loop_ms / 1e3,
			  (double)comm->timeout_ms / 1e3);
		return error;
	}
	return comm_report(comm, error, wire_native_noun(expected));
}

static struct deadline prolong(const struct comm *comm, struct deadline most)
{
	const struct deadline limit = comm_limit(comm);

	return limit.at_ns < most.at_ns ? limit : most;
}

/*
 * Waits until a message of the type is complete at the front of what came. Only heartbeats start the limit anew, and
 * only while the peer's loop runs: a peer that sends a byte a second does not hold this side.
 */
static int native_await(struct comm *comm, enum wire_type expected, struct wire_header *header)
{
	const struct deadline deadline = comm_limit(comm);
	const struct deadline most =
		comm_limit_of(comm, comm->loop_ms && comm->timeout_ms >= 0 ? comm->loop_ms + comm->timeout_ms : -1);
	struct deadline alive = deadline;
	int rc;

	for (;;) {
		size_t want = WIRE_HEADER_SIZE;
		int complete = front(comm, header);

		if (complete < 0)
			return complete;
		if (conn_pending(&comm->conn) >= WIRE_HEADER_SIZE) {
			want += header->length;
			if (!is_in_order(header, expected)) {
				log_error("the %s (%s) sent its %s while this side waited for its %s", comm->conn.role,
					  comm->conn.peer, wire_native_noun(header->type), wire_native_noun(expected));
				return -EBADMSG;
			}
		}
		if (complete && header->type == expected)
			return 0;
		if (!complete) {
			rc = conn_over(alive);
			if (!rc)
				rc = conn_fill(&comm->conn, want, alive);
		} else {
			rc = take_interim(comm, header);
			if (rc)
				return rc;
			/* Only a loop lasts so long that its side has to say that it lives; nothing else is prolonged.
			 */
			if (header->type == WIRE_HEARTBEAT && expected == WIRE_DONE)
				alive = prolong(comm, most);
		}
		if (rc)
			return report_wait(comm, rc, expected, most);
	}
}

/* Waits, decodes and consumes; for messages that point nowhere. */
static int native_receive(struct comm *comm, enum wire_type expected, struct wire_message *message)
{
	struct wire_header header;
	int rc;

	rc = native_await(comm, expected, &header);
	if (rc)
		return rc;
	rc = native_decode(comm, &header, message);
	if (rc)
		return rc;
	consume(comm, &header);
	return 0;
}

/* --- sending --- */

/* The connection broke while sending; perhaps the peer had said why. Returns the error, reported. */
static int explain(struct comm *comm, int error, const char *noun)
{
	struct wire_header header;

	if (error == -ECONNRESET) {
		for (size_t before = conn_pending(&comm->conn);
		     !conn_fill_now(&comm->conn) && conn_pending(&comm->conn) > before;)
			before = conn_pending(&comm->conn);
		while (front(comm, &header) == 1) {
			if (header.type == WIRE_ABORT || header.type == WIRE_REFUSE)
				return take_interim(comm, &header);
			consume(comm, &header);
		}
	}
	return comm_report(comm, error, noun);
}

/* noun: what the peer would have answered with. */
static int native_transmit(struct comm *comm, const struct wire_message *message, const char *noun)
{
	const size_t size = wire_native_encode(message, NULL, 0);
	uint8_t small[256], *bytes = small;
	int rc;

	if (size > sizeof(small)) {
		bytes = malloc(size);
		if (!bytes)
			return comm_report(comm, -ENOMEM, noun);
	}
	wire_native_encode(message, bytes, size);
	rc = comm_send(comm, bytes, size);
	if (bytes != small)
		free(bytes);
	return rc ? explain(comm, rc, noun) : 0;
}

/* --- the conversation --- */

static int transmit_hello(struct comm *comm, enum wire_type type, const struct comm_hello *hello, const char *noun)
{
	const size_t length = hello->params ? strlen(hello->params) : 0;
	struct wire_message message = {.type = type};

	if (length > WIRE_MAX_PARAMS) {
		log_error("the options are too long for the side channel: %zu bytes, at most %d", length,
			  WIRE_MAX_PARAMS);
		return -EMSGSIZE;
	}
	memcpy(message.hello.program, hello->program, sizeof(message.hello.program));
	memcpy(message.hello.version, hello->version, sizeof(message.hello.version));
	memcpy(message.hello.host, hello->host, sizeof(message.hello.host));
	message.hello.params = (struct codec_span){.text = hello->params, .length = (uint32_t)length};
	message.hello.site = hello->site;
	return native_transmit(comm, &message, noun);
}

static int receive_hello(struct comm *comm, enum wire_type type, struct comm_hello *hello)
{
	struct wire_message message;
	struct wire_header header;
	struct comm_hello got;
	int rc;

	rc = native_await(comm, type, &header);
	if (rc)
		return rc;
	rc = native_decode(comm, &header, &message);
	if (rc)
		return rc;
	_Static_assert(sizeof(got.program) == sizeof(message.hello.program), "texts are copied whole");
	_Static_assert(sizeof(got.version) == sizeof(message.hello.version), "texts are copied whole");
	_Static_assert(sizeof(got.host) == sizeof(message.hello.host), "texts are copied whole");
	memcpy(got.program, message.hello.program, sizeof(got.program));
	memcpy(got.version, message.hello.version, sizeof(got.version));
	memcpy(got.host, message.hello.host, sizeof(got.host));
	got.site = message.hello.site;
	got.params = strndup(message.hello.params.text, message.hello.params.length);
	if (!got.params)
		return comm_report(comm, -ENOMEM, wire_native_noun(type));
	consume(comm, &header);
	*hello = got;
	return 0;
}

/* Rubbish is complete at once: nothing that comes can mend it. */
static size_t native_request_size(const struct comm *comm)
{
	struct wire_header header;
	const char *fault;

	if (conn_pending(&comm->conn) < WIRE_HEADER_SIZE ||
	    wire_native_decode_header(conn_data(&comm->conn), &header, &fault) || header.type != WIRE_HELLO)
		return WIRE_HEADER_SIZE;
	return WIRE_HEADER_SIZE + header.length;
}

static int native_ask(struct comm *comm, const struct comm_hello *hello, struct comm_hello *answer)
{
	int rc = transmit_hello(comm, WIRE_HELLO, hello, wire_native_noun(WIRE_AGREE));

	return rc ? rc : receive_hello(comm, WIRE_AGREE, answer);
}

static int native_read_hello(struct comm *comm, struct comm_hello *hello)
{
	return receive_hello(comm, WIRE_HELLO, hello);
}

static int native_agree(struct comm *comm, const struct comm_hello *answer)
{
	return transmit_hello(comm, WIRE_AGREE, answer, wire_native_noun(WIRE_ENDPOINTS));
}

static void set_reason(struct wire_message *message, const char *reason)
{
	const size_t length = strnlen(reason, sizeof(message->reason) - 1);

	memcpy(message->reason, reason, length);
	message->reason[length] = '\0';
}

static int native_refuse(struct comm *comm, const char *reason)
{
	struct wire_message message = {.type = WIRE_REFUSE};

	set_reason(&message, reason);
	return native_transmit(comm, &message, wire_native_noun(WIRE_ENDPOINTS));
}

static int transmit_endpoints(struct comm *comm, const struct endpoint *local, unsigned count)
{
	/* The codec only reads the items of a message that it encodes. */
	const struct wire_message message = {
		.type = WIRE_ENDPOINTS,
		.endpoints = {.items = (struct endpoint *)local, .capacity = count, .count = count},
	};

	return native_transmit(comm, &message, wire_native_noun(WIRE_ENDPOINTS));
}

static int receive_endpoints(struct comm *comm, struct endpoint *remote, unsigned count)
{
	struct wire_message message = {.endpoints = {.items = remote, .capacity = count}};
	int rc = native_receive(comm, WIRE_ENDPOINTS, &message);

	if (rc)
		return rc;
	if (message.endpoints.count != count) {
		log_error("the %s (%s) has %u queue pairs, this side %u: give both the same -q", comm->conn.role,
			  comm->conn.peer, message.endpoints.count, count);
		return -EPROTO;
	}
	return 0;
}

static int native_exchange_endpoints(struct comm *comm, const struct endpoint *local, struct endpoint *remote,
				     unsigned count)
{
	int rc;

	if (comm->client) {
		rc = transmit_endpoints(comm, local, count);
		return rc ? rc : receive_endpoints(comm, remote, count);
	}
	rc = receive_endpoints(comm, remote, count);
	return rc ? rc : transmit_endpoints(comm, local, count);
}

static int native_barrier(struct comm *comm, uint32_t tag)
{
	struct wire_message message = {.type = WIRE_BARRIER, .tag = tag};
	int rc;

	rc = native_transmit(comm, &message, wire_native_noun(WIRE_BARRIER));
	if (rc)
		return rc;
	rc = native_receive(comm, WIRE_BARRIER, &message);
	if (rc)
		return rc;
	if (message.tag != tag) {
		log_error("the %s (%s) is at another point of the test (%u) than this side (%u)", comm->conn.role,
			  comm->conn.peer, message.tag, tag);
		return -EPROTO;
	}
	comm->peer_done = false;
	comm->intervals = (struct comm_intervals){0};
	return 0;
}

static int native_exchange_result(struct comm *comm, const struct comm_result *local, struct comm_result *remote)
{
	struct wire_message message = {.type = WIRE_RESULT, .result = *local};
	int rc;

	rc = native_transmit(comm, &message, wire_native_noun(WIRE_RESULT));
	if (rc)
		return rc;
	rc = native_receive(comm, WIRE_RESULT, &message);
	if (rc)
		return rc;
	*remote = message.result;
	return 0;
}

static int native_send_round(struct comm *comm, const struct comm_round *round)
{
	const struct wire_message message = {.type = WIRE_ROUND, .round = *round};

	return native_transmit(comm, &message, wire_native_noun(WIRE_ROUND));
}

static int native_receive_round(struct comm *comm, struct comm_round *round)
{
	struct wire_message message;
	int rc;

	rc = native_receive(comm, WIRE_ROUND, &message);
	if (rc)
		return rc;
	*round = message.round;
	comm->peer_done = false;
	return 0;
}

static int native_exchange_verdict(struct comm *comm, const struct comm_verdict *local, struct comm_verdict *remote)
{
	struct wire_message message = {.type = WIRE_VERDICT, .verdict = *local};
	int rc;

	rc = native_transmit(comm, &message, wire_native_noun(WIRE_VERDICT));
	if (rc)
		return rc;
	rc = native_receive(comm, WIRE_VERDICT, &message);
	if (rc)
		return rc;
	*remote = message.verdict;
	return 0;
}

static int native_post(struct comm *comm, const struct wire_message *message, bool droppable)
{
	uint8_t bytes[CONN_POST];
	const size_t size = wire_native_encode(message, bytes, sizeof(bytes));
	int rc = conn_post(&comm->conn, bytes, size, droppable);

	return rc ? explain(comm, rc, wire_native_noun(WIRE_RESULT)) : 0;
}

static int native_send_done(struct comm *comm, const struct comm_done *done)
{
	const struct wire_message message = {.type = WIRE_DONE, .done = *done};

	return native_post(comm, &message, false /* droppable */);
}

static int native_send_interval(struct comm *comm, const struct comm_interval *interval)
{
	const struct wire_message message = {.type = WIRE_INTERVAL, .interval = *interval};

	if (interval->number == COMM_LAST_INTERVAL)
		return native_transmit(comm, &message, wire_native_noun(WIRE_RESULT));
	return native_post(comm, &message, true /* droppable: the next one has its messages, too */);
}

static int native_send_heartbeat(struct comm *comm)
{
	const struct wire_message message = {.type = WIRE_HEARTBEAT};

	return native_post(comm, &message, true /* droppable: a peer with so much unread knows that we live */);
}

/*
 * What came and was not consumed belongs to an exchange that this side has yet to reach. Behind it can only be
 * the peer's last word; *header: of that.
 */
static const uint8_t *find_abort(const struct comm *comm, struct wire_header *header)
{
	const char *fault;

	for (size_t at = 0; conn_pending(&comm->conn) - at >= WIRE_HEADER_SIZE;
	     at += WIRE_HEADER_SIZE + header->length) {
		if (wire_native_decode_header(conn_data(&comm->conn) + at, header, &fault) ||
		    conn_pending(&comm->conn) - at - WIRE_HEADER_SIZE < header->length)
			return NULL;
		if (header->type == WIRE_ABORT)
			return conn_data(&comm->conn) + at + WIRE_HEADER_SIZE;
	}
	return NULL;
}

/* The peer is gone, or says more than a peer has to say while a loop runs. */
static int end_early(struct comm *comm, int received)
{
	struct wire_header header;
	const uint8_t *payload = find_abort(comm, &header);

	if (payload) {
		/* It comes to the front: nothing that is in front of it will be read. */
		conn_consume(&comm->conn, (size_t)(payload - conn_data(&comm->conn)) - WIRE_HEADER_SIZE);
		return take_interim(comm, &header);
	}
	if (received)
		return comm_report(comm, received, "messages");
	log_error("the %s (%s) sent more than it may while a test runs", comm->conn.role, comm->conn.peer);
	return -EBADMSG;
}

static int native_look(struct comm *comm)
{
	const int received = conn_fill_now(&comm->conn);
	struct wire_header header;
	int complete, rc;

	for (;;) {
		complete = front(comm, &header);
		if (complete < 0)
			return complete;
		if (!complete || !is_interim(&header))
			break;
		rc = take_interim(comm, &header);
		if (rc)
			return rc;
	}
	/* Neither side leaves before the last barrier, which is no look's. */
	if (received || conn_is_full(&comm->conn))
		return end_early(comm, received);
	return comm->peer_done;
}

static int native_wait_done(struct comm *comm)
{
	struct wire_header header;
	int rc;

	if (comm->peer_done)
		return 0;
	rc = native_await(comm, WIRE_DONE, &header);
	return rc ? rc : take_interim(comm, &header);
}

static void native_abort(struct comm *comm, const char *reason)
{
	struct wire_message message = {.type = WIRE_ABORT};
	uint8_t bytes[WIRE_HEADER_SIZE + 2 + sizeof(message.reason)];

	set_reason(&message, reason);
	conn_post_last(&comm->conn, bytes, wire_native_encode(&message, bytes, sizeof(bytes)));
}

const struct comm_traits comm_native_traits = {
	.negotiates = true,
	.tells_done = true,
	.tells_results = true,
	.tells_every_size = true,
	.exchanges_keys_first = true,
	.starts_at_barrier = true,
	.first_is_no_sample = true,
	.takes_turns = true,
	.tells_intervals = true,
	.spares_receives = true,
	.gid_by_address = true,
};

const struct comm_ops comm_native = {
	.request_size = native_request_size,
	.ask = native_ask,
	.read_hello = native_read_hello,
	.agree = native_agree,
	.refuse = native_refuse,
	.exchange_endpoints = native_exchange_endpoints,
	.barrier = native_barrier,
	.exchange_result = native_exchange_result,
	.send_round = native_send_round,
	.receive_round = native_receive_round,
	.exchange_verdict = native_exchange_verdict,
	.send_done = native_send_done,
	.send_heartbeat = native_send_heartbeat,
	.send_interval = native_send_interval,
	.look = native_look,
	.wait_done = native_wait_done,
	.abort = native_abort,
};
