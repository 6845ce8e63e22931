// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One message. See classic_message.h. */
#include "comm/classic_message.h"

#include <errno.h>

#include "comm/protocol.h"
#include "util/terminal.h"

struct deadline classic_deadline(const struct comm *comm)
{
	if (!comm->measuring || comm->channel.timeout_ms < 0)
		return comm_limit(comm);
	return channel_limit(&comm->channel,
			     comm->plan.measuring_ms < 0 ? -1 : comm->channel.timeout_ms + comm->plan.measuring_ms);
}

int classic_fail(const struct comm *comm, int error, const char *noun)
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

int classic_await(struct comm *comm, size_t size, enum wire_classic_type type, const char *noun)
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

int classic_receive(struct comm *comm, struct wire_classic_message *message, const char *noun)
{
	const size_t size = wire_classic_size(message->type);
	const char *fault;
	char came[WIRE_CLASSIC_MAX_SIZE + 1];
	int rc;

	rc = classic_await(comm, size, message->type, noun);
	if (rc)
		return rc;
	if (wire_classic_decode(message->type, conn_data(&comm->conn), message, &fault))
		return conn_error(&comm->conn, -EBADMSG, "sent \"%s\" instead of its %s: %s. %s",
				  printable(conn_data(&comm->conn), size, came, sizeof(came)), noun, fault,
				  SAME_OPTIONS);
	conn_consume(&comm->conn, size);
	return 0;
}

int classic_transmit_bytes(struct comm *comm, const uint8_t *bytes, size_t size, const char *noun)
{
	int rc = conn_send(&comm->conn, bytes, size, comm_limit(comm));

	return rc ? classic_fail(comm, rc, noun) : 0;
}

int classic_transmit(struct comm *comm, const struct wire_classic_message *message, const char *noun)
{
	uint8_t bytes[WIRE_CLASSIC_MAX_SIZE];

	wire_classic_encode(message, bytes);
	return classic_transmit_bytes(comm, bytes, wire_classic_size(message->type), noun);
}

int classic_swap(struct comm *comm, const struct wire_classic_message *ours, struct wire_classic_message *theirs,
		 const char *noun)
{
	int rc = 0;

	for (unsigned turn = 0; !rc && turn < COMM_TURNS; turn++)
		rc = comm_sends(comm, turn) ? classic_transmit(comm, ours, noun) : classic_receive(comm, theirs, noun);
	return rc;
}
