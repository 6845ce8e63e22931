/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The side channel of a test, as data: the connection with what is known of its peer, and what both ends tell each
 * other. What is done with them is in perftest_communication.h for session, and in the headers beside it for this
 * layer.
 */
#ifndef COMM_COMM_H
#define COMM_COMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/conn.h"
#include "net/listener.h"
#include "traffic/traffic.h"
#include "util/deadline.h"
#include "util/endpoint.h"
#include "util/site.h"

struct comm_ops; /* how messages look: native, or classic linux-rdma perftest */

/* Points that both sides reach together; numbered, so that sides that lost step notice. */
enum comm_point {
	COMM_CONNECTED = 1, /* the queue pairs are connected */
	COMM_CLOSE = 2,	    /* both sides are done with them */
	COMM_SIZE = 16,	    /* of the first message size; the next ones follow */
};

struct comm_address {
	struct address at;
	/* Client: by rdma_cm, not TCP. Server: rdma_cm must be there; it always listens for both where it can. */
	bool rdma_cm;
	bool tcp_only; /* Server: for TCP, whatever else there is: nothing is opened that a fork would share */
	/* Client by rdma_cm without bind_ip: where to start from, for IPv4 and for IPv6; NULL: the kernel chooses. */
	const char *source_ip[2];
};

struct rdma_cm_listener;
struct pending_clients; /* pending_client.c */

struct comm_listener {
	struct listener tcp;
	struct rdma_cm_listener *rdma_cm; /* NULL: for TCP only, or lent */
	bool lent;			  /* comm_listener_lend() */
	struct pending_clients *clients;  /* who is connected and was not served yet; NULL: no connection so far */
};

/* How a side's loop ended. */
struct comm_done {
	uint64_t messages; /* it sent so many, and no more follow */
	bool stopped;	   /* by its user, before the end: it takes no more of the other side's either */
};

/* Of a side's loop, at the end of an interval of its rows. */
struct comm_interval {
	uint64_t number;   /* intervals since the start; COMM_LAST_INTERVAL: the loop is over */
	uint64_t messages; /* completed since the start */
	double seconds;	   /* since the start */
	double peak;	   /* messages per second, of the windows since the interval before it; 0 not measured */
};

#define COMM_LAST_INTERVAL UINT64_MAX

/* Intervals that wait for the other side's. When one more comes the oldest goes: a row is then of more intervals. */
struct comm_intervals {
	struct comm_interval items[32]; /* from the oldest on; each one later than the one before, and with no fewer
					   messages */
	unsigned count;
	struct comm_interval newest; /* also when it is no more among the items */
};

/* What a classic peer must know without being told, because its messages do not say which they are. */
struct comm_plan {
	enum verb verb;
	enum metric metric;
	bool arrivals; /* messages consume receives: SEND, or with immediate data */
	bool bidirectional;
	bool all_sizes;
	bool by_time;
	bool endless;	      /* until the user of the active side stops it */
	bool active;	      /* this side posts the measured messages (both do with -b) */
	bool rdma_cm;	      /* it connects the queue pairs, and takes the connections down */
	bool late_numbers;    /* queue pairs may have theirs once they are connected only, when keys are repeated */
	uint32_t mtu;	      /* bytes that this side offers */
	uint32_t page_bytes;  /* of this host */
	uint32_t cache_line;  /* of this host, bytes */
	double bw_unit;	      /* bytes per second of the unit in which both sides were told to print bandwidth */
	int64_t measuring_ms; /* the peer may take so much longer than timeout_ms while it measures; < 0: no limit */
};

/* What a test may ask of the peer, and not every protocol can. */
enum comm_ability {
	COMM_VALIDATES,	     /* --data_validation */
	COMM_SIGNS,	     /* --sig_offload */
	COMM_REPEATS,	     /* --repeat, --until */
	COMM_JOINS,	     /* it is measured together with others */
	COMM_OPEN_LOOP,	     /* --rate */
	COMM_LATENCY_QUEUES, /* latency on several queue pairs */
	COMM_ABILITIES,
};

/*
 * What a peer's protocol can do, and what its programs do otherwise than ours: one row for each protocol, so that
 * no code asks who the peer is.
 */
struct comm_traits {
	const char *name;		   /* of the programs that speak so, where they lack something */
	const char *lacks[COMM_ABILITIES]; /* "which can't ..."; NULL: they don't lack it */
	bool silent;		   /* there is no side channel: no word comes, and each side goes by its own options */
	bool negotiates;	   /* options travel, and both ends agree on them; otherwise each goes by its own */
	bool tells_done;	   /* says when it is through, and how many messages it sent */
	bool tells_reasons;	   /* why it ends before its time */
	bool tells_results;	   /* its figures, also of what has no end, and of both directions by time */
	bool tells_every_size;	   /* ... of each size of a sweep, not of the last one only */
	bool exchanges_keys_first; /* before rdma_cm connects the queue pairs */
	bool starts_at_barrier;	   /* its time by the clock; otherwise later, once its clock is calibrated */
	bool first_is_no_sample;   /* a ping-pong by number makes one exchange more than it has samples */
	bool takes_turns;	   /* with --latency_gap, and knows the mark of a message that was held up */
	bool tells_intervals;	   /* with -b: what it has done by the end of each */
	bool spares_receives;	   /* for messages in front of the test that warm up */
	bool gid_by_address;	   /* chooses by the side channel's address; otherwise IPv4's unless --ipv6 is given */
};

struct comm {
	struct conn conn; /* TCP, or the queue pair of a struct rdma_cm_link */
	bool client;
	const struct comm_traits *traits; /* of the peer's protocol; NULL before comm_greet() */
	int64_t timeout_ms;		  /* limit of every wait for the peer; < 0: none */
	/* By time, how long the peer's loop takes; 0: not known. Its heartbeats prolong a wait no further than
	 * timeout_ms more. */
	int64_t loop_ms;
	int64_t start_ms; /* a peer that waits for others may hold a start up for so long, or timeout_ms */
	bool per_port;	  /* results tell of two ports, too: both sides were asked for it */
	const struct comm_ops *ops;
	char peer_version[17]; /* what it calls itself */
	bool greeted;	       /* both have exchanged versions: */
	int verdict;	       /* ... and so comm_greet() said */
	bool peer_done;	       /* a DONE was read: done is valid */
	bool peer_gone;	       /* a look found the connection at its end, and has not said so yet */
	struct comm_done done;
	struct comm_intervals intervals; /* the peer's since the last barrier; a reader takes from it */
	uint64_t interim;		 /* messages of a running loop that came; a classic peer sends none */
	bool gathers;			 /* a WAIT was read: the peer measures with several at once */
	uint32_t missing;		 /* ... and waited for so many of them, as this side's user was told last */
	struct deadline quiet;		 /* ... who is told no more before that */
	/* --- of this layer --- */
	struct deadline end; /* of everything, with comm_bound(); 0: none */
	int64_t held_ns;  /* since when this side holds its peer up, while end is put off, CLOCK_MONOTONIC; 0: it does
			     not */
	uint8_t protocol; /* version of the native protocol that both speak */
	/* --- classic --- */
	bool unversioned; /* versions, page sizes and MTUs are not exchanged */
	bool cm_markers;  /* by rdma_cm: keys have the 64 bytes of 6.29, rather than 56 */
	bool measuring;	  /* the first measurement may have begun */
	bool over;	  /* this side's user ended the test, for which there is no message: nothing more is said */
	struct comm_plan plan;
	uint32_t peer_mtu;	      /* bytes, 0 unknown */
	const struct endpoint *local; /* of comm_exchange_endpoints(): repeated once connected, and by barriers */
	struct endpoint *remote;      /* what the peer repeats */
	unsigned num_endpoints;
};

#define COMM_NOT_TOLD UINT64_MAX

/* What a client asks of a server. */
struct comm_hello {
	char program[32]; /* "ib_write_bw" */
	char version[32]; /* of the suite */
	char host[64];	  /* name of the machine, for the report */
	char *params;	  /* params_export() text; owned by the struct, comm_hello_clear() frees */
	struct site site;
	uint64_t process; /* its number on that machine; COMM_NOT_TOLD: not known */
};

/* What both sides tell each other after one message size. */
struct comm_result {
	uint64_t size;
	uint64_t iterations;
	double bw_peak;	     /* bytes per second; 0 not measured */
	double bw_average;   /* bytes per second */
	double message_rate; /* messages per second */
	bool partial;
	uint64_t received; /* messages, also outside of the measured time; COMM_NOT_TOLD: not known */
	/* Nanoseconds from the barrier to the measured time, and of that; COMM_NOT_TOLD: not known. */
	uint64_t begin_ns, elapsed_ns;
	bool last; /* no size follows; not sent */
	/* Of each of two ports, where both sides tell of them (comm->per_port); otherwise zeros. */
	struct comm_port {
		double bw_average;   /* bytes per second */
		double message_rate; /* messages per second */
	} ports[2];
};

/* The samples of a latency test, for a peer that adds up those of several: stats/latency.h as plain numbers. */
struct comm_bucket {
	uint32_t index;
	uint64_t count;
};

#define COMM_MOST_BUCKETS 8192

struct comm_samples {
	double tick_seconds; /* the unit of all that follows */
	uint64_t min, max;
	uint64_t sum[2], sum_squares[2]; /* high, low */
	uint64_t backward;
	struct comm_bucket *buckets; /* those with samples, ascending; reading: room for COMM_MOST_BUCKETS */
	uint32_t num_buckets;
};

/* --data_validation: what the next round is about. */
struct comm_round {
	uint32_t messages; /* of each queue pair, that the sender of this is ready for; 0: there is no next round */
	uint32_t granule;  /* a round has a multiple of so many */
};

/* --repeat and --until: what a side wants once a message size was measured; the larger of both holds. */
enum comm_vote {
	COMM_ENOUGH, /* its row is as sure as it was asked to be */
	COMM_AGAIN,
	COMM_NO_MORE, /* a limit says so */
};

/* --data_validation: what a side found in what came from the other, for one message size. */
struct comm_verdict {
	uint64_t checked; /* messages, in full */
	uint64_t bytes;	  /* of them */
	uint64_t lost;	  /* messages that the transport may lose, and did */
	uint64_t wrong;	  /* messages: of those checked, and of those that should be there and are not */
	uint32_t qp;	  /* of the first wrong one: its index, message number, and the first wrong byte */
	uint64_t message;
	uint64_t offset;
};

#endif
