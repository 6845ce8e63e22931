/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Takes all connections through their steps, on either side, with any transport. client.c and server.c have the order
 * of the steps, transport_*.c the calls.
 *
 * Threads: the main thread puts connections into the pool's queue and waits. The pool's threads make the calls. One
 * more thread reads events, takes their time stamps, and hands the connections to the pool. A thread must not access a
 * connection after a call that will be answered by an event.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "cmtime/conn_stats.h"
#include "cmtime/frame.h"
#include "cmtime/link.h"
#include "cmtime/parameters.h"
#include "cmtime/transport.h"
#include "net/wakeup.h"
#include "stats/clock.h"

/* From the first begin to the last end of a step, over all connections. */
struct span {
	uint64_t first, last; /* cycles; first 0: none yet */
};

struct engine;
struct pool;

/* What differs between client and server. */
struct engine_side {
	int (*run)(struct engine *engine);		  /* executes the steps; returns as engine_run() */
	void (*on_disconnected)(struct timed_conn *conn); /* the peer has disconnected; in the event thread */
	void (*on_retired)(struct engine *engine); /* flow: a connection has been closed completely; NULL: nothing */
};

extern const struct engine_side client_side; /* client.c */
extern const struct engine_side server_side; /* server.c */

/* Parameters of one run. */
struct engine_run {
	uint32_t per_pair; /* connections of each client with each server */
	bool makes_qps;	   /* otherwise QPs are omitted, and replaced by a sleep of mimic_us */
	int64_t mimic_us;  /* only if > 0 */
	bool is_flow;
	struct conn_stats *stats; /* with the engine's lock; NULL: a warm-up */
};

/* Connections established in a part of a flow. */
struct engine_interval {
	uint64_t begin, end; /* cycles */
	uint64_t count;
	bool is_cut; /* the test was over before its end */
};

struct engine {
	/* set once */
	const struct cmtime_params *params;
	const struct engine_side *side;
	const struct conn_ops *transport;
	void *transport_data;
	struct cmtime_link *link;
	const struct wakeup *wake;
	struct sockaddr_storage local;
	struct sockaddr_storage *servers; /* client only */
	uint32_t num_servers, num_clients;
	uint32_t qpn_first, qpn_count;
	uint8_t token[FRAME_TOKEN_SIZE]; /* identifies connections of this cluster */
	_Atomic uint32_t qpn_next;	 /* counter, used modulo qpn_count */
	uint32_t point;			 /* last synchronization point */
	struct pool *pool;
	pthread_t event_thread;
	struct wakeup event_stop;
	bool has_event_thread;
	bool is_iwarp; /* the kernel connects, and moves, real QPs only; set by the transport's open() */
	/* An interval of --report_interval is over; in the main thread. owner: for it. NULL: not called. */
	void (*show_interval)(void *owner, const struct engine_interval *interval);
	void *owner;
	bool unknown_reported; /* used by the event thread, like the next one */
	bool stale_reported;

	/* per run */
	struct engine_run run;
	_Atomic uint64_t start;	  /* cycles: when all started; on a server, the first request, by the event thread */
	uint64_t shown, shown_at; /* connections in intervals that are over, and the end of these, cycles; 0: none is */
	uint64_t established;	  /* cycles: when the last connection so far was; 0: none was */
	struct timed_conn *conns; /* step by step: num_conns of them */
	uint32_t num_conns;
	_Atomic uint64_t done[STEP_COUNT]; /* connections that have completed the step */
	_Atomic uint64_t awaited;	   /* the count at which the main thread is woken */
	_Atomic uint64_t hung_up;	   /* step by step, client: closed by the server, too */
	_Atomic uint64_t active;	   /* connections that are not closed */
	_Atomic uint64_t begun;		   /* flow; server: arrived */
	uint64_t limit;			   /* flow: total number of connections; UINT64_MAX: until the time is over */
	uint64_t ends;			   /* flow: cycles at which no more are started; 0: no limit */
	_Atomic bool failed;

	pthread_mutex_t lock; /* protects all below */
	char failure[FRAME_REASON_SIZE];
	bool is_echo; /* the failure may be a consequence of another instance's */
	struct span spans[STEP_COUNT];
	struct timed_conn *free;
	struct timed_conn *all; /* chained by sibling */
};

/* local.c: this host's address of -B or -b, with port 0; that of IPv4 if there are several. 0 or -errno, reported. */
int local_find(const struct cmtime_params *params, struct sockaddr_storage *local);

/* --- the life of an engine --- */
/*
 * The caller sets params, side, link, wake and the ranges of the rendezvous. 0 or -errno; engine_failure() has the
 * reason.
 */
int engine_open(struct engine *engine);
void engine_close(struct engine *engine);

/* 0, -EINTR, or -ECANCELED: it failed, here (engine_failure()) or elsewhere (link_look()). */
int engine_run(struct engine *engine, const struct engine_run *run);
/* "" if nothing has failed here. */
const char *engine_failure(struct engine *engine);

/* --- for client.c and server.c --- */
/* Puts the connection in the queue of the threads, and records the time in conn->asked. */
void pool_put(struct pool *pool, struct timed_conn *conn, pool_work_fn work);
/* Makes the transport's call. Returns as step_posted(); if an event answers it, conn is not to be accessed any more. */
bool step_call(struct timed_conn *conn, enum step step);
/* A call has returned, and an event will complete the step. error: -errno of it. False: it failed, which is reported.
 */
bool step_posted(struct timed_conn *conn, enum step step, int error);
/* Counts a connection that has completed the step, and wakes the main thread after the last one. */
void step_done(struct engine *engine, enum step step);
/* Creates or moves a QP, or does what -m replaces that with. False: failed and reported. */
bool qp_make(struct timed_conn *conn);
bool qp_move(struct timed_conn *conn, enum step step); /* STEP_INIT_QP, STEP_RTR_QP or STEP_RTS_QP */
void conn_established(struct timed_conn *conn);
/* The steps "destroy qp" and "destroy id" of one connection and, step by step, of all; returns as engine_ended(). */
void conn_destroy_qp(struct timed_conn *conn);
void conn_destroy_id(struct timed_conn *conn);
int engine_destroy_all(struct engine *engine);
/* Work on one connection after the other, in this thread; their step is set. Returns as engine_ended(). */
int engine_each(struct engine *engine, enum step step, const char *text, pool_work_fn work);
/* Adds its times to the statistics. */
void conn_record(struct timed_conn *conn);
/*
 * Step by step, the total of a phase is that of the first attempts, since later attempts repeat steps while other
 * connections are in a later phase. To be called before renewed is set.
 */
void conn_record_first_attempt(struct timed_conn *conn);
/* Flow: closes the connection; in a thread of the pool. */
void conn_retire(struct timed_conn *conn);
/* Assigns a number for a QP that is not created. */
void conn_number(struct timed_conn *conn);
/* A new connection; NULL: failed and reported. */
struct timed_conn *conn_get(struct engine *engine, uint32_t index);

/* The main thread waits for an event, or for that long, and shows intervals. 0 or -EINTR. */
int engine_wait(struct engine *engine, int64_t limit_ns);
/* Waits for an event, or for a limited time. 0, or returns as engine_ended(). */
int engine_pause(struct engine *engine);
/* Waits until all instances have reached the next point. 0, -EINTR or -ECANCELED. */
int engine_sync(struct engine *engine);
/*
 * Waits until the counter has reached the target, as long as it or the step makes progress. Returns as engine_sync().
 */
int engine_await(struct engine *engine, enum step step, _Atomic uint64_t *counter, uint64_t target);
/* Has the run been ended? 0, -EINTR or -ECANCELED. */
int engine_ended(struct engine *engine);
/* Stores the first failure and ends the run. */
void engine_fail(struct engine *engine, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same where a function fails: return engine_error(engine, -ENOMEM, "..."). */
#define engine_error(engine, error, ...) (engine_fail(engine, __VA_ARGS__), (error))
/* The next failure may be a consequence of another instance's, whose own message is better. */
void engine_doubt(struct engine *engine);
/* The failure of one connection at a step. */
void conn_fail(struct timed_conn *conn, enum step step, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Shows "Connecting" and the like on a terminal, and tells the step to the others. */
void engine_at_step(struct engine *engine, enum step step, const char *text);

/* --- events, called by transports in the event thread; see client.c and server.c --- */
/* The answer to the call of this step. */
void client_on_answer(struct timed_conn *conn, enum step step);
/* Resolving failed: is it retried? Otherwise the run has failed. */
void client_on_unresolved(struct timed_conn *conn, enum step step, int error);
/* The server considers the request part of an old connection with the same QP number. False: no retries are left. */
bool client_on_stale(struct timed_conn *conn);
/* A connection of the cluster has arrived; the transport sets id or fd. NULL: too many, reported. */
struct timed_conn *server_on_request(struct engine *engine);
/* A connection of another program was rejected. */
void server_on_unknown(struct engine *engine, const struct sockaddr_storage *address);
/* ... and must be accepted, with a transport that has QPs. */
void server_on_requested(struct timed_conn *conn);
void server_on_established(struct timed_conn *conn);
