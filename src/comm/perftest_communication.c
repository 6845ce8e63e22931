// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How the two ends of a test connect, and which conversation they use. Called by session, in the order of a test. The
 * messages after the greeting are in native.c and classic.c.
 */
#include "comm/perftest_communication.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "comm/cm_link.h"
#include "comm/protocol.h"
#include "net/listener.h"
#include "net/tcp.h"
#include "util/log.h"
#include "util/wait.h"

int comm_listen(struct comm_listener *listener, const struct comm_address *address)
{
	struct comm_cm_listener *rdma_cm = NULL;
	struct address at = address->at;
	struct listener tcp;
	int rc = 0;

	/* TCP comes last: a client that sees its port open may also connect with rdma_cm. */
	if (!address->tcp_only && !passed_has())
		rc = comm_cm_listen(&rdma_cm, address);
	if (rc)
		return rc;
	/* Who asks for rdma_cm is content with that where another program has the port for TCP. */
	at.may_be_in_use = address->rdma_cm || comm_cm_takes_tcp(rdma_cm);
	rc = listener_open(&tcp, &at, LISTENER_BACKLOG);
	if (rc)
		comm_cm_unlisten(rdma_cm);
	else
		*listener = (struct comm_listener){.tcp = tcp, .rdma_cm = rdma_cm};
	return rc;
}

void comm_listener_close(struct comm_listener *listener)
{
	pending_client_close(listener, false /* forgets */);
	comm_cm_unlisten(listener->rdma_cm);
	listener_close(&listener->tcp);
	*listener = (struct comm_listener){.tcp = listener->tcp};
}

void comm_listener_share(struct comm_listener *listener)
{
	if (!listener->rdma_cm)
		return;
	comm_cm_unlisten(listener->rdma_cm);
	listener->rdma_cm = NULL;
	listener->shared = true;
}

int comm_listener_take_back(struct comm_listener *listener, const struct comm_address *address)
{
	if (!listener->shared)
		return 0;
	listener->shared = false;
	return comm_cm_listen(&listener->rdma_cm, address);
}

void comm_listener_forget(struct comm_listener *listener)
{
	pending_client_close(listener, true /* forgets */);
	listener_close(&listener->tcp);
	*listener = (struct comm_listener){.tcp = listener->tcp};
}

void comm_forget(struct comm *comm)
{
	close(conn_release(&comm->conn));
	*comm = (struct comm){.channel.conn.fd = -1};
}

/* "Couldn't connect to HOST:PORT", as linux-rdma perftest prints it: scripts retry on it. */
static void report_unreached(const struct address *address)
{
	log_classic("Couldn't connect to %s:%u", address->host, address->port);
}

int comm_connect(struct comm *comm, const struct comm_address *address, int64_t timeout_ms)
{
	struct comm_address to = *address;
	struct conn conn;
	int rc;

	to.at.unreached = report_unreached;
	to.at.refused = "; a server without --keep_serving does not listen while it serves another client";
	rc = to.rdma_cm ? comm_cm_connect(&conn, &to, timeout_ms) : tcp_connect(&conn, &to.at, timeout_ms);
	if (rc)
		return rc;
	*comm = (struct comm){
		.channel = {.conn = conn, .timeout_ms = timeout_ms}, .client = true, .program = address->program};
	return 0;
}

const char *comm_carrier_name(const struct comm *comm)
{
	/* Without one, what linux-rdma perftest prints. */
	return comm->conn.carrier ? comm->conn.carrier->name : carrier_tcp.name;
}

bool comm_is_by_rdma_cm(const struct comm *comm)
{
	return comm->conn.carrier == &carrier_rdma_cm;
}

/* --- after it --- */

void comm_hello_clear(struct comm_hello *hello)
{
	free(hello->params);
	*hello = (struct comm_hello){0};
}

int comm_exchange_endpoints(struct comm *comm, const struct endpoint *local, struct endpoint *remote, unsigned count)
{
	return comm->ops->exchange_endpoints(comm, local, remote, count);
}

void comm_delay(struct comm *comm)
{
	if (comm->held_ns)
		return;
	comm->held_ns = deadline_in_ms(0).at_ns;
	comm->held_end = comm->channel.end;
	comm->channel.end.at_ns = 0;
}

static void comm_resume(struct comm *comm)
{
	if (!comm->held_ns)
		return;
	comm->channel.end = comm->held_end;
	if (comm->channel.end.at_ns)
		deadline_postpone(&comm->channel.end, deadline_in_ms(0).at_ns - comm->held_ns);
	comm->held_ns = 0;
}

#define GATHERING_MS 3600000 /* the longest that a peer may delay a start for others, unless --timeout is longer */

void comm_bound(struct comm *comm, int64_t loop_ms, struct deadline end, bool per_port)
{
	comm->loop_ms = loop_ms;
	comm->start_ms = GATHERING_MS;
	comm->channel.end = end;
	comm->per_port = per_port;
}

int comm_compare_clocks(struct comm *comm)
{
	comm_resume(comm);
	comm->epoch_ns = comm->epoch_error_ns = 0;
	return comm->ops->compare_clocks ? comm->ops->compare_clocks(comm) : 0;
}

int comm_barrier(struct comm *comm, uint32_t tag)
{
	int ret;

	comm_resume(comm);
	ret = comm->ops->barrier ? comm->ops->barrier(comm, tag) : 0;
	comm->peer_done = false;
	return ret;
}

int comm_transmit(struct comm *comm, unsigned type, const void *own)
{
	return comm->ops->transmit ? comm->ops->transmit(comm, type, own) : 0;
}

int comm_receive(struct comm *comm, unsigned type, void *theirs)
{
	return comm->ops->receive ? comm->ops->receive(comm, type, theirs) : 0;
}

int comm_swap(struct comm *comm, unsigned type, const void *own, void *theirs)
{
	if (comm->ops->swap)
		return comm->ops->swap(comm, type, own, theirs);
	*(struct comm_result *)theirs = comm_result_of_none();
	return 0;
}

int comm_look(struct comm *comm)
{
	if (channel_test_is_over(&comm->channel))
		return channel_report(&comm->channel, -ETIMEDOUT, "end");
	return comm->ops->look ? comm->ops->look(comm) : 0;
}

int comm_wait_beside(struct comm *comm, int fd, int64_t timeout_ms)
{
	struct pollfd fds[1 + CARRIER_FDS] = {{.fd = fd, .events = POLLIN}};
	struct conn *conn = &comm->conn;
	int added = conn->carrier->poll_fds(conn, POLLIN, fds + 1), rc;

	if (added <= 0)
		return 0;
	rc = wait_fds(fds, 1 + (unsigned)added, deadline_in_ms(timeout_ms));
	if (!rc && conn->carrier->wake)
		conn->carrier->wake(conn, fds + 1);
	return rc;
}

void comm_abort(struct comm *comm, const char *reason)
{
	if (comm->conn.in && comm->ops && comm->ops->abort)
		comm->ops->abort(comm, reason);
}

void comm_close(struct comm *comm)
{
	conn_close(&comm->conn);
	*comm = (struct comm){.channel.conn.fd = -1};
}

/*
 * --- a side without a side channel ---
 *
 * It knows nothing about the other side but the messages that arrive. Nothing is agreed on, no step waits for the peer,
 * and nothing is received from it. For raw Ethernet, whose programs have never had a side channel, and for a multicast
 * receiver with --connectionless.
 */

/* Also with linux-rdma perftest, which makes no additional exchange: session_messages_due(). */
static const struct comm_traits traits = {.silent = true, .first_is_no_sample = true};

static const struct comm_ops ops;

void comm_open_silent(struct comm *comm, bool client)
{
	*comm = (struct comm){
		.channel = {.conn = {.fd = -1, .role = client ? "server" : "client"}},
		.client = client,
		.traits = &traits,
		.ops = &ops,
		.greeted = true,
	};
	snprintf(comm->conn.peer, sizeof(comm->conn.peer), "the other side");
}
