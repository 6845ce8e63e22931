// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How do the two ends of a test find each other, and which conversation do they hold? Called by
 * session, in the order of a test. What is said after the greeting is in native.c and classic.c.
 */
#include "comm/perftest_communication.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "comm/conversation.h"
#include "comm/limit.h"
#include "comm/lobby.h"
#include "comm/rdma_cm.h"
#include "comm/rdma_cm_link.h"
#include "comm/wire.h"
#include "net/tcp.h"
#include "util/log.h"
#include "util/printable.h"
#include "util/wait.h"

int comm_listen(struct comm_listener *listener, const struct comm_address *address)
{
	struct rdma_cm_listener *rdma_cm = NULL;
	struct listener tcp;
	int rc;

	/* TCP comes last: whoever sees its port open may come by rdma_cm as well. */
	rc = rdma_cm_listen(&rdma_cm, address);
	if (rc)
		return rc;
	rc = listener_open(&tcp, &address->at, LISTENER_BACKLOG);
	if (rc)
		rdma_cm_unlisten(rdma_cm);
	else
		*listener = (struct comm_listener){.tcp = tcp, .rdma_cm = rdma_cm};
	return rc;
}

void comm_listener_close(struct comm_listener *listener)
{
	lobby_close(listener->lobby);
	rdma_cm_unlisten(listener->rdma_cm);
	listener_close(&listener->tcp);
	*listener = (struct comm_listener){.tcp = listener->tcp};
}

void comm_listener_lend(struct comm_listener *listener)
{
	if (!listener->rdma_cm)
		return;
	rdma_cm_unlisten(listener->rdma_cm);
	listener->rdma_cm = NULL;
	listener->lent = true;
}

int comm_listener_take_back(struct comm_listener *listener, const struct comm_address *address)
{
	if (!listener->lent)
		return 0;
	listener->lent = false;
	return rdma_cm_listen(&listener->rdma_cm, address);
}

int comm_accept(struct comm *comm, const struct comm_listener *listener, int64_t timeout_ms)
{
	struct conn conn;
	int rc = listener_accept(&listener->tcp, &conn);

	if (rc == -EAGAIN && listener->rdma_cm)
		rc = rdma_cm_accept(listener->rdma_cm, &conn);
	if (rc)
		return rc;
	*comm = (struct comm){.conn = conn, .client = false, .timeout_ms = timeout_ms};
	return 0;
}

int comm_await_client(struct comm *comm, struct comm_listener *listener, bool greets, int64_t timeout_ms)
{
	int rc = lobby_await(comm, listener, greets, timeout_ms);

	if (rc && rc != -EINTR)
		log_error("cannot accept a client on port %u: %s", listener->tcp.port, strerror(-rc));
	return rc;
}

/* "Couldn't connect to HOST:PORT", as linux-rdma perftest says it: scripts try again on it. */
static void tell_unreached(const struct address *address)
{
	log_classic("Couldn't connect to %s:%u", address->host, address->port);
}

int comm_connect(struct comm *comm, const struct comm_address *address, int64_t timeout_ms)
{
	struct comm_address to = *address;
	struct conn conn;
	int rc;

	to.at.unreached = tell_unreached;
	rc = to.rdma_cm ? rdma_cm_connect(&conn, &to, timeout_ms) : tcp_connect(&conn, &to.at, timeout_ms);
	if (rc)
		return rc;
	*comm = (struct comm){.conn = conn, .client = true, .timeout_ms = timeout_ms};
	return 0;
}

const char *comm_carrier_name(const struct comm *comm)
{
	return comm->conn.carrier->name;
}

bool comm_is_by_rdma_cm(const struct comm *comm)
{
	return comm->conn.carrier == &carrier_rdma_cm;
}

/* --- greeting --- */

static int send_greeting(struct comm *comm)
{
	const struct wire_greeting ours = {
		.text = WIRE_GREETING_TEXT,
		.native = true,
		.newest = WIRE_NATIVE_NEWEST,
		.oldest = WIRE_NATIVE_OLDEST,
	};
	uint8_t bytes[WIRE_GREETING_SIZE];

	wire_greeting_encode(&ours, bytes);
	return comm_send(comm, bytes, sizeof(bytes));
}

/* A client that waits behind another one is told so. */
static int receive_greeting(struct comm *comm)
{
	const struct deadline deadline = comm_limit(comm), quiet = deadline_in_ms(WAIT_QUIET_MS);
	bool told = !comm->client || quiet.at_ns >= deadline.at_ns;
	char what[192];

	while (conn_pending(&comm->conn) < WIRE_GREETING_SIZE) {
		int rc = conn_fill(&comm->conn, WIRE_GREETING_SIZE, told ? deadline : quiet);

		if (rc == -ETIMEDOUT && !told) {
			snprintf(what, sizeof(what), "%s says nothing yet: it may be serving another client",
				 comm->conn.peer);
			wait_tell(what, deadline);
			told = true;
		} else if (rc) {
			return rc;
		}
	}
	return 0;
}

/* A server that does not greet has usually another client; the kernel accepted this one for it. */
static int report_no_greeting(const struct comm *comm, int error)
{
	if (comm->client && error == -ETIMEDOUT)
		return comm_report_busy(comm, error);
	if (comm->client && error == -ECONNRESET)
		log_error("the server (%s) closed the connection before it said anything: it served another client, "
			  "or is no perftest",
			  comm->conn.peer);
	else
		return comm_report(comm, error, "greeting");
	return error;
}

/* Reports what is wrong with a perftest; what is none (-EBADMSG) is described in words, behind its name. */
static int judge_greeting(struct comm *comm, char *words, size_t size)
{
	const char *role = comm->conn.role, *fault;
	char came[WIRE_GREETING_SIZE + 1];
	struct wire_greeting peer;

	if (wire_classic_is_keys(conn_data(&comm->conn))) {
		log_error("the %s (%s) is a perftest with --dont_xchg_versions: give that to both sides, or to none",
			  role, comm->conn.peer);
		return -EPROTONOSUPPORT;
	}
	if (wire_greeting_decode(conn_data(&comm->conn), &peer, &fault)) {
		snprintf(words, size, "is no perftest, or one with --dont_xchg_versions: it started with \"%s\", %s",
			 printable(conn_data(&comm->conn), WIRE_GREETING_SIZE, came, sizeof(came)), fault);
		return -EBADMSG;
	}
	if (!peer.native && peer.version < WIRE_CLASSIC_OLDEST) {
		log_error("the %s (%s) is linux-rdma perftest %s, and this program talks to 5.70 and later ones", role,
			  comm->conn.peer, peer.text);
		return -EPROTONOSUPPORT;
	}
	if (!peer.native) {
		conn_consume(&comm->conn, WIRE_GREETING_SIZE);
		memcpy(comm->peer_version, peer.text, sizeof(comm->peer_version));
		comm->traits = &comm_classic_traits;
		comm->ops = &comm_classic;
		return 0;
	}
	if (peer.oldest > WIRE_NATIVE_NEWEST || peer.newest < WIRE_NATIVE_OLDEST) {
		log_error("the %s (%s) speaks versions %u to %u of the protocol, this program %u to %u: "
			  "run the same perftest on both sides",
			  role, comm->conn.peer, peer.oldest, peer.newest, WIRE_NATIVE_OLDEST, WIRE_NATIVE_NEWEST);
		return -EPROTONOSUPPORT;
	}
	conn_consume(&comm->conn, WIRE_GREETING_SIZE);
	memcpy(comm->peer_version, peer.text, sizeof(comm->peer_version));
	comm->protocol = peer.newest < WIRE_NATIVE_NEWEST ? peer.newest : WIRE_NATIVE_NEWEST;
	comm->traits = &comm_native_traits;
	comm->ops = &comm_native;
	return 0;
}

/* The client speaks first, as classic peers expect it. */
int comm_greet(struct comm *comm)
{
	char words[256];
	int rc;

	if (comm->greeted)
		return comm->verdict;
	rc = comm->client ? send_greeting(comm) : 0;
	if (!rc)
		rc = receive_greeting(comm);
	if (rc)
		return report_no_greeting(comm, rc);
	rc = comm_answer_greeting(comm, words, sizeof(words));
	if (rc == -EBADMSG)
		log_error("the %s (%s) %s", comm->conn.role, comm->conn.peer, words);
	return rc;
}

int comm_answer_greeting(struct comm *comm, char *words, size_t size)
{
	int rc = judge_greeting(comm, words, size);

	comm->greeted = rc != -EBADMSG;
	/* A perftest of another kind or version gets our greeting as well: it can then say the same. */
	if (!comm->client && rc != -EBADMSG) {
		int sent = send_greeting(comm);

		if (sent && !rc)
			rc = comm_report(comm, sent, "parameters");
	}
	comm->verdict = rc;
	return rc;
}

void comm_bound(struct comm *comm, int64_t ms)
{
	comm->end = deadline_in_ms(ms);
}

void comm_assume_classic(struct comm *comm)
{
	comm->traits = &comm_classic_traits;
	comm->unversioned = true;
	comm->ops = &comm_classic;
}

/* --- after it --- */

int comm_settle(struct comm *comm, const struct comm_plan *plan, uint32_t *peer_page_bytes)
{
	comm->plan = *plan;
	return comm->ops->settle(comm, peer_page_bytes);
}

int comm_ask(struct comm *comm, const struct comm_hello *hello, struct comm_hello *answer)
{
	return comm->ops->ask(comm, hello, answer);
}

int comm_read_hello(struct comm *comm, struct comm_hello *hello)
{
	return comm->ops->read_hello(comm, hello);
}

int comm_agree(struct comm *comm, const struct comm_hello *answer)
{
	return comm->ops->agree(comm, answer);
}

int comm_refuse(struct comm *comm, const char *reason)
{
	return comm->ops->refuse(comm, reason);
}

void comm_hello_clear(struct comm_hello *hello)
{
	free(hello->params);
	*hello = (struct comm_hello){0};
}

int comm_announce(struct comm *comm, const struct endpoint *local, unsigned count)
{
	return comm->ops->announce(comm, local, count);
}

int comm_exchange_endpoints(struct comm *comm, const struct endpoint *local, struct endpoint *remote, unsigned count)
{
	return comm->ops->exchange_endpoints(comm, local, remote, count);
}

int comm_barrier(struct comm *comm, uint32_t tag)
{
	return comm->ops->barrier(comm, tag);
}

int comm_exchange_result(struct comm *comm, const struct comm_result *local, struct comm_result *remote)
{
	return comm->ops->exchange_result(comm, local, remote);
}

bool comm_validates(const struct comm *comm)
{
	return comm->ops->send_round != NULL;
}

int comm_send_round(struct comm *comm, const struct comm_round *round)
{
	return comm->ops->send_round(comm, round);
}

int comm_receive_round(struct comm *comm, struct comm_round *round)
{
	return comm->ops->receive_round(comm, round);
}

int comm_exchange_verdict(struct comm *comm, const struct comm_verdict *local, struct comm_verdict *remote)
{
	return comm->ops->exchange_verdict(comm, local, remote);
}

int comm_send_done(struct comm *comm, const struct comm_done *done)
{
	return comm->ops->send_done(comm, done);
}

int comm_send_heartbeat(struct comm *comm)
{
	return comm->ops->send_heartbeat(comm);
}

int comm_look(struct comm *comm)
{
	if (comm_is_over(comm))
		return comm_report(comm, -ETIMEDOUT, "end");
	return comm->ops->look(comm);
}

int comm_wait(struct comm *comm, int64_t timeout_ms)
{
	return conn_wait(&comm->conn, POLLIN, deadline_in_ms(timeout_ms));
}

uint32_t comm_round_trip_us(const struct comm *comm)
{
	struct tcp_info info = {0};
	socklen_t size = sizeof(info);

	if (comm->conn.carrier != &carrier_tcp || getsockopt(comm->conn.fd, IPPROTO_TCP, TCP_INFO, &info, &size))
		return 0;
	return info.tcpi_rtt;
}

int comm_wait_done(struct comm *comm)
{
	return comm->ops->wait_done(comm);
}

void comm_abort(struct comm *comm, const char *reason)
{
	if (comm->conn.in && comm->ops)
		comm->ops->abort(comm, reason);
}

void comm_close(struct comm *comm)
{
	conn_close(&comm->conn);
	*comm = (struct comm){.conn.fd = -1};
}
