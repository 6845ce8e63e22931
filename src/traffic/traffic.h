/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Traffic: who does what in a test? traffic_of() derives it from the kind of test and the side, and no other code does:
 * what this side posts, receives, polls and reports, and what the peer does. It reads nothing else and has no effect.
 */
#ifndef TRAFFIC_TRAFFIC_H
#define TRAFFIC_TRAFFIC_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "traffic/transport.h"

enum verb {
	VERB_SEND,
	VERB_WRITE,
	VERB_READ,
	VERB_ATOMIC,
};

enum metric {
	METRIC_BW,
	METRIC_LAT,
	METRIC_STEERING, /* what the device takes for a steering rule; no message moves */
};

enum atomic_type { ATOMIC_CMP_AND_SWAP, ATOMIC_FETCH_AND_ADD };

enum side { SIDE_CLIENT, SIDE_SERVER };

/* The kind of test, the same on both sides. */
struct traffic_spec {
	enum verb verb;
	enum metric metric;
	enum transport transport;
	enum atomic_type atomic_type; /* VERB_ATOMIC */
	bool with_imm;		      /* SEND or WRITE with immediate data */
	bool bidirectional;	      /* -b; METRIC_BW only */
	bool reversed;		      /* --reversed: the server is the initiator */
	bool forwards;		      /* METRIC_BW, bidirectional: the server sends back what comes */
	bool bursts;		      /* METRIC_LAT: messages in bursts, some of which are answered */
	bool open_loop;		      /* METRIC_LAT: requests leave on schedule, several in flight */
};

struct traffic {
	enum verb verb;
	enum metric metric;
	const struct transport_traits *transport;
	enum ibv_wr_opcode opcode; /* of what is posted */

	/* --- the same on both sides --- */
	bool ping_pong;	   /* a message is answered by a message, and that by the next */
	bool bursts;	   /* many messages are sent at once, and every so many answered by one */
	bool round_trips;  /* a sample is of a message and its answer: half of it is the latency */
	bool open_loop;	   /* requests leave on schedule, whether those before them are answered or not */
	bool echoes;	   /* ... and the other side answers each with a message */
	bool numbered;	   /* ... of which some may be lost: each has its number as immediate data */
	bool pulls;	   /* READ and atomics: the data lies with the side that does not post */
	bool arrivals;	   /* messages consume receives */
	bool polls_memory; /* a message shows in its last byte, which the other side's CPU polls; nothing completes */

	/* --- this side --- */
	bool active;	/* the only initiator, or with -b the one of both that is the client */
	bool initiator; /* its messages are the measured ones; with -b those of both sides */
	bool target;	/* measured messages go to it; with -b to both */
	bool posts;	/* sends, writes, reads or atomics: an initiator, or who answers */
	bool receives;	/* it posts receives */
	bool forwards;	/* what it posts is what it received */
	bool begins;	/* it posts the first message of all */
	bool samples;	/* it has the samples of a latency test */
	bool measures;	/* it runs a loop */
	bool reports;	/* its own figures; otherwise those that the peer measured */
	bool source;	/* data comes from its memory */
	bool sink;	/* data comes to its memory */
	/*
	 * Its initiator and target QPs are of two types (XRC), and it has both, as many of each as there are queue
	 * pairs: in latency tests and with -b, also where one of them has nothing to do, as linux-rdma perftest counts
	 * on.
	 */
	bool splits;

	/* --- the other side --- */
	bool peer_posts;    /* and so this side has memory, or receives, that its requests reach */
	bool peer_measures; /* it runs a loop, and tells when that is over */
};

struct traffic traffic_of(const struct traffic_spec *spec, enum side side);

/*
 * Of an open loop by memory: the slots for messages of this size, a power of two, which bounds those in flight. By the
 * size alone, so that both sides come to the same. The step from one to the next: *step bytes, a power of two.
 */
uint32_t traffic_slots(uint64_t size, uint32_t *step);

/* Of a work request: does it name memory of the peer? */
static inline bool traffic_opcode_is_one_sided(enum ibv_wr_opcode opcode)
{
	return opcode != IBV_WR_SEND && opcode != IBV_WR_SEND_WITH_IMM;
}

#endif
