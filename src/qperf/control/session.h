/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One run of a test. Each side goes through these steps:
 *
 *   open      opens and connects the test's sockets or QPs
 *   ready     waits until both sides are
 *   run       the loop, which calls qperf_session_tick() if qperf_session_attention is set
 *   account   exchanges what each side counted
 *   close
 *
 * A process has only one at a time: the server forks a process for each client.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

#include "qperf/control/control.h"
#include "qperf/options/tests.h"
#include "qperf/print/figures.h"
#include "qperf/print/meters.h"
#include "stats/latency.h"

struct qperf_session {
	const struct test_row *test;
	struct control *control;
	struct qperf_side side; /* this side's */
	bool client;
	bool sends;		    /* this side sends, or starts a ping-pong: the client, except with -f */
	uint64_t answer_timeout_ns; /* a message without an answer for this long is lost */
	void *own;		    /* owned by the test */

	struct account account;
	bool counted;	 /* the loop has ended and account is valid, even if something failed later */
	uint64_t posted; /* messages of this side, also those whose completion was not seen; 0: it has no posts */
	struct latency *samples;     /* of a latency; empty on a side that only answers */
	bool samples_lost;	     /* the waits for lost messages are in them */
	bool explains;		     /* --explain */
	struct qperf_meters *meters; /* of the client, open once the test is; NULL: none */
	const char *share_option; /* of a limit that is a share of what is possible: "--limit_bw 90%"; NULL: none is */
	struct qperf_sides *sides;
	int data_fd; /* the data connection, if it is TCP; < 0: it is not */
	/* Latency: duration of the exchange that was open at the end, if it is conspicuous; otherwise 0. */
	uint64_t open_cycles;
	bool open_answered; /* answered after the end; otherwise it would have taken even longer */

	/* during the loop, in cycles */
	int64_t ready_ns; /* of claim_now_ns(), before this side told the peer that it is ready */
	uint64_t begin_cycles;
	uint64_t end_cycles;	/* end of the duration; UINT64_MAX: none */
	uint64_t finish_cycles; /* end of what is counted; 0: end of the loop */
	bool over;		/* the duration has ended */
	bool peer_done;		/* the peer's loop has ended */
	bool peer_gone;
	bool peer_still;    /* no progress for --timeout */
	bool stopped;	    /* by this side's user */
	bool without_alarm; /* the body checks the time itself */
	uint64_t pieces;    /* parts of messages transferred, since a large message takes long */
	bool awaits_end;    /* of a stream, which may arrive after the peer's message that it is done */
	/*
	 * Set by a loop whose peer's messages may arrive after its end: receives them, and the peer's account, which
	 * has their number. Only with our own peers; NULL: nothing will arrive. 0 or -errno, reported.
	 */
	int (*settle)(struct qperf_session *session, struct account *peer);

	/* session_stands_still() */
	uint64_t moved;
	uint64_t looked_cycles;
	uint64_t still_cycles;

	/*
	 * Prints an interval row; called by qperf_session_tick(), and for the remainder after the loop; NULL: none.
	 * 0 or -errno, reported.
	 */
	int (*interval)(struct qperf_session *session, uint64_t now_cycles);
	int interval_err; /* ... of the last one, which ends the test */
	uint64_t interval_cycles;
	uint64_t next_interval_cycles;
	void *owner; /* for interval */
};

struct test_ops {
	/* Why the test can't run with the side's options; NULL: it can. Called before anything is tried. */
	const char *(*check)(const struct test_row *test, const struct qperf_side *side);
	/* 0 or -errno, reported. */
	int (*open)(struct qperf_session *session);
	int (*run)(struct qperf_session *session);
	/* Also called after a failure. */
	void (*close)(struct qperf_session *session);
};

extern const struct test_ops socket_bandwidth_ops, socket_latency_ops; /* socket.c */
extern const struct test_ops connections_ops, rdma_ops;

/* Of the test's body; NULL for conf and quit. */
const struct test_ops *session_ops(const struct test_row *test);
/* --access_recv, the least that an application does with a message: reads all of it. */
void access_data(const void *data, uint64_t length);

/* Set by a timer; a loop that finds it set, or whose call is interrupted, calls qperf_session_tick(). */
extern volatile sig_atomic_t qperf_session_attention;
/* True: the loop must end. */
bool qperf_session_tick(struct qperf_session *session);

/*
 * Called repeatedly while this side waits: has there been no progress for --timeout? moved: a counter of all progress.
 * Time in which this process itself did not run is excluded.
 */
bool session_stands_still(struct qperf_session *session, uint64_t now_cycles, uint64_t moved);

/* When does an unanswered message of a ping-pong count as lost: at least this long, more on a long path. */
#define SESSION_LOST_NS 100000000
uint64_t session_timeout_ns(double path_rtt_s);

/* To be called once per process. 0 or -errno, reported. */
int session_install(void);
/* Runs all steps. 0 or -errno, reported. *peer: the peer's account. */
int qperf_session_run(struct qperf_session *session, struct account *peer);

/*
 * Records the exchange that was still open when the loop ended as a sample of at least its duration. For reliable
 * protocols, whose outages would otherwise not be in any sample.
 */
void session_count_open(struct qperf_session *session, uint64_t begin_cycles);
/* Sets the time at which counting ended, in cycles. */
void session_end_at(struct qperf_session *session, uint64_t cycles);

/* --- memory_lock.c: may a client's RDMA test use that much of this host's memory? In the process that serves it. ---
 */

struct verbs_config;
struct device;

/* To be called once by the server's process, before it accepts a client. */
void memory_lock_open(void);
/*
 * Waits until no other client's process is about to allocate memory, so that the available amount is known. The others
 * then wait until memory_lock_release(). 0 or -errno, reported.
 */
int memory_lock_check(const struct qperf_session *session, const struct verbs_config *config,
		      const struct device *device);
/* The memory was allocated, or is not needed. */
void memory_lock_release(void);
