// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which of those that connect is a client with a test? See lobby.h. */
#include "comm/lobby.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/conversation.h"
#include "comm/rdma_cm.h"
#include "comm/wire.h"
#include "net/pending.h"

struct lobby {
	struct pending pending; /* of struct comm, by their conn */
	struct comm_listener *listener;
	bool greets;
	int64_t timeout_ms; /* of who is served, for its waits */
};

static struct comm *comm_of(struct conn *conn)
{
	return (struct comm *)((char *)conn - offsetof(struct comm, conn));
}

static unsigned watch_listener(void *context, struct pollfd *fds)
{
	const struct comm_listener *listener = ((struct lobby *)context)->listener;
	unsigned count = listener_watch(&listener->tcp, fds);

	if (listener->rdma_cm)
		fds[count++] = (struct pollfd){.fd = rdma_cm_listener_fd(listener->rdma_cm), .events = POLLIN};
	return count;
}

/* Memory is taken when there is somebody to have it: where none is left a guest has to go, and should not for nobody.
 */
static bool is_called(struct lobby *lobby)
{
	struct pollfd fds[PENDING_LISTENER_FDS];

	return poll(fds, watch_listener(lobby, fds), 0) > 0;
}

static int take_in(void *context, struct conn **conn)
{
	struct lobby *lobby = context;
	struct comm *comm;
	int rc;

	if (!is_called(lobby))
		return -EAGAIN;
	comm = calloc(1, sizeof(*comm));
	rc = comm ? comm_accept(comm, lobby->listener, lobby->timeout_ms) : -ENOMEM;
	if (rc)
		free(comm);
	else
		*conn = &comm->conn;
	return rc;
}

/* Reads what is there. What of it is a greeting is answered; the wish stays where comm_read_hello() finds it. */
static enum pending_state hear(void *context, struct conn *conn, char words[PENDING_WORDS_SIZE])
{
	const struct lobby *lobby = context;
	struct comm *comm = comm_of(conn);
	const char *how;
	int rc = conn_fill_ready(conn, comm->greeted ? comm->ops->wish_size(comm) : WIRE_GREETING_SIZE);

	if (!lobby->greets && conn_pending(conn))
		return PENDING_READY;
	if (lobby->greets && !comm->greeted && conn_pending(conn) >= WIRE_GREETING_SIZE) {
		int verdict = comm_answer_greeting(comm, words, PENDING_WORDS_SIZE);

		if (verdict == -EBADMSG)
			return PENDING_LEAVES;
		/* Who can't be served was told so, and so was this side's user. */
		if (verdict)
			return PENDING_READY;
	}
	if (comm->greeted && (!comm->ops->wish_size || conn_pending(conn) >= comm->ops->wish_size(comm)))
		return PENDING_READY;
	if (rc && rc != -ECONNRESET)
		how = strerror(-rc);
	else
		how = rc ? "was closed" : "was silent for too long";
	snprintf(words, PENDING_WORDS_SIZE, "%s before it said %s", how, comm->greeted ? "what it wants" : "who it is");
	return rc ? PENDING_LEAVES : PENDING_STAYS;
}

static void send_away(void *context, struct conn *conn)
{
	struct comm *comm = comm_of(conn);

	(void)context;
	comm_close(comm);
	free(comm);
}

static const struct pending_ops guests = {.accept = take_in, .hear = hear, .drop = send_away};

int lobby_await(struct comm *comm, struct comm_listener *listener, bool greets, int64_t timeout_ms)
{
	struct lobby *lobby = listener->lobby;
	struct conn *conn;
	int rc;

	if (!lobby)
		lobby = listener->lobby = calloc(1, sizeof(*lobby));
	if (!lobby)
		return -ENOMEM;
	lobby->listener = listener;
	lobby->greets = greets;
	lobby->timeout_ms = timeout_ms;
	lobby->pending.ops = &guests;
	lobby->pending.context = lobby;
	lobby->pending.limit_ms = timeout_ms >= 0 && timeout_ms < LOBBY_MS ? timeout_ms : LOBBY_MS;
	/* Nobody heard them while another one was served. */
	pending_renew(&lobby->pending);
	rc = pending_await(&lobby->pending, watch_listener, &conn);
	if (rc)
		return rc;
	*comm = *comm_of(conn);
	free(comm_of(conn));
	return 0;
}

static void end(void *context, struct conn *conn)
{
	struct comm *comm = comm_of(conn);

	if (comm->greeted)
		comm_abort(comm, "it serves another client, or was stopped");
	send_away(context, conn);
}

static const struct pending_ops at_the_end = {.drop = end};

void lobby_close(struct lobby *lobby)
{
	if (!lobby)
		return;
	lobby->pending.ops = &at_the_end;
	pending_close(&lobby->pending);
	free(lobby);
}
