/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Traffic: which side does what in a test. Only traffic_of() derives it from the kind of test and the side: what this
 * side posts, receives, polls and reports, and what the peer does. It reads nothing else and has no side effects.
 */
#pragma once

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
	METRIC_STEERING, /* how long the device takes for a steering rule; no messages */
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
	bool forwards;		      /* METRIC_BW, bidirectional: the server sends back what arrives */
	bool bursts;		      /* METRIC_LAT: messages in bursts, of which only some are answered */
	bool open_loop;		      /* METRIC_LAT: requests are sent on schedule, several in flight */
};

struct traffic {
	enum verb verb;
	enum metric metric;
	const struct transport_traits *transport;
	enum ibv_wr_opcode opcode; /* of posted requests */

	/* --- the same on both sides --- */
	bool ping_pong;	  /* a message is answered by a message, and that by the next */
	bool bursts;	  /* many messages are sent at once, and every n-th is answered */
	bool round_trips; /* a sample is a message and its answer: half of it is the latency */
	bool open_loop;	  /* requests are sent on schedule, whether or not earlier ones were answered */
	bool echoes;	  /* ... and the other side answers each with a message */
	bool numbered;	  /* ... which may be lost or overtaken: each has its number */
	bool pulls;	  /* READ and atomics: the data is on the side that does not post */
	bool arrivals;	  /* messages consume receives */
	/* a message is detected by its last byte, which the other side's CPU polls; it has no completion there */
	bool polls_memory;

	/* --- this side --- */
	bool active;	/* the only initiator, or with -b the client */
	bool initiator; /* its messages are measured; with -b those of both sides */
	bool target;	/* it receives measured messages; with -b both sides do */
	bool posts;	/* sends, writes, reads or atomics: an initiator, or the answering side */
	bool receives;	/* it posts receives */
	bool forwards;	/* it posts what it received */
	bool begins;	/* it posts the first message of the test */
	bool samples;	/* it has the samples of a latency test */
	bool measures;	/* it runs a loop */
	bool reports;	/* its own figures; otherwise those of the peer */
	bool source;	/* data is read from its memory */
	bool sink;	/* data is written to its memory */
	/*
	 * Its initiator and target QPs have different types (XRC), and it has both, as many of each as there are queue
	 * pairs: in latency tests and with -b, even if one of them is unused, as linux-rdma perftest expects.
	 */
	bool splits;

	/* --- the other side --- */
	bool peer_posts;    /* and so its requests access this side's memory, or receives */
	bool peer_measures; /* it runs a loop, and says when that is over */
};

struct traffic traffic_of(const struct traffic_spec *spec, enum side side);

/*
 * In an open loop that polls memory: the number of slots for messages of this size, a power of two, which limits those
 * in flight. It depends only on the size, so that both sides agree. The stride of slots: *step bytes, a power of two.
 */
uint32_t traffic_slots(uint64_t size, uint32_t *step);

/* Does a work request address memory of the peer? */
static inline bool traffic_opcode_is_one_sided(enum ibv_wr_opcode opcode)
{
	return opcode != IBV_WR_SEND && opcode != IBV_WR_SEND_WITH_IMM;
}

/* --- sweep.c: the message sizes of a run, of -a and --sizes; the values of a loop of qperf --- */

#define SWEEP_MOST_SIZES 1000

struct sweep {
	uint64_t first, last; /* sizes: bytes, 1 to 2^31; last may be no size of it, but limits them */
	uint64_t step;	      /* at least 1; to multiply by 2 */
	bool multiplies;      /* by step; otherwise it is added */
};

/* Does size have a next one, up to largest? Writes it only then. */
bool sweep_next(const struct sweep *sweep, uint64_t largest, uint64_t *size);
/* How many sizes there are up to this one; SWEEP_MOST_SIZES + 1: more than so many. */
unsigned sweep_count(const struct sweep *sweep, uint64_t largest);
