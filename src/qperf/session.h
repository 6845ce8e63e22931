/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One run of one test, as each side goes through it:
 *
 *   open      the test's own: sockets or queue pairs, connected
 *   ready     both sides have
 *   run       the loop, which calls qperf_session_tick() when qperf_session_attention says so
 *   account   what each side counted goes to the other
 *   close
 *
 * A process has one at a time: the server makes a process for each client.
 */
#ifndef QPERF_SESSION_H
#define QPERF_SESSION_H

#include <signal.h>
#include <stdbool.h>

#include "qperf/control.h"
#include "qperf/figures.h"
#include "qperf/tests.h"
#include "stats/latency.h"

struct qperf_session {
	const struct test_row *test;
	struct control *control;
	struct qperf_side side; /* of this side */
	bool client;
	bool sends;	      /* this side sends, or begins a ping-pong: the client, but with -f */
	uint64_t patience_ns; /* what is unanswered for so long is lost */
	void *own;	      /* the test's */

	struct account account;
	bool counted;		 /* the loop is over, and account says something, whatever failed since */
	struct latency *samples; /* NULL: not wanted */
	/* Latency: the exchange that was open when time was over; 0: none that stands out. */
	uint64_t open_cycles;
	bool open_answered; /* later; otherwise it would have taken longer still */

	/* while the loop runs, in cycles */
	uint64_t begin_cycles;
	uint64_t end_cycles;	/* when time is over; UINT64_MAX: never */
	uint64_t asked_cycles;	/* at a tick of who asks by datagrams: when the open exchange began, or the next will; 0
				 */
	uint64_t finish_cycles; /* when what is counted was over; 0: when the loop ends */
	bool over;		/* the time is */
	bool peer_done;		/* the peer's loop is over */
	bool peer_gone;
	bool peer_still;    /* nothing moved for as long as --timeout */
	bool stopped;	    /* by this side's user */
	bool without_alarm; /* the body looks at the time itself */
	uint64_t pieces;    /* of messages that moved: a large one is not over for long */
	bool awaits_end;    /* the end of a stream, which is behind the peer's word that it is done */
	/*
	 * Set by a loop whose peer's messages may come behind its end: takes them, and the peer's account, which says
	 * how many there are. Between two of ours; NULL: nothing comes any more. 0 or -errno, reported.
	 */
	int (*settle)(struct qperf_session *session, struct account *peer);

	/* session_stands_still() */
	uint64_t moved;
	uint64_t looked_cycles;
	uint64_t still_cycles;

	/* interval rows, called by qperf_session_tick(), and for what is left when the loop is over; NULL: none */
	void (*interval)(struct qperf_session *session, uint64_t now_cycles);
	uint64_t interval_cycles;
	uint64_t next_interval_cycles;
	void *owner; /* of interval */
};

struct test_ops {
	/* What test and side can't have together; NULL: nothing. Called before anything is tried. */
	const char *(*check)(const struct test_row *test, const struct qperf_side *side);
	/* 0 or -errno, reported. */
	int (*open)(struct qperf_session *session);
	int (*run)(struct qperf_session *session);
	/* After a failure, too. */
	void (*close)(struct qperf_session *session);
};

/* NULL: of conf and quit. */
const struct test_ops *session_ops(const struct test_row *test);

/* Set by a timer; a loop that finds it set, or is interrupted, calls qperf_session_tick(). */
extern volatile sig_atomic_t qperf_session_attention;
/* True: the loop shall end. */
bool qperf_session_tick(struct qperf_session *session);

/*
 * Called again and again while this side waits: has nothing moved for as long as --timeout? moved: a count of all that
 * does. What this process itself stood still for is not in it.
 */
bool session_stands_still(struct qperf_session *session, uint64_t now_cycles, uint64_t moved);

/* How long a message of a ping-pong may be unanswered until it counts as lost: at least, and on a long path. */
#define SESSION_LOST_NS 100000000
uint64_t session_patience_ns(double path_rtt_s);

/* Once in a process. 0 or -errno, reported. */
int session_install(void);
/* All of it. 0 or -errno, reported; own and the peer's accounts. */
int qperf_session_run(struct qperf_session *session, struct account *peer);

/*
 * The loop is over, and the answer of an exchange that began then was still awaited: that took so long at least. For
 * what is reliable, whose outages would be in no sample otherwise.
 */
void session_count_open(struct qperf_session *session, uint64_t begin_cycles);
/* What is counted was over at this time, so many cycles of the clock. */
void session_end_at(struct qperf_session *session, uint64_t cycles);
/* What the peer has counted, as soon as it says so. 0 or -errno, reported. */
int session_hear_account(struct qperf_session *session, struct account *peer);
/* The port, or the like, that the peer needs before it can connect. */
int session_tell_port(struct qperf_session *session, uint32_t port);
int session_hear_port(struct qperf_session *session, uint32_t *port);

#endif
