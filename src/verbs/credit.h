/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Flow control of SENDs on iWARP, where a message that meets no receive ends the connection (RFC 5041, 7.2) and is not
 * sent again, as it is after the RNR NAK of InfiniBand. Who receives writes now and then into the sender's memory for
 * how many messages it has posted new receives, and who sends is no more messages ahead of that than -r. As linux-rdma
 * perftest has it: 32 bits in the CPU's order, at the address and with the key of the sender's endpoint.
 */
#ifndef VERBS_CREDIT_H
#define VERBS_CREDIT_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#define CREDIT_WRITES 4 /* on their way on a queue pair: its send queue has as much room for them */

struct endpoint;
struct resources;
struct credit_set;

/* Of a queue pair; all numbers go on from run to run, and around after 2^32. */
struct credit {
	volatile uint32_t *told; /* the peer writes there; NULL: nothing is sent */
	uint32_t sent;		 /* messages */

	struct ibv_send_wr wr; /* writes `replaced` to the peer */
	struct ibv_sge sge;
	bool tells;		     /* the peer has said where to */
	volatile uint32_t *replaced; /* messages whose receives were posted anew, as it was told last */
	uint32_t arrived;	     /* messages */
	uint32_t under_way;	     /* writes that are not known to have completed */
} __attribute__((aligned(128)));     /* another thread's is in another cache line */

/* How many messages may be sent now? window: how many meet a receive. */
static inline uint32_t credit_room(const struct credit *credit, uint32_t window)
{
	uint32_t ahead = credit->sent - *credit->told;

	/* More than were sent: a write of the run before has come late, from a peer that counts each run anew. */
	if (__builtin_expect(ahead > INT32_MAX, 0))
		ahead = credit->sent;
	return ahead < window ? window - ahead : 0;
}

/* How many messages have given their place to a new receive? waiting: receives that are posted and not used up. */
static inline uint32_t credit_replaced(const struct credit *credit, uint32_t waiting, uint32_t window)
{
	return credit->arrived + waiting - window;
}

/* Is it time to write that to the peer? all: also of few. */
static inline bool credit_is_due(const struct credit *credit, uint32_t waiting, uint32_t window, bool all)
{
	const int32_t news = (int32_t)(credit_replaced(credit, waiting, window) - *credit->replaced);

	return credit->tells && news > 0 && (all || (uint32_t)news >= window / 3);
}

/* For a peer that begins to count anew with each run. */
static inline void credit_restart(struct credit *credit)
{
	if (credit->told)
		*credit->told = 0;
	*credit->replaced = 0;
	credit->sent = 0;
	credit->arrived = 0;
}

/* Of a device, and a test, that has them. */
bool credit_is_used(const struct resources *resources);
/* For each tx_queue. 0 or -errno, reported. */
int credit_open(struct resources *resources);
/* Where the peer is to write to for this queue pair. */
void credit_describe(const struct resources *resources, unsigned index, struct endpoint *endpoint);
/* The peer's endpoints are known. */
void credit_prepare(struct resources *resources);
void credit_close(struct resources *resources);

#endif
