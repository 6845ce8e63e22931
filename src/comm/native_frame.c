// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Frames of the native conversation, one at a time. See native_frame.h. */
#include "comm/native_frame.h"

#include <errno.h>
#include <math.h>

#include "comm/protocol.h"
#include "stats/clock.h"
#include "util/log.h"
#include "util/terminal.h"

#define WAIT_LINE_MS 2000 /* between two lines about the clients that the peer waits for */

/* --- receiving --- */

int native_front(const struct comm *comm, struct message_header *header)
{
	const size_t pending = conn_pending(&comm->conn);
	char came[MESSAGE_HEADER_SIZE + 1];
	const char *fault;
	const int ret = message_front(&comm->conn, &wire_native, header, &fault);

	if (ret >= 0)
		return ret;
	return conn_error(&comm->conn, -EBADMSG, "sent garbage, \"%s\": %s",
			  printable(conn_data(&comm->conn),
				    pending < MESSAGE_HEADER_SIZE ? pending : MESSAGE_HEADER_SIZE, came, sizeof(came)),
			  fault);
}

int native_decode(const struct comm *comm, const struct message_header *header, struct wire_message *message)
{
	const char *fault;

	if (!wire_native_decode(header, message_payload(&comm->conn), message, &fault))
		return 0;
	return conn_error(&comm->conn, -EBADMSG, "sent an invalid message, its %s: %s", wire_native_noun(header->type),
			  fault);
}

bool native_is_interim(const struct message_header *header)
{
	return header->type == WIRE_HEARTBEAT || header->type == WIRE_DONE || header->type == WIRE_ABORT;
}

/* Where the clock is not monotonic, now and then a reading is too early. */
int64_t native_now_ns(void)
{
	const uint64_t first = clock_gettime_ns(), second = clock_gettime_ns();

	return (int64_t)(first > second ? first : second);
}

double native_since_s(const struct comm *comm)
{
	return comm->ready_ns ? (double)(native_now_ns() - comm->ready_ns) / 1e9 : INFINITY;
}

int native_refuse_claim(const struct comm *comm, enum wire_type type, const char *fault)
{
	return conn_error(&comm->conn, -EBADMSG, "sent a message that cannot be true, its %s: %s",
			  wire_native_noun(type), fault);
}

static int take_done(struct comm *comm, const struct comm_done *done)
{
	const char *fault = comm_claim_messages(native_since_s(comm), done->messages);

	if (fault)
		return native_refuse_claim(comm, WIRE_DONE, fault);
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

int native_take_interim(struct comm *comm, const struct message_header *header)
{
	struct wire_message message;
	int rc = native_decode(comm, header, &message);

	if (rc)
		return rc;
	switch (header->type) {
	case WIRE_DONE:
		rc = take_done(comm, &message.done);
		break;
	case WIRE_WAIT:
		take_wait(comm, message.missing);
		break;
	case WIRE_REFUSE:
	case WIRE_ABORT:
		return conn_error(&comm->conn, -ECANCELED, "%s: %s",
				  header->type == WIRE_REFUSE ? "refuses" : "ended the test", message.reason);
	default: /* a heartbeat */
		break;
	}
	if (rc)
		return rc;
	comm->interim++;
	message_drop(&comm->conn, header);
	return 0;
}

int native_take_end(struct comm *comm)
{
	struct message_header header;
	const ssize_t before =
		message_find_end(&wire_native, conn_data(&comm->conn), conn_pending(&comm->conn), &header);

	if (before < 0)
		return 0;
	conn_consume(&comm->conn, (size_t)before);
	return native_take_interim(comm, &header);
}

/* May a message of this type arrive while `expected` is awaited? */
static bool is_in_order(const struct message_header *header, enum wire_type expected)
{
	if (header->type == expected || header->type == WIRE_ABORT)
		return true;
	if (header->type == WIRE_WAIT)
		return expected == WIRE_BARRIER;
	if (expected == WIRE_AGREE && header->type == WIRE_REFUSE)
		return true;
	/* Before the agreement nothing extends a wait. */
	return expected != WIRE_HELLO && expected != WIRE_AGREE && native_is_interim(header);
}

static int report_wait(const struct comm *comm, int error, enum wire_type expected, struct deadline most)
{
	const double timeout_s = (double)comm->timeout_ms / 1e3;

	/* A server greets all clients, and then serves them one after the other. */
	if (error == -ETIMEDOUT && expected == WIRE_AGREE)
		return comm_report_busy(comm, error);
	if (error != -ETIMEDOUT || comm_is_over(comm))
		return comm_report(comm, error, wire_native_noun(expected));
	if (expected == WIRE_BARRIER && comm->timeout_ms < comm->start_ms && deadline_passed(most))
		return conn_error(&comm->conn, error, "delayed the start of the test for %g s",
				  (double)comm->start_ms / 1e3);
	/* Registering hundreds of gigabytes takes longer than most peers are silent. */
	if (expected == WIRE_ENDPOINTS)
		return conn_error(&comm->conn, error,
				  "was silent for %g s while this side waited for its endpoints: if it is still "
				  "registering its memory, give a longer --timeout here",
				  timeout_s);
	if (expected == WIRE_DONE && deadline_passed(most))
		return conn_error(&comm->conn, error,
				  "did not finish its part of the test, which should take %g s, within another %g s",
				  (double)comm->loop_ms / 1e3, timeout_s);
	return comm_report(comm, error, wire_native_noun(expected));
}

/* How far the peer can extend a wait: for its loop, by its duration if by time, and for a start. */
static struct deadline prolong_most(const struct comm *comm, enum wire_type expected)
{
	if (expected == WIRE_BARRIER && comm->timeout_ms >= 0 && comm->timeout_ms < comm->start_ms)
		return comm_limit_of(comm, comm->start_ms);
	if (expected == WIRE_BARRIER)
		return comm_limit(comm);
	return comm_limit_of(comm, comm->loop_ms && comm->timeout_ms >= 0 ? comm->loop_ms + comm->timeout_ms : -1);
}

void native_answer_heartbeat(struct comm *comm)
{
	/* If this fails, receiving says why. */
	(void)message_post(&comm->conn, &wire_native, WIRE_HEARTBEAT, NULL, true /* droppable */);
}

int native_await(struct comm *comm, enum wire_type expected, struct message_header *header)
{
	const struct deadline deadline = comm_limit(comm);
	const struct deadline most = prolong_most(comm, expected);
	struct deadline alive = deadline;
	int rc;

	for (;;) {
		size_t want = MESSAGE_HEADER_SIZE;
		int complete = native_front(comm, header);

		if (complete < 0)
			return complete;
		if (header->type) {
			want += header->length;
			if (!is_in_order(header, expected))
				return conn_error(&comm->conn, -EBADMSG,
						  "sent its %s while this side waited for its %s",
						  wire_native_noun(header->type), wire_native_noun(expected));
		}
		if (complete && header->type == expected)
			return 0;
		if (!complete) {
			rc = conn_over(&comm->conn, alive);
			if (!rc)
				rc = conn_fill(&comm->conn, want, alive);
		} else {
			rc = native_take_interim(comm, header);
			if (rc)
				return rc;
			if (header->type == WIRE_HEARTBEAT && expected == WIRE_DONE)
				native_answer_heartbeat(comm);
			/*
			 * Only a loop, and a start that waits for others, lasts so long that its side has to send
			 * heartbeats: no other wait is extended by them.
			 */
			if ((header->type == WIRE_HEARTBEAT && expected == WIRE_DONE) || header->type == WIRE_WAIT)
				alive = deadline_sooner(comm_limit(comm), most);
		}
		if (rc)
			return report_wait(comm, rc, expected, most);
	}
}

int native_receive(struct comm *comm, enum wire_type expected, struct wire_message *message)
{
	struct message_header header;
	int rc;

	rc = native_await(comm, expected, &header);
	if (rc)
		return rc;
	rc = native_decode(comm, &header, message);
	if (rc)
		return rc;
	message_drop(&comm->conn, &header);
	return 0;
}

/* --- sending --- */

/* The connection failed while sending; perhaps the peer had said why. Returns the error, reported. */
static int native_explain(struct comm *comm, int error, const char *noun)
{
	int rc;

	if (error == -ECONNRESET) {
		for (size_t before = conn_pending(&comm->conn);
		     !conn_fill_now(&comm->conn, 0) && conn_pending(&comm->conn) > before;)
			before = conn_pending(&comm->conn);
		rc = native_take_end(comm);
		if (rc)
			return rc;
	}
	return comm_report(comm, error, noun);
}

int native_transmit(struct comm *comm, const struct wire_message *message, enum wire_type answer)
{
	const int rc = message_transmit(&comm->conn, &wire_native, message->type, message, comm_limit(comm));

	return rc ? native_explain(comm, rc, wire_native_noun(answer)) : 0;
}

int native_swap(struct comm *comm, struct wire_message *message)
{
	const int rc = native_transmit(comm, message, message->type);

	return rc ? rc : native_receive(comm, message->type, message);
}

int native_post(struct comm *comm, const struct wire_message *message, bool droppable)
{
	const int rc = message_post(&comm->conn, &wire_native, message->type, message, droppable);

	return rc ? native_explain(comm, rc, wire_native_noun(WIRE_RESULT)) : 0;
}
