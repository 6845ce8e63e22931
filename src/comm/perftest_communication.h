/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The side channel: how the two ends of a test meet, agree, exchange endpoints, start together
 * and compare results. Bytes are made and read by wire.c; this layer moves them, with a limit
 * on every wait.
 *
 * Errors: 0 or -errno; the reason is reported once, here. -ETIMEDOUT: the peer was silent
 * longer than timeout_ms. -ECONNRESET: it went away. -EBADMSG: it sent what no perftest sends.
 * -EPROTO: the two sides are not at the same point or not of the same size.
 * -ECANCELED: it ended the test and said why (reported with its words). -EPROTONOSUPPORT: it is
 * a perftest, but of a kind or version that this one does not talk to. -EINTR: the user stopped;
 * that is no error, so nothing is reported.
 */
#ifndef COMM_PERFTEST_COMMUNICATION_H
#define COMM_PERFTEST_COMMUNICATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/conn.h"
#include "net/listener.h"
#include "params/program.h"
#include "util/addresses.h"
#include "util/deadline.h"
#include "util/endpoint.h"

struct comm_ops; /* how messages look: native, or classic linux-rdma perftest */

/* Points that both sides reach together; numbered, so that sides that lost step notice. */
enum comm_point {
	COMM_CONNECTED = 1, /* the queue pairs are connected */
	COMM_CLOSE = 2,	    /* nobody uses them any more */
	COMM_SIZE = 16,	    /* of the first message size; the next ones follow */
};

struct comm_address {
	struct address at;
	/* Client: by rdma_cm, not TCP. Server: rdma_cm must be there; it always listens for both where it can. */
	bool rdma_cm;
	/* Client by rdma_cm without bind_ip: where to start from, for IPv4 and for IPv6; NULL: the kernel chooses. */
	const char *source_ip[2];
};

struct rdma_cm_listener;
struct lobby; /* lobby.c */

struct comm_listener {
	struct listener tcp;
	struct rdma_cm_listener *rdma_cm; /* NULL: for TCP only, or lent */
	bool lent;			  /* comm_listener_lend() */
	struct lobby *lobby;		  /* who is connected and was not served yet; NULL: nobody came so far */
};

/* How a side's loop ended. */
struct comm_done {
	uint64_t messages; /* it sent so many, and no more follow */
	bool stopped;	   /* by its user, before the end: it takes no more of the other side's either */
};

/* What a classic peer must know without being told, because its messages do not say which they are. */
struct comm_plan {
	const struct program *program;
	bool arrivals; /* messages consume receives: SEND, or with immediate data */
	bool bidirectional;
	bool all_sizes;
	bool by_time;
	bool endless;	      /* until the user of the active side stops it */
	bool active;	      /* this side posts the measured messages (both do with -b) */
	bool rdma_cm;	      /* it connects the queue pairs, and takes the connections down */
	uint32_t mtu;	      /* bytes that this side offers */
	uint32_t page_bytes;  /* of this host */
	uint32_t cache_line;  /* of this host, bytes */
	double bw_unit;	      /* bytes per second of the unit in which both sides were told to print bandwidth */
	int64_t measuring_ms; /* the peer may take so much longer than timeout_ms while it measures; < 0: no limit */
};

/*
 * What a peer's protocol can do, and what its programs do otherwise than ours: one row for each protocol, so that
 * nobody asks who the peer is.
 */
struct comm_traits {
	bool negotiates;	   /* options travel, and both ends agree on them; otherwise each goes by its own */
	bool tells_done;	   /* says when it is through, and how many messages it sent */
	bool tells_results;	   /* its figures, also of what has no end, and of both directions by time */
	bool tells_every_size;	   /* ... of each size of a sweep, not of the last one only */
	bool exchanges_keys_first; /* before rdma_cm connects the queue pairs */
	bool starts_at_barrier;	   /* its time by the clock; otherwise later, once its clock is calibrated */
	bool first_is_no_sample;   /* a ping-pong by number makes one exchange more than it has samples */
	bool takes_turns;	   /* with --latency_gap, and knows the mark of a message that was held up */
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
	const struct comm_ops *ops;
	char peer_version[17]; /* what it calls itself */
	bool greeted;	       /* both have exchanged versions: */
	int verdict;	       /* ... and so comm_greet() said */
	bool peer_done;	       /* a DONE was read: done is valid */
	struct comm_done done;
	/* --- of this layer --- */
	struct deadline end; /* of everything, with comm_bound(); 0: none */
	uint8_t protocol;    /* version of the native protocol that both speak */
	/* --- classic --- */
	bool unversioned; /* versions, page sizes and MTUs are not exchanged */
	bool cm_markers;  /* by rdma_cm: keys have the 64 bytes of 6.29, rather than 56 */
	bool measuring;	  /* the first measurement may have begun */
	bool over;	  /* this side's user ended the test, for which there is no message: nothing more is said */
	struct comm_plan plan;
	uint32_t peer_mtu;	       /* bytes, 0 unknown */
	const struct endpoint *local;  /* of comm_exchange_endpoints(): repeated once connected, and by barriers */
	const struct endpoint *remote; /* what the peer repeats */
	unsigned num_endpoints;
};

/* What a side says of its device and host, so that what can't work is refused before it is tried. */
struct comm_site {
	char device[64];     /* its name, for messages */
	bool is_software;    /* of libperftest_soft: it reaches the processes of one user on one host */
	uint32_t page_bytes; /* of the host; a power of two, COMM_LEAST_PAGE to COMM_LARGEST_PAGE */
	uint32_t uid;	     /* effective, as the side's own namespace numbers it */
	char boot[40];	     /* the kernel's boot_id, the same for all containers of a machine; "" not known */
	/* Of a software device: the folder in which its processes find each other. */
	char folder_id[44]; /* "DEVICE:INODE"; "" not known */
	char folder[128];   /* its path, for messages */
};

#define COMM_LEAST_PAGE	  4096U
#define COMM_LARGEST_PAGE (1U << 20) /* the largest of any kernel is 256 KiB */

/* What a client asks of a server. */
struct comm_hello {
	char program[32]; /* "ib_write_bw" */
	char version[32]; /* of the suite */
	char host[64];	  /* name of the machine, for the report */
	char *params;	  /* params_export() text; owned by the struct, comm_hello_clear() frees */
	struct comm_site site;
};

/* What both sides tell each other after one message size. */
struct comm_result {
	uint64_t size;
	uint64_t iterations;
	double bw_peak;	     /* bytes per second; 0 not measured */
	double bw_average;   /* bytes per second */
	double message_rate; /* messages per second */
	bool partial;
	bool last; /* no size follows; not sent */
};

/* --data_validation: what the next round is about. */
struct comm_round {
	uint32_t messages; /* of each queue pair, that the sender of this is ready for; 0: there is no next round */
	uint32_t granule;  /* a round has a multiple of so many */
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

int comm_listen(struct comm_listener *listener, const struct comm_address *address);
/*
 * Waits without limit (until the user stops the program) for a client that has greeted and, where it does, said what it
 * wants. Others who connect meanwhile are heard at the same time, for 10 s each, and stay with the listener. greets:
 * false with --dont_xchg_versions, where whatever somebody says is not for this layer to judge. timeout_ms is for the
 * waits after it, and bounds those 10 s.
 */
int comm_await_client(struct comm *comm, struct comm_listener *listener, bool greets, int64_t timeout_ms);
/* Takes a connection that is there. 0, or -EAGAIN: there is none, or another -errno; not reported. */
int comm_accept(struct comm *comm, const struct comm_listener *listener, int64_t timeout_ms);
/* "Ethernet" or "rdma_cm": what the connection is made of. */
const char *comm_carrier_name(const struct comm *comm);
bool comm_is_by_rdma_cm(const struct comm *comm);
void comm_listener_close(struct comm_listener *listener);
/*
 * Leaves rdma_cm's port to the queue pairs of a test, which linux-rdma perftest connects on it. Until it is taken
 * back, nobody but by TCP can come. 0 or -errno, reported.
 */
void comm_listener_lend(struct comm_listener *listener);
int comm_listener_take_back(struct comm_listener *listener, const struct comm_address *address);
/* -EHOSTUNREACH: the name or the local address does not resolve; -ECONNREFUSED: nobody listens. */
int comm_connect(struct comm *comm, const struct comm_address *address, int64_t timeout_ms);

/* How long the side channel's round trip takes, by TCP's own measure; 0: not known. Microseconds. */
uint32_t comm_round_trip_us(const struct comm *comm);

/* From now on the peer has so long; then looks and waits end with -ETIMEDOUT, reported. */
void comm_bound(struct comm *comm, int64_t ms);

/* Both: exchange of version texts; chooses ops, and says with comm->traits whom it met. */
int comm_greet(struct comm *comm);
/* In place of comm_greet() (--dont_xchg_versions): the peer is taken for a classic one that was told the same. */
void comm_assume_classic(struct comm *comm);
/*
 * With a classic peer, in place of asking and agreeing: both sides go by their own options. Keeps
 * the plan; *peer_page_bytes: small messages of the peer walk over so much of a buffer, 0 unknown.
 */
int comm_settle(struct comm *comm, const struct comm_plan *plan, uint32_t *peer_page_bytes);
/* Client: sends its wishes and waits for the verdict. A refusal is reported with the server's reason: -ECANCELED. */
int comm_ask(struct comm *comm, const struct comm_hello *hello, struct comm_hello *answer);
/* Server: reads the client's wishes, then one of the two. */
int comm_read_hello(struct comm *comm, struct comm_hello *hello);
int comm_agree(struct comm *comm, const struct comm_hello *answer);
int comm_refuse(struct comm *comm, const char *reason);
void comm_hello_clear(struct comm_hello *hello);

/* With a classic peer and -R: this side is ready to be connected by rdma_cm; and again once it is. */
int comm_announce(struct comm *comm, const struct endpoint *local, unsigned count);
/*
 * All endpoints in one message each way (of a classic peer, one after the other). remote has room for
 * count (1..16384); the peer must send as many, or it is -EPROTO. Both arrays stay until comm_close().
 */
int comm_exchange_endpoints(struct comm *comm, const struct endpoint *local, struct endpoint *remote, unsigned count);
/* Both reach the point called tag, an enum comm_point or COMM_SIZE + n. Clears peer_done. */
int comm_barrier(struct comm *comm, uint32_t tag);
/* A classic peer tells only what it is asked for: of one-sided tests the last size, of receivers nothing (zeros). */
int comm_exchange_result(struct comm *comm, const struct comm_result *local, struct comm_result *remote);
/* Does this peer know the messages below? */
bool comm_validates(const struct comm *comm);
/*
 * A round is agreed on in two steps, because the user may stop the waiting side at any time and both must
 * go on together all the same: after -EINTR the second may be called again. It clears peer_done.
 */
int comm_send_round(struct comm *comm, const struct comm_round *round);
int comm_receive_round(struct comm *comm, struct comm_round *round);
int comm_exchange_verdict(struct comm *comm, const struct comm_verdict *local, struct comm_verdict *remote);

/* --- while a loop runs --- */
/* "I have sent all, so many messages." Does not block. */
int comm_send_done(struct comm *comm, const struct comm_done *done);
/* "I am alive": sent about once a second by a side that measures alone; starts the limit of the peer's wait anew. */
int comm_send_heartbeat(struct comm *comm);
/*
 * Looks without blocking. 0: nothing but heartbeats; 1: the peer is done (peer_done); or an error.
 * Frames that belong to later exchanges stay queued. One recv() that does not block; neither allocates nor waits.
 */
int comm_look(struct comm *comm);
/* Waits until there may be something to look at: 0, or -ETIMEDOUT or -EINTR, not reported. */
int comm_wait(struct comm *comm, int64_t timeout_ms);
/* Waits until the peer is done; each heartbeat starts the limit anew. 0 or an error. */
int comm_wait_done(struct comm *comm);

/* Tells the peer that this side ends the test and why; best effort, does not block, heeds no stop. */
void comm_abort(struct comm *comm, const char *reason);
void comm_close(struct comm *comm);

#endif
