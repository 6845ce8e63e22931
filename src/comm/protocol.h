/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The operations of a protocol. One struct comm_ops per kind of peer, chosen by comm_greet(); the functions are those
 * of perftest_communication.h, which forwards to them.
 */
#pragma once

#include "comm/comm.h"

/* NULL: there is nothing to do, or no peer asks for it. */
struct comm_ops {
	/*
	 * Server: the minimum number of received bytes that contain a client's request, as far as known; NULL: it sends
	 * none. Nothing is reported: the function that reads them does that.
	 */
	size_t (*request_size)(const struct comm *comm);
	/* classic: before the endpoints; natively both agree by messages (comm_traits.negotiates) */
	int (*exchange_sizes)(struct comm *comm, uint32_t *peer_page_bytes);
	int (*exchange_readiness)(struct comm *comm, const struct endpoint *local, unsigned count);
	int (*exchange_endpoints)(struct comm *comm, const struct endpoint *local, struct endpoint *remote,
				  unsigned count);
	int (*compare_clocks)(struct comm *comm);
	int (*barrier)(struct comm *comm, uint32_t tag);
	/* The messages of a test; of a peer that is not native only RESULT, both ways, and to it DONE and HEARTBEAT. */
	int (*transmit)(struct comm *comm, enum wire_type type, const void *own);
	int (*receive)(struct comm *comm, enum wire_type type, void *theirs);
	int (*swap)(struct comm *comm, enum wire_type type, const void *own, void *theirs);
	int (*look)(struct comm *comm);
	void (*abort)(struct comm *comm, const char *reason);
};

/* For both ends of this suite; docs/wire.md. */
extern const struct comm_ops comm_native;
extern const struct comm_traits comm_native_traits;
/* With linux-rdma perftest; docs/wire.md. */
extern const struct comm_ops comm_classic;
extern const struct comm_traits comm_classic_traits; /* 5.70 to 6.29 */

/* An exchange has two turns: in the first the client sends and the server receives, then the other way round. */
#define COMM_TURNS 2

static inline bool comm_sends(const struct comm *comm, unsigned turn)
{
	return comm->client == (turn == 0);
}
