// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Finds a client with a test among the connections. See perftest_communication.h. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comm/cm_link.h"
#include "comm/perftest_communication.h"
#include "comm/protocol.h"
#include "comm/wire.h"
#include "net/pending.h"
#include "util/log.h"

/* So that pending_conn_drop() frees both. */
_Static_assert(offsetof(struct comm, conn) == 0, "the connection is not first");

static struct comm *comm_of(struct conn *conn)
{
	return (struct comm *)conn;
}

int pending_client_accept(struct comm *comm, struct comm_listener *listener, int64_t timeout_ms)
{
	struct conn conn;
	int rc = listener_accept(&listener->tcp, &conn);

	if (rc == -EAGAIN && listener->rdma_cm)
		rc = comm_cm_accept(listener->rdma_cm, &conn);
	if (rc)
		return rc;
	*comm = (struct comm){.channel = {.conn = conn, .timeout_ms = timeout_ms}};
	return 0;
}

static unsigned listener_fds(void *context, struct pollfd *fds)
{
	const struct comm_listener *listener = context;
	unsigned count = listener_poll_fds(&listener->tcp, fds);

	if (listener->rdma_cm)
		fds[count++] = (struct pollfd){.fd = comm_cm_listener_fd(listener->rdma_cm), .events = POLLIN};
	return count;
}

/* Allocates only for a waiting connection: without memory, another one has to be dropped for it. */
static bool is_called(struct comm_listener *listener)
{
	struct pollfd fds[PENDING_LISTENER_FDS];

	return poll(fds, listener_fds(listener, fds), 0) > 0;
}

static int take_in(void *context, struct conn **conn)
{
	struct comm_listener *listener = context;
	struct comm *comm;
	int rc;

	if (!is_called(listener))
		return -EAGAIN;
	comm = calloc(1, sizeof(*comm));
	rc = comm ? pending_client_accept(comm, listener, listener->timeout_ms) : -ENOMEM;
	if (rc)
		free(comm);
	else
		*conn = &comm->conn;
	return rc;
}

/* Invalid data is complete at once: nothing that follows can fix it. */
size_t comm_request_size(const struct comm *comm)
{
	struct message_header header;
	const char *fault;
	int ret;

	if (comm->ops != &comm_native)
		return 0;
	ret = message_front(&comm->conn, comm->channel.protocol, &header, &fault);
	return MESSAGE_HEADER_SIZE + (ret >= 0 && header.type == MESSAGE_HELLO ? header.length : 0);
}

/* Reads what has arrived. A greeting is answered; the request stays for comm_receive(). */
static enum pending_state pending_client_read(void *context, struct conn *conn, char text[PENDING_TEXT_SIZE])
{
	const struct comm_listener *listener = context;
	struct comm *comm = comm_of(conn);
	const char *how;
	int rc = conn_fill_now(conn, comm->greeted ? comm_request_size(comm) : WIRE_GREETING_SIZE);

	if (!listener->greets && conn_pending(conn))
		return PENDING_READY;
	if (listener->greets && !comm->greeted && conn_pending(conn) >= WIRE_GREETING_SIZE) {
		int verdict = comm_answer_greeting(comm, text, PENDING_TEXT_SIZE);

		if (verdict == -EBADMSG)
			return PENDING_LEAVES;
		/* A client that cannot be served was told so, and so was this side's user. */
		if (verdict)
			return PENDING_READY;
	}
	if (comm->greeted && conn_pending(conn) >= comm_request_size(comm))
		return PENDING_READY;
	if (rc && rc != -ECONNRESET)
		how = strerror(-rc);
	else
		how = rc ? "was closed" : "was silent for too long";
	snprintf(text, PENDING_TEXT_SIZE, "%s before it sent %s", how, comm->greeted ? "a request" : "a greeting");
	if (rc)
		return PENDING_LEAVES;
	return comm->greeted ? PENDING_GREETED : PENDING_STAYS;
}

static const struct pending_ops client_ops = {
	.accept = take_in, .receive = pending_client_read, .drop = pending_conn_drop};

static void prepare(struct comm_listener *listener, bool greets, int64_t timeout_ms)
{
	listener->greets = greets;
	listener->timeout_ms = timeout_ms;
	listener->pending.ops = &client_ops;
	listener->pending.context = listener;
	listener->pending.limit_ms = timeout_ms >= 0 && timeout_ms < PENDING_CLIENT_MS ? timeout_ms : PENDING_CLIENT_MS;
}

/* Passes on a client, or reports why there is none. Returns rc. */
static int hand_over(int rc, struct conn *conn, struct comm *comm)
{
	if (!rc) {
		*comm = *comm_of(conn);
		free(comm_of(conn));
	} else if (rc != -EAGAIN && rc != -EINTR && rc != -ENOTCONN) {
		pending_error(rc, "a client");
	}
	return rc;
}

int comm_await_client(struct comm *comm, struct comm_listener *listener, bool greets, int64_t timeout_ms)
{
	struct conn *conn = NULL;
	int rc;

	prepare(listener, greets, timeout_ms);
	pending_renew(&listener->pending); /* they were not read while another one was served */
	rc = pending_await(&listener->pending, listener_fds, &conn);
	return hand_over(rc, conn, comm);
}

int comm_next_client(struct comm *comm, struct comm_listener *listener, int64_t timeout_ms)
{
	struct conn *conn = NULL;
	int rc;

	prepare(listener, true /* greets */, timeout_ms);
	rc = pending_admit(&listener->pending);
	if (!rc)
		rc = pending_take(&listener->pending, &conn);
	return hand_over(rc, conn, comm);
}

unsigned comm_listener_poll_fds(struct comm_listener *listener, struct pollfd *fds, struct deadline *deadline)
{
	const unsigned count = listener_poll_fds(&listener->tcp, fds);

	return count + pending_poll_fds(&listener->pending, fds + count, deadline);
}

static void pending_client_drop(void *context, struct conn *conn)
{
	const struct comm_listener *listener = context;
	struct comm *comm = comm_of(conn);

	if (listener->forgets) {
		close(conn_release(conn));
		free(comm);
		return;
	}
	if (comm->greeted && comm->ops)
		comm->ops->abort(comm, "it is serving another client, or was stopped");
	pending_conn_drop(context, conn);
}

void pending_client_close(struct comm_listener *listener, bool forgets)
{
	static const struct pending_ops ops = {.drop = pending_client_drop};

	listener->forgets = forgets;
	listener->pending.ops = &ops;
	listener->pending.context = listener;
	pending_close(&listener->pending);
}
