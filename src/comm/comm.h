/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The data of a test's side channel: the connection, what is known of its peer, and what both ends tell each other. The
 * functions are in perftest_communication.h for session, and in the headers beside it for this layer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/channel.h"
#include "net/listener.h"
#include "net/message.h"
#include "net/pending.h"
#include "stats/series.h"
#include "traffic/traffic.h"
#include "util/deadline.h"
#include "util/device_identity.h"
#include "util/endpoint.h"
#include "util/run_id.h"

struct comm_ops; /* the message format: native, or that of classic linux-rdma perftest */

/* Points that both sides reach together; numbered, so that sides that are out of step notice. */
enum comm_point {
	COMM_CONNECTED = 1, /* the queue pairs are connected */
	COMM_CLOSE = 2,	    /* both sides no longer use them */
	COMM_SIZE = 16,	    /* of the first message size; the others follow */
};

/*
 * The messages of the native protocol, for comm_transmit() and the like: HELLO and AGREE (struct comm_hello), RESULT
 * (struct comm_result), DONE (struct comm_done) and the others of enum message_type, and these.
 */
enum wire_type {
	WIRE_ROUND = MESSAGE_OWN, /* --data_validation: struct comm_round, the number of messages that follow */
	WIRE_VERDICT,		  /* ... and struct comm_verdict, the errors found in them */
	WIRE_PORTS,		  /* --report-per-port: each port's part of a result */
	WIRE_WAIT,		  /* uint32_t, how many others are awaited before a barrier */
	WIRE_SAMPLES,		  /* struct comm_samples of a latency test, for a sum */
	WIRE_CLOCK,		  /* compares both sides' clocks, before a barrier */
};

struct comm_address {
	struct address at;
	/* Client: with rdma_cm, not TCP. Server: rdma_cm is required; otherwise it listens for both if it can. */
	bool rdma_cm;
	bool tcp_only;	 /* Server: TCP only: opens nothing that a fork would share */
	uint8_t program; /* Client: of its greeting; 0: it does not say */
	/* Client with rdma_cm and no bind_ip: returns where to start from to a peer; NULL: the kernel chooses. */
	const char *(*find_source)(const void *owner, const struct sockaddr *peer, char *text, size_t size);
	const void *owner;
};

struct comm_cm_listener;

struct comm_listener {
	struct listener tcp;
	struct comm_cm_listener *rdma_cm; /* NULL: TCP only, or shared */
	bool shared;			  /* comm_listener_share() */
	/* --- of pending_client.c --- */
	struct pending pending; /* connected and not served yet: each a struct comm, by its conn */
	bool greets;
	bool forgets;	    /* while it is closed */
	int64_t timeout_ms; /* of the client that is served, for its waits */
};

/* How a side's loop ended. */
struct comm_done {
	uint64_t messages; /* number that it sent; no more follow */
	bool stopped;	   /* by its user, before the end: it accepts no more of the other side's either */
};

/* What this side must know about a classic peer, whose messages do not identify themselves. */
struct comm_plan {
	/* of this side: whether it is active (with -b both are), and messages consume receives */
	struct traffic traffic;
	bool bidirectional;
	bool all_sizes;
	bool by_time;
	bool endless;	      /* until the user of the active side stops it */
	bool rdma_cm;	      /* rdma_cm connects the queue pairs, and disconnects them */
	uint32_t mtu;	      /* bytes, as this side offers */
	uint32_t page_bytes;  /* of this host */
	uint32_t cache_line;  /* of this host, bytes */
	double bw_unit;	      /* bytes per second, of the unit in which both sides print bandwidth */
	int64_t measuring_ms; /* the peer may take longer than timeout_ms by this while it measures; < 0: no limit */
};

/* What a test may need of the peer, and not every protocol supports. */
enum comm_ability {
	COMM_VALIDATES,	     /* --data_validation */
	COMM_REPEATS,	     /* --repeat, --until */
	COMM_FRAMES,	     /* --side_channel: raw Ethernet */
	COMM_JOINS,	     /* it is measured together with others */
	COMM_OPEN_LOOP,	     /* --rate */
	COMM_SIZES,	     /* --sizes */
	COMM_LATENCY_QUEUES, /* latency on several queue pairs */
	COMM_ABILITIES,
};

/* What a peer's protocol supports, and how its programs differ from ours: no code asks who the peer is. */
struct comm_traits {
	const char *name;		   /* of the programs that use it, if they lack something */
	const char *lacks[COMM_ABILITIES]; /* "which can't ..."; NULL: supported */
	/* there is no side channel: nothing is received, and each side uses its own options */
	bool silent;
	/*
	 * Options are sent, and both ends agree on them; otherwise each uses its own, chooses IPv4's GID unless --ipv6
	 * is given, lets rdma_cm connect the queue pairs before keys are exchanged, and has no receives for warm-up
	 * messages.
	 */
	bool negotiates;
	bool announces_done; /* says when it is done, how many messages it sent, and why it ends early */
	/* Its figures, of each size of a sweep, also in a run without end, and of both directions by time; and facts.
	 */
	bool sends_results;
	bool starts_at_barrier;	 /* measures from the barrier; otherwise later, after calibrating its clock */
	bool first_is_no_sample; /* a ping-pong by number makes one exchange more than it has samples */
	bool takes_turns;	 /* with --latency_gap, and knows the mark of a delayed message */
	/*
	 * on iWARP: counts credits from one run to the next, and grants them until all has arrived; otherwise each run
	 * counts by itself, and a receiver by time grants none after its own clock has ended it
	 */
	bool credits_last;
};

struct comm {
	union {
		struct channel channel; /* conversing with a native peer; of another one it has the limits */
		struct conn conn;	/* its first member: TCP, or the queue pair of a struct comm_cm_link */
	};
	bool client;
	uint8_t program;		  /* of the client, in its greeting; 0: not said */
	const struct comm_traits *traits; /* of the peer's protocol; NULL before comm_greet() */
	/* Duration of the peer's loop by time; 0: unknown. Its heartbeats extend a wait up to this plus timeout_ms. */
	int64_t loop_ms;
	int64_t start_ms; /* a peer that waits for others may delay a start this long, or timeout_ms */
	bool per_port;	  /* results contain those of two ports: requested on both sides */
	const struct comm_ops *ops;
	char peer_version[17]; /* as it reports it */
	bool greeted;	       /* both have exchanged versions: */
	int verdict;	       /* ... and this is what comm_greet() returned */
	bool peer_done;	       /* a DONE was received: done is valid */
	bool peer_gone;	       /* a look found the connection at its end, and has not reported it yet */
	struct comm_done done;
	uint64_t interim; /* messages that arrived while a loop ran; a classic peer sends none */
	/*
	 * The moment before a measurement from which both sides tell their times, by this side's CLOCK_MONOTONIC_RAW,
	 * and by how much the peer's differs from it at most; 0: not known. From comm_compare_clocks().
	 */
	int64_t epoch_ns, epoch_error_ns;
	bool gathers; /* a WAIT was received: the peer measures with several at once */
	/* ... and waited for this many of them, as last reported to this side's user */
	uint32_t missing;
	struct deadline quiet; /* ... and is not reported again before that */
	/* --- of this layer --- */
	int64_t ready_ns; /* when this side was last ready at a barrier, CLOCK_MONOTONIC_RAW; 0: never */
	/* Since when this side delays its peer, CLOCK_MONOTONIC; 0: it does not. Meanwhile the test has no end but
	 * then. */
	int64_t held_ns;
	struct deadline held_end;
	/* --- classic --- */
	bool unversioned; /* versions, page sizes and MTUs are not exchanged */
	bool cm_markers;  /* with rdma_cm: keys have the 64 bytes of 6.29, rather than 56 */
	bool measuring;	  /* the first measurement may have begun */
	bool over;	  /* this side's user ended the test, for which there is no message: nothing more is sent */
	struct comm_plan plan;
	uint32_t peer_mtu;	      /* bytes, 0: unknown */
	const struct endpoint *local; /* from comm_exchange_endpoints(): repeated once connected, and by barriers */
	struct endpoint *remote;      /* what the peer repeats */
	unsigned num_endpoints;
};

#define COMM_UNKNOWN UINT64_MAX

/* What a client requests of a server. */
struct comm_hello {
	char program[32]; /* "ib_write_bw" */
	char version[32]; /* of the suite */
	char host[64];	  /* name of the machine, for the report */
	char *params;	  /* params_export() text; owned by the struct and freed by comm_hello_clear() */
	struct site site;
	uint64_t process; /* its number on that machine; COMM_UNKNOWN: unknown */
	/* of the run: the one that the client has drawn; in the answer the one that counts */
	struct run_id run_id;
	char provenance[PROVENANCE_SIZE]; /* provenance_write(); "": unknown */
};

/* What both sides tell each other after one message size. */
struct comm_result {
	uint64_t size;
	uint64_t iterations;
	double bw_peak;	     /* bytes per second; 0 not measured */
	double bw_average;   /* bytes per second */
	double message_rate; /* messages per second */
	bool partial;
	uint64_t received; /* messages, also outside the measured time; COMM_UNKNOWN: unknown */
	/* Nanoseconds from the epoch to the start of the measured time, and of that time; COMM_UNKNOWN: unknown. */
	uint64_t begin_ns, elapsed_ns;
	uint64_t arrived; /* with -b, of received those in the measured time; COMM_UNKNOWN: unknown */
	bool last;	  /* last size; not sent */
	/* For each of two ports, if both sides report them (comm->per_port); otherwise zero. */
	struct comm_port {
		double bw_average;   /* bytes per second */
		double message_rate; /* messages per second */
	} ports[2];
};

/* A result without that which not every peer tells. */
static inline struct comm_result comm_result_of_none(void)
{
	return (struct comm_result){.received = COMM_UNKNOWN,
				    .begin_ns = COMM_UNKNOWN,
				    .elapsed_ns = COMM_UNKNOWN,
				    .arrived = COMM_UNKNOWN};
}

/* The samples of a latency test, for a peer that adds up those of several. */
struct comm_samples {
	double tick_seconds;	 /* the unit of a sample */
	struct latency *latency; /* when reading, empty */
};

/* --data_validation: the next round. */
struct comm_round {
	uint32_t messages; /* per queue pair, for which the sender of this is ready; 0: there is no next round */
	uint32_t granule;  /* a round has a multiple of this many */
};

/* --data_validation: the errors that a side found in the messages of the other, for one message size. */
struct comm_verdict {
	uint64_t checked; /* messages, in full */
	uint64_t bytes;	  /* of them */
	uint64_t lost;	  /* messages that the transport may lose, and did */
	uint64_t wrong;	  /* messages: those checked, and those that are required and missing */
	uint32_t qp;	  /* of the first wrong one: its index, message number, and the first wrong byte */
	uint64_t message;
	uint64_t offset;

	/* Not sent: what a side knows of the messages, which the other's verdict has to fit. */
	uint64_t size;	/* bytes of one */
	uint64_t moved; /* in either direction */
	uint64_t sent;	/* of them, to the other */
	uint64_t due;	/* of these, in rounds that were complete: the other has checked them */
	bool may_lose;
};
