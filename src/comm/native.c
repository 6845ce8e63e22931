// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The native conversation: the frames of docs/wire.md, between two ends of this suite.
 *
 * Both sides send small messages at the same time, which costs half a round trip; endpoints, which can fill the
 * socket's buffers, are first sent by the client.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/native_frame.h"
#include "comm/perftest_communication.h"
#include "comm/protocol.h"
#include "comm/wire.h"
#include "util/log.h"

/* --- the conversation --- */

static int transmit_hello(struct comm *comm, enum wire_type type, const struct comm_hello *hello)
{
	const size_t length = hello->params ? strlen(hello->params) : 0;
	struct wire_message message = {.type = type};

	if (length > WIRE_MAX_PARAMS)
		return log_fail(-EMSGSIZE, "the options are too long for the side channel: %zu bytes, the limit is %d",
				length, WIRE_MAX_PARAMS);
	message.hello = (struct wire_hello){*hello, {.text = hello->params, .length = (uint32_t)length}};
	return native_transmit(comm, &message, type == WIRE_HELLO ? WIRE_AGREE : WIRE_ENDPOINTS);
}

static int receive_hello(struct comm *comm, enum wire_type type, struct comm_hello *hello)
{
	struct wire_message message;
	struct message_header header;
	struct comm_hello got;
	int rc;

	rc = native_await(comm, type, &header);
	if (rc)
		return rc;
	rc = native_decode(comm, &header, &message);
	if (rc)
		return rc;
	got = message.hello.of;
	got.params = strndup(message.hello.params.text, message.hello.params.length);
	if (!got.params)
		return comm_report(comm, -ENOMEM, wire_native_noun(type));
	message_drop(&comm->conn, &header);
	*hello = got;
	return 0;
}

/* Invalid data is complete at once: nothing that follows can fix it. */
static size_t native_request_size(const struct comm *comm)
{
	struct message_header header;
	const char *fault;
	const int ret = message_front(&comm->conn, &wire_native, &header, &fault);

	return MESSAGE_HEADER_SIZE + (ret >= 0 && header.type == WIRE_HELLO ? header.length : 0);
}

static int transmit_endpoints(struct comm *comm, const struct endpoint *local, unsigned count)
{
	/* The codec only reads the items of a message that it encodes. */
	const struct wire_message message = {
		.type = WIRE_ENDPOINTS,
		.endpoints = {.items = (struct endpoint *)local, .capacity = count, .count = count},
	};

	return native_transmit(comm, &message, WIRE_ENDPOINTS);
}

static int receive_endpoints(struct comm *comm, struct endpoint *remote, unsigned count)
{
	struct wire_message message = {.endpoints = {.items = remote, .capacity = count}};
	int rc = native_receive(comm, WIRE_ENDPOINTS, &message);

	if (rc || message.endpoints.count == count)
		return rc;
	return conn_error(&comm->conn, -EPROTO, "has %u queue pairs, this side %u: give both the same -q",
			  message.endpoints.count, count);
}

static int native_exchange_endpoints(struct comm *comm, const struct endpoint *local, struct endpoint *remote,
				     unsigned count)
{
	int rc = 0;

	for (unsigned turn = 0; !rc && turn < COMM_TURNS; turn++)
		rc = comm_sends(comm, turn) ? transmit_endpoints(comm, local, count)
					    : receive_endpoints(comm, remote, count);
	return rc;
}

#define CLOCK_SLACK_NS 1000000

/* The server answers between question and answer, and so in the middle of these, give or take half of it. */
static int ask_for_clock(struct comm *comm)
{
	struct wire_message found = {.type = WIRE_CLOCK, .clock.error_ns = INT64_MAX};
	int rc;

	/* The first answer comes when the server is ready. */
	for (uint32_t i = 0; i < WIRE_CLOCK_QUESTIONS; i++) {
		struct wire_message message = {.type = WIRE_CLOCK};
		const int64_t asked_ns = native_now_ns();
		int64_t half_ns;

		rc = native_swap(comm, &message);
		if (rc)
			return rc;
		half_ns = (native_now_ns() - asked_ns + 1) / 2;
		if ((uint64_t)half_ns >= found.clock.error_ns)
			continue;
		found.clock = (struct wire_clock){.question = i, .error_ns = (uint64_t)half_ns};
		comm->epoch_ns = asked_ns + half_ns;
		comm->epoch_error_ns = half_ns;
	}
	return native_transmit(comm, &found, WIRE_CLOCK);
}

static int answer_with_clock(struct comm *comm)
{
	int64_t answered_ns[WIRE_CLOCK_QUESTIONS];
	struct wire_message message;
	int rc;

	for (unsigned i = 0; i < WIRE_CLOCK_QUESTIONS; i++) {
		rc = native_receive(comm, WIRE_CLOCK, &message);
		if (rc)
			return rc;
		message = (struct wire_message){.type = WIRE_CLOCK};
		answered_ns[i] = native_now_ns();
		rc = native_transmit(comm, &message, WIRE_CLOCK);
		if (rc)
			return rc;
	}
	rc = native_receive(comm, WIRE_CLOCK, &message);
	if (rc)
		return rc;
	if (message.clock.error_ns > (uint64_t)(native_now_ns() - answered_ns[0] + CLOCK_SLACK_NS))
		return native_refuse_claim(comm, WIRE_CLOCK, "its error is longer than all of its questions took");
	comm->epoch_ns = answered_ns[message.clock.question];
	comm->epoch_error_ns = (int64_t)message.clock.error_ns;
	return 0;
}

static int native_compare_clocks(struct comm *comm)
{
	return comm->client ? ask_for_clock(comm) : answer_with_clock(comm);
}

static int native_barrier(struct comm *comm, uint32_t tag)
{
	struct wire_message message = {.type = WIRE_BARRIER, .tag = tag};
	int rc;

	comm->ready_ns = native_now_ns();
	rc = native_swap(comm, &message);
	if (rc)
		return rc;
	if (message.tag != tag)
		return conn_error(&comm->conn, -EPROTO, "is at step %u of the test, but this side is at step %u",
				  message.tag, tag);
	return 0;
}

/* The times of a result are since then. */
static double native_since_epoch_s(const struct comm *comm)
{
	return comm->epoch_ns ? (double)(native_now_ns() - comm->epoch_ns + comm->epoch_error_ns) / 1e9
			      : native_since_s(comm);
}

static int swap_results(struct comm *comm, const struct comm_result *local, struct comm_result *remote)
{
	struct wire_message message = {.type = WIRE_RESULT, .result = *local};
	struct wire_message ports = {.type = WIRE_PORTS};
	const char *fault;
	int rc;

	rc = native_swap(comm, &message);
	if (!rc && comm->per_port) {
		ports.result = *local;
		rc = native_swap(comm, &ports);
	}
	if (rc)
		return rc;
	memcpy(message.result.ports, ports.result.ports, sizeof(message.result.ports));
	fault = comm_claim_result(native_since_epoch_s(comm), local->size, &message.result);
	if (fault)
		return native_refuse_claim(comm, WIRE_RESULT, fault);
	*remote = message.result;
	return 0;
}

static int swap_verdicts(struct comm *comm, const struct comm_verdict *local, struct comm_verdict *remote)
{
	struct wire_message message = {.type = WIRE_VERDICT, .verdict = *local};
	int rc = native_swap(comm, &message);
	const char *fault;

	if (rc)
		return rc;
	fault = comm_claim_verdict(local, &message.verdict);
	if (fault)
		return native_refuse_claim(comm, WIRE_VERDICT, fault);
	*remote = message.verdict;
	return 0;
}

/* How a message is sent; those of the agreement, RESULT and VERDICT have functions. */
static const struct native_row {
	size_t size; /* of its struct */
	enum {
		AWAITED,   /* until it is sent, */
		POSTED,	   /* without waiting, */
		DROPPABLE, /* likewise, and dropped if other data waits */
	} how;
	enum wire_type answer; /* what the peer would have sent: for errors */
} native_rows[] = {
	[WIRE_REFUSE] = {0, AWAITED, WIRE_ENDPOINTS},
	[WIRE_ROUND] = {sizeof(struct comm_round), AWAITED, WIRE_ROUND},
	[WIRE_VOTE] = {sizeof(enum series_vote), AWAITED, WIRE_VOTE},
	[WIRE_SAMPLES] = {sizeof(double), AWAITED, WIRE_BARRIER},
	[WIRE_FACTS] = {COMM_FACTS_SIZE, AWAITED, WIRE_FACTS},
	[WIRE_DONE] = {sizeof(struct comm_done), POSTED, WIRE_RESULT},
	/* The first one says what kind of test this is. */
	[WIRE_WAIT] = {sizeof(uint32_t), POSTED, WIRE_RESULT},
	/* Unread data tells the peer that this side lives. */
	[WIRE_HEARTBEAT] = {0, DROPPABLE, WIRE_RESULT},
};

/* The struct of any type. */
#define BODY(message) ((char *)(message) + offsetof(struct wire_message, result))

static int transmit_message(struct comm *comm, enum wire_type type, const void *own)
{
	const struct native_row *row = &native_rows[type];
	struct wire_message message = {.type = type};

	if (type == WIRE_HELLO || type == WIRE_AGREE)
		return transmit_hello(comm, type, own);
	if (type == WIRE_SAMPLES)
		message.latency = ((const struct comm_samples *)own)->latency;
	if (type == WIRE_REFUSE) /* a text */
		snprintf(message.reason, sizeof(message.reason), "%s", (const char *)own);
	else if (row->size)
		memcpy(BODY(&message), own, row->size);
	if (type == WIRE_WAIT)
		comm_hold(comm);
	if (row->how == AWAITED)
		return native_transmit(comm, &message, row->answer);
	return native_post(comm, &message, row->how == DROPPABLE);
}

static int wait_done(struct comm *comm)
{
	struct message_header header;
	int rc;

	if (comm->peer_done)
		return 0;
	native_answer_heartbeat(comm); /* the first one, that the peer knows from the start that there will be more */
	rc = native_await(comm, WIRE_DONE, &header);
	return rc ? rc : native_take_interim(comm, &header);
}

static int receive_message(struct comm *comm, enum wire_type type, void *theirs)
{
	struct wire_message message = {.type = type};
	const char *fault = NULL;
	int rc;

	if (type == WIRE_HELLO)
		return receive_hello(comm, type, theirs);
	if (type == WIRE_DONE)
		return wait_done(comm);
	if (type == WIRE_SAMPLES)
		message.latency = ((struct comm_samples *)theirs)->latency;
	rc = native_receive(comm, type, &message);
	if (rc)
		return rc;
	if (type == WIRE_SAMPLES)
		fault = comm_claim_samples(native_since_s(comm),
					   &(struct comm_samples){message.tick_seconds, message.latency});
	if (fault)
		return native_refuse_claim(comm, type, fault);
	memcpy(theirs, BODY(&message), native_rows[type].size);
	if (type == WIRE_ROUND)
		comm->peer_done = false;
	return 0;
}

static int swap_message(struct comm *comm, enum wire_type type, const void *own, void *theirs)
{
	int rc;

	if (type == WIRE_RESULT)
		return swap_results(comm, own, theirs);
	if (type == WIRE_VERDICT)
		return swap_verdicts(comm, own, theirs);
	rc = transmit_message(comm, type, own);
	if (rc)
		return rc;
	return type == WIRE_HELLO ? receive_hello(comm, WIRE_AGREE, theirs) : receive_message(comm, type, theirs);
}

/* Arrivals were checked: the first message is of a later exchange. */
bool comm_at_barrier(const struct comm *comm)
{
	struct message_header header;

	return native_front(comm, &header) == 1 && header.type == WIRE_BARRIER;
}

/*
 * The peer is gone, or sent something that is not allowed while a loop runs. What arrived and was not consumed belongs
 * to an exchange that this side has yet to reach: only the peer's ABORT can follow it.
 */
static int end_early(struct comm *comm, int received)
{
	const int rc = native_take_end(comm);

	if (rc)
		return rc;
	if (received)
		return comm_report(comm, received, "messages");
	return conn_error(&comm->conn, -EBADMSG, "sent more than the protocol allows while a test runs");
}

static int native_look(struct comm *comm)
{
	const int received = conn_fill_now(&comm->conn, 0);
	struct message_header header;
	int complete, rc;

	for (;;) {
		complete = native_front(comm, &header);
		if (complete < 0)
			return complete;
		if (!complete || !native_is_interim(&header))
			break;
		rc = native_take_interim(comm, &header);
		if (rc)
			return rc;
	}
	/* Neither side leaves before the last barrier, at which no loop looks. */
	if (received || conn_is_full(&comm->conn))
		return end_early(comm, received);
	return comm->peer_done;
}

static void native_abort(struct comm *comm, const char *reason)
{
	message_post_end(&comm->conn, &wire_native, WIRE_ABORT, reason);
}

const struct comm_traits comm_native_traits = {
	.negotiates = true,
	.announces_done = true,
	.sends_results = true,
	.sends_reasons = true,
	.sends_every_size = true,
	.exchanges_keys_first = true,
	.starts_at_barrier = true,
	.first_is_no_sample = true,
	.takes_turns = true,
	.sends_facts = true,
	.spares_receives = true,
	.credits_last = true,
	.gid_by_address = true,
};

const struct comm_ops comm_native = {
	.request_size = native_request_size,
	.exchange_endpoints = native_exchange_endpoints,
	.compare_clocks = native_compare_clocks,
	.barrier = native_barrier,
	.transmit = transmit_message,
	.receive = receive_message,
	.swap = swap_message,
	.look = native_look,
	.abort = native_abort,
};
