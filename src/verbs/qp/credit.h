/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Flow control of SENDs on iWARP. If no receive is posted, a message terminates the connection (RFC 5041, 7.2), whereas
 * on InfiniBand it is retried after an RNR NAK. So the receiver now and then writes the number of messages whose
 * receives it has replaced into the sender's memory, and the sender is never more than -r messages ahead of that.
 * Compatible with linux-rdma perftest: 32 bits in host byte order, at the address and with the rkey of the sender's
 * endpoint.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#define CREDIT_WRITES 4 /* in flight on a QP, whose send queue has this much extra room for them */

struct endpoint;
struct resources;
struct credit_set;

/* Of a QP. All counters continue from run to run and wrap at 2^32. */
struct credit {
	volatile uint32_t *granted; /* written by the peer; NULL: nothing is sent */
	uint32_t sent;		    /* messages */

	struct ibv_send_wr wr; /* writes `replaced` to the peer */
	struct ibv_sge sge;
	bool knows_peer;	     /* the peer has sent the address */
	volatile uint32_t *replaced; /* messages whose receives were replaced, as last written to the peer */
	uint32_t arrived;	     /* messages */
	uint32_t under_way;	     /* writes whose completions have not been seen */
} __attribute__((aligned(128)));     /* threads do not share a cache line */

/* How many messages may be sent now? window: the number of receives that the peer posts. */
static inline uint32_t credit_room(const struct credit *credit, uint32_t window)
{
	uint32_t ahead = credit->sent - *credit->granted;

	/* More than were sent: a late write of the previous run, from a peer that restarts its counters. */
	if (__builtin_expect(ahead > INT32_MAX, 0))
		ahead = credit->sent;
	return ahead < window ? window - ahead : 0;
}

/* How many messages had their receives replaced? waiting: receives that are posted and not consumed. */
static inline uint32_t credit_replaced(const struct credit *credit, uint32_t waiting, uint32_t window)
{
	return credit->arrived + waiting - window;
}

/* Should that number be written to the peer now? all: even if it has changed little. */
static inline bool credit_is_due(const struct credit *credit, uint32_t waiting, uint32_t window, bool all)
{
	const int32_t news = (int32_t)(credit_replaced(credit, waiting, window) - *credit->replaced);

	return credit->knows_peer && news > 0 && (all || (uint32_t)news >= window / 3);
}

/* For a peer that restarts its counters with each run. */
static inline void credit_restart(struct credit *credit)
{
	if (credit->granted)
		*credit->granted = 0;
	*credit->replaced = 0;
	credit->sent = 0;
	credit->arrived = 0;
}

/* Do the device and the test need flow control? */
bool credit_is_used(const struct resources *resources);
/* One struct credit for each tx_queue. 0 or -errno, reported. */
int credit_open(struct resources *resources);
/* Puts the address to which the peer writes for this QP into the endpoint. */
void credit_describe(const struct resources *resources, unsigned index, struct endpoint *endpoint);
/* Is a queue pair held up until the peer reports new receives? window: messages for which there are receives. */
bool credit_is_awaited(const struct resources *resources, uint32_t window);
/* To be called once the peer's endpoints are known. */
void credit_prepare(struct resources *resources);
void credit_close(struct resources *resources);
