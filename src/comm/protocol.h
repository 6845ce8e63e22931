/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The operations of a protocol. One struct comm_ops per kind of peer, chosen by comm_greet(); the functions are those
 * of perftest_communication.h, which forwards to them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "comm/comm.h"
#include "util/deadline.h"

/* NULL: there is nothing to do, or no peer asks for it. */
struct comm_ops {
	int (*exchange_endpoints)(struct comm *comm, const struct endpoint *local, struct endpoint *remote,
				  unsigned count);
	int (*compare_clocks)(struct comm *comm);
	int (*barrier)(struct comm *comm, uint32_t tag);
	/*
	 * The messages of a test; of a peer that is not native only RESULT, both ways (without a swap: of nothing), and
	 * to it DONE and ALIVE.
	 */
	int (*transmit)(struct comm *comm, unsigned type, const void *own);
	int (*receive)(struct comm *comm, unsigned type, void *theirs);
	int (*swap)(struct comm *comm, unsigned type, const void *own, void *theirs);
	int (*look)(struct comm *comm);
	void (*abort)(struct comm *comm, const char *reason);
};

/* For both ends of this suite; docs/wire.md. */
extern const struct comm_ops comm_native;
extern const struct comm_traits comm_native_traits;
extern const struct channel_ops native_channel_ops;
/* With linux-rdma perftest; docs/wire.md. */
extern const struct comm_ops comm_classic;
extern const struct comm_traits comm_classic_traits; /* 5.70 to 6.29 */

/* An exchange has two turns: in the first the client sends and the server receives, then the other way round. */
#define COMM_TURNS 2

static inline bool comm_sends(const struct comm *comm, unsigned turn)
{
	return comm->client == (turn == 0);
}

/* The end of a wait that starts now: after timeout_ms, and not after the end of the test. */
static inline struct deadline comm_limit(const struct comm *comm)
{
	return channel_limit(&comm->channel, comm->channel.timeout_ms);
}

/* Until the next barrier, or comparison of clocks, this side makes its peer wait: the peer's time does not count. */
void comm_delay(struct comm *comm);
/* The number of received bytes that have a client's whole request, as far as known; 0: its protocol has none. */
size_t comm_request_size(const struct comm *comm);
/* Reports the wait for a server that accepted the connection but does not say whether it will serve it. */
int comm_report_busy(const struct comm *comm, int error);

/*
 * Can what the peer reports about its loop be true (claim.c, by util/claim.h)? NULL, or what cannot. size: bytes of a
 * message on this side; since_s: since this side was ready at the barrier, after which the peer's loop has begun.
 */
const char *comm_claim_result(double since_s, uint64_t size, const struct comm_result *result);
const char *comm_claim_samples(double since_s, const struct comm_samples *samples);
const char *comm_claim_verdict(const struct comm_verdict *own, const struct comm_verdict *theirs);
/* Bytes and messages per second. */
const char *comm_claim_rates(uint64_t size, double bw, double message_rate);
