// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A side without a side channel: it knows nothing about the other side but the messages that arrive. Nothing is agreed
 * on, no step waits for the peer, and nothing is received from it. For raw Ethernet, whose programs have never had a
 * side channel, and for a multicast receiver with --connectionless.
 */
#include <stdio.h>

#include "comm/perftest_communication.h"
#include "comm/protocol.h"

static int barrier(struct comm *comm, uint32_t tag)
{
	(void)tag;
	comm->peer_done = false;
	return 0;
}

static int silent_swap(struct comm *comm, enum wire_type type, const void *own, void *theirs)
{
	(void)comm;
	(void)type;
	(void)own;
	*(struct comm_result *)theirs = comm_result_of_none();
	return 0;
}

/* Also with linux-rdma perftest, which makes no additional exchange: session_messages_due(). */
static const struct comm_traits traits = {.silent = true, .first_is_no_sample = true};

static const struct comm_ops ops = {
	.barrier = barrier,
	.swap = silent_swap,
};

void comm_open_silent(struct comm *comm, bool client, int64_t timeout_ms)
{
	*comm = (struct comm){
		.conn = {.fd = -1, .role = client ? "server" : "client"},
		.client = client,
		.traits = &traits,
		.timeout_ms = timeout_ms,
		.ops = &ops,
		.greeted = true,
	};
	snprintf(comm->conn.peer, sizeof(comm->conn.peer), "the other side");
}
