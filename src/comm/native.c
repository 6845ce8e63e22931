// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The native conversation: the messages of docs/wire.md, between two ends of this suite, over net/channel.h.
 *
 * Both sides send small messages at the same time, which costs half a round trip; endpoints, which can fill the
 * socket's buffers, are first sent by the client.
 *
 * ALIVE, DONE and ABORT may arrive at any time after the agreement, and WAIT before a BARRIER; a wait for another
 * message takes them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/perftest_communication.h"
#include "comm/protocol.h"
#include "comm/wire.h"
#include "util/claim.h"
#include "util/log.h"

#define WAIT_LINE_MS 2000 /* between two lines about the clients that the peer waits for */

static int refuse_claim(const struct comm *comm, unsigned type, const char *fault)
{
	return conn_error(&comm->conn, -EBADMSG, "sent a message that cannot be true, its %s: %s",
			  wire_native_noun(type), fault);
}

static int take_done(struct comm *comm, const struct comm_done *done)
{
	const struct claim claims[] = {CLAIM_COUNT(claim_since_s(comm->ready_ns), done->messages, "messages")};
	const char *fault = CLAIM_JUDGE(claims);

	if (fault)
		return refuse_claim(comm, MESSAGE_DONE, fault);
	comm->peer_done = true;
	comm->done = *done;
	return 0;
}

/* The peer measures with several at once, some of whom have yet to join. It may send this any number of times. */
static void take_wait(struct comm *comm, uint32_t missing)
{
	comm->gathers = true;
	if (missing == comm->missing || !deadline_passed(comm->quiet))
		return;
	comm->missing = missing;
	comm->quiet = deadline_in_ms(WAIT_LINE_MS);
	if (missing)
		log_human("the %s (%s) waits for %u more %s%s", comm->conn.role, comm->conn.peer, missing,
			  comm->client ? "client" : "server", missing == 1 ? "" : "s");
}

/* To a peer whose loop runs, from a side that waits for its end, if it can be sent at once; receiving says if it
 * cannot. */
static void answer_heartbeat(struct comm *comm)
{
	(void)message_post(&comm->conn, &wire_native, MESSAGE_ALIVE, NULL, true /* droppable */);
}

/*
 * Only a loop, and a start that waits for others, lasts so long that its side has to send messages: no other wait is
 * extended by them.
 */
static int take_interim(struct channel *channel, const struct message_header *header, unsigned awaited)
{
	const bool extends = header->type == MESSAGE_ALIVE && awaited == MESSAGE_DONE;
	struct comm *comm = (struct comm *)channel;
	union {
		struct comm_done done;
		uint32_t missing;
	} message; /* without a heartbeat */
	int rc = channel_take(channel, header, &message);

	if (!rc && header->type == MESSAGE_DONE)
		rc = take_done(comm, &message.done);
	if (rc)
		return rc;
	if (header->type == WIRE_WAIT)
		take_wait(comm, message.missing);
	if (extends)
		answer_heartbeat(comm);
	comm->interim++;
	return extends || header->type == WIRE_WAIT;
}

/* How far the peer can extend a wait: for its loop, by its duration if by time, and for a start. */
static struct deadline prolong_most(const struct channel *channel, unsigned expected)
{
	const struct comm *comm = (const struct comm *)channel;
	const int64_t timeout_ms = channel->timeout_ms;

	if (expected == MESSAGE_BARRIER && timeout_ms >= 0 && timeout_ms < comm->start_ms)
		return channel_limit(channel, comm->start_ms);
	if (expected == MESSAGE_BARRIER)
		return comm_limit(comm);
	return channel_limit(channel, comm->loop_ms && timeout_ms >= 0 ? comm->loop_ms + timeout_ms : -1);
}

/* What the peer would have sent in return for a message that could not be sent. */
static unsigned answer_to(const struct comm *comm, unsigned type)
{
	if (comm->client)
		return type == MESSAGE_HELLO ? MESSAGE_AGREE : type;
	return type == MESSAGE_AGREE || type == MESSAGE_REFUSE ? MESSAGE_ENDPOINTS : type;
}

static int report_wait(const struct channel *channel, int error, unsigned awaited, bool is_longest)
{
	const struct comm *comm = (const struct comm *)channel;
	const unsigned expected = answer_to(comm, awaited);
	const double timeout_s = (double)channel->timeout_ms / 1e3;
	const char *noun = expected ? wire_native_noun(expected) : "messages";

	/* A server greets all clients, and then serves them one after the other. */
	if (error == -ETIMEDOUT && expected == MESSAGE_AGREE)
		return comm_report_busy(comm, error);
	if (error != -ETIMEDOUT || channel_test_is_over(channel))
		return channel_report(channel, error, noun);
	if (expected == MESSAGE_BARRIER && channel->timeout_ms < comm->start_ms && is_longest)
		return conn_error(&comm->conn, error, "delayed the start of the test for %g s",
				  (double)comm->start_ms / 1e3);
	/* Registering hundreds of gigabytes takes longer than most peers are silent. */
	if (expected == MESSAGE_ENDPOINTS)
		return conn_error(&comm->conn, error,
				  "was silent for %g s while this side waited for its endpoints: if it is still "
				  "registering its memory, give a longer --timeout here",
				  timeout_s);
	if (expected == MESSAGE_DONE && is_longest)
		return conn_error(&comm->conn, error,
				  "did not finish its part of the test, which should take %g s, within another %g s",
				  (double)comm->loop_ms / 1e3, timeout_s);
	return channel_report(channel, error, noun);
}

const struct channel_ops native_channel_ops = {.take = take_interim, .longest = prolong_most, .report = report_wait};

/* --- the conversation --- */

static int transmit_hello(struct comm *comm, unsigned type, const struct comm_hello *hello)
{
	const size_t length = hello->params ? strlen(hello->params) : 0;
	struct wire_hello message;

	if (length > WIRE_MAX_PARAMS)
		return log_fail(-EMSGSIZE, "the options are too long for the side channel: %zu bytes, the limit is %d",
				length, WIRE_MAX_PARAMS);
	message = (struct wire_hello){*hello, {.text = hello->params, .length = (uint32_t)length}};
	return channel_send(&comm->channel, type, &message);
}

static int receive_hello(struct comm *comm, unsigned type, struct comm_hello *hello)
{
	struct wire_hello message;
	struct comm_hello got;
	int rc = channel_receive(&comm->channel, type, &message);

	if (rc)
		return rc;
	got = message.of;
	got.params = strndup(message.params.text, message.params.length);
	if (!got.params)
		return channel_report(&comm->channel, -ENOMEM, wire_native_noun(type));
	*hello = got;
	return 0;
}

static int transmit_endpoints(struct comm *comm, const struct endpoint *local, unsigned count)
{
	/* The codec only reads the items of a message that it encodes. */
	const struct wire_endpoints message = {.items = (struct endpoint *)local, .capacity = count, .count = count};

	return channel_send(&comm->channel, MESSAGE_ENDPOINTS, &message);
}

static int receive_endpoints(struct comm *comm, struct endpoint *remote, unsigned count)
{
	struct wire_endpoints message = {.items = remote, .capacity = count};
	int rc = channel_receive(&comm->channel, MESSAGE_ENDPOINTS, &message);

	if (rc || message.count == count)
		return rc;
	return conn_error(&comm->conn, -EPROTO, "has %u queue pairs, this side %u: give both the same -q",
			  message.count, count);
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
	struct wire_clock found = {.error_ns = INT64_MAX};
	int rc;

	/* The first answer comes when the server is ready. */
	for (uint32_t i = 0; i < WIRE_CLOCK_QUESTIONS; i++) {
		struct wire_clock message = {0};
		const int64_t asked_ns = claim_now_ns();
		int64_t half_ns;

		rc = channel_swap(&comm->channel, WIRE_CLOCK, &message, &message);
		if (rc)
			return rc;
		half_ns = (claim_now_ns() - asked_ns + 1) / 2;
		if ((uint64_t)half_ns >= found.error_ns)
			continue;
		found = (struct wire_clock){.question = i, .error_ns = (uint64_t)half_ns};
		comm->epoch_ns = asked_ns + half_ns;
		comm->epoch_error_ns = half_ns;
	}
	return channel_send(&comm->channel, WIRE_CLOCK, &found);
}

static int answer_with_clock(struct comm *comm)
{
	int64_t answered_ns[WIRE_CLOCK_QUESTIONS];
	struct wire_clock message;
	int rc;

	for (unsigned i = 0; i < WIRE_CLOCK_QUESTIONS; i++) {
		rc = channel_receive(&comm->channel, WIRE_CLOCK, &message);
		if (rc)
			return rc;
		message = (struct wire_clock){0};
		answered_ns[i] = claim_now_ns();
		rc = channel_send(&comm->channel, WIRE_CLOCK, &message);
		if (rc)
			return rc;
	}
	rc = channel_receive(&comm->channel, WIRE_CLOCK, &message);
	if (rc)
		return rc;
	if (message.error_ns > (uint64_t)(claim_now_ns() - answered_ns[0] + CLOCK_SLACK_NS))
		return refuse_claim(comm, WIRE_CLOCK, "its error is longer than all of its questions took");
	comm->epoch_ns = answered_ns[message.question];
	comm->epoch_error_ns = (int64_t)message.error_ns;
	return 0;
}

static int native_compare_clocks(struct comm *comm)
{
	return comm->client ? ask_for_clock(comm) : answer_with_clock(comm);
}

static int native_barrier(struct comm *comm, uint32_t tag)
{
	comm->ready_ns = claim_now_ns();
	return channel_barrier(&comm->channel, tag);
}

/* The times of a result are since then. */
static double since_epoch_s(const struct comm *comm)
{
	return claim_since_s(comm->epoch_ns ? comm->epoch_ns - comm->epoch_error_ns : comm->ready_ns);
}

/* Can it be true? NULL, or what cannot. own: what this side has sent of the same type. */
static const char *claim_fault(const struct comm *comm, unsigned type, const void *own, const void *theirs)
{
	switch (type) {
	case MESSAGE_RESULT:
		return comm_claim_result(since_epoch_s(comm), ((const struct comm_result *)own)->size, theirs);
	case WIRE_VERDICT:
		return comm_claim_verdict(own, theirs);
	case WIRE_SAMPLES:
		return comm_claim_samples(claim_since_s(comm->ready_ns), theirs);
	default:
		return NULL;
	}
}

static int transmit_message(struct comm *comm, unsigned type, const void *own)
{
	switch (type) {
	case MESSAGE_HELLO:
	case MESSAGE_AGREE:
		return transmit_hello(comm, type, own);
	case WIRE_WAIT: /* the first one says what kind of test this is */
		comm_delay(comm);
		/* fall through */
	case MESSAGE_DONE:
		return channel_post(&comm->channel, type, own, false /* droppable */);
	case MESSAGE_ALIVE: /* unread data tells the peer that this side lives */
		return channel_post(&comm->channel, type, own, true /* droppable */);
	default:
		return channel_send(&comm->channel, type, own);
	}
}

static int wait_done(struct comm *comm)
{
	struct comm_done done;
	int rc;

	if (comm->peer_done)
		return 0;
	answer_heartbeat(comm); /* the first one, that the peer knows from the start that there will be more */
	rc = channel_receive(&comm->channel, MESSAGE_DONE, &done);
	if (rc)
		return rc;
	comm->interim++;
	return take_done(comm, &done);
}

/* own: in a swap, what was sent; what of it is not sent is the same on both sides. */
static int receive_message(struct comm *comm, unsigned type, const void *own, void *theirs)
{
	const char *fault;
	int rc;

	if (type == MESSAGE_HELLO)
		return receive_hello(comm, own ? MESSAGE_AGREE : MESSAGE_HELLO, theirs);
	if (type == MESSAGE_DONE)
		return wait_done(comm);
	if (type == WIRE_VERDICT)
		*(struct comm_verdict *)theirs = *(const struct comm_verdict *)own;
	if (type == MESSAGE_RESULT) {
		*(struct comm_result *)theirs = *(const struct comm_result *)own;
		memset(((struct comm_result *)theirs)->ports, 0, sizeof(((struct comm_result *)theirs)->ports));
	}
	rc = channel_receive(&comm->channel, type, theirs);
	if (!rc && type == MESSAGE_RESULT && comm->per_port)
		rc = channel_swap(&comm->channel, WIRE_PORTS, own, theirs);
	if (rc)
		return rc;
	fault = claim_fault(comm, type, own, theirs);
	if (fault)
		return refuse_claim(comm, type, fault);
	if (type == WIRE_ROUND) {
		comm->peer_done = false;
		comm->done = (struct comm_done){0};
	}
	return 0;
}

static int native_receive(struct comm *comm, unsigned type, void *theirs)
{
	return receive_message(comm, type, NULL, theirs);
}

static int swap_message(struct comm *comm, unsigned type, const void *own, void *theirs)
{
	const int rc = transmit_message(comm, type, own);

	return rc ? rc : receive_message(comm, type, own, theirs);
}

/* Arrivals were checked: the first message is of a later exchange. */
bool comm_at_barrier(const struct comm *comm)
{
	struct message_header header;
	const char *fault;

	return message_front(&comm->conn, &wire_native, &header, &fault) == 1 && header.type == MESSAGE_BARRIER;
}

static int native_look(struct comm *comm)
{
	struct message_header header;
	const int ret = channel_look(&comm->channel, &header);

	return ret < 0 ? ret : comm->peer_done;
}

static void native_abort(struct comm *comm, const char *reason)
{
	channel_end(&comm->channel, MESSAGE_ABORT, reason);
}

const struct comm_traits comm_native_traits = {
	.negotiates = true,
	.announces_done = true,
	.sends_results = true,
	.starts_at_barrier = true,
	.first_is_no_sample = true,
	.takes_turns = true,
	.credits_last = true,
};

const struct comm_ops comm_native = {
	.exchange_endpoints = native_exchange_endpoints,
	.compare_clocks = native_compare_clocks,
	.barrier = native_barrier,
	.transmit = transmit_message,
	.receive = native_receive,
	.swap = swap_message,
	.look = native_look,
	.abort = native_abort,
};
