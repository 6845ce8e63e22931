/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What every connection goes through, on either side, whatever it is made of; and how all of them are taken
 * through it. client.c and server.c have the order of the steps, transport_*.c the calls.
 *
 * Threads. The main thread leads: it puts connections into the pool's queue and waits. The pool's threads
 * make the calls. One more reads events, notes when, and hands the connection to the pool. Who made a call
 * that will be answered lets go of the connection before it.
 */
#ifndef CMTIME_ENGINE_H
#define CMTIME_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "cmtime/conn_stats.h"
#include "cmtime/frame.h"
#include "cmtime/link.h"
#include "cmtime/parameters.h"
#include "cmtime/pool.h"
#include "cmtime/timed_conn.h"
#include "cmtime/transport.h"
#include "net/wakeup.h"
#include "stats/clock.h"

/* From the first begin to the last end of a step, over all connections. */
struct span {
	uint64_t first, last; /* cycles; first 0: none yet */
};

struct engine;

/* What is a client's or a server's alone. */
struct engine_side {
	int (*run)(struct engine *engine);		  /* the order of the steps. As engine_run() */
	void (*on_disconnected)(struct timed_conn *conn); /* the other end has hung up; in the thread of events */
	void (*on_retired)(struct engine *engine);	  /* flow: nothing is left of a connection */
};

extern const struct engine_side client_side; /* client.c */
extern const struct engine_side server_side; /* server.c */

struct engine {
	/* set once */
	const struct cmtime_params *params;
	const struct engine_side *side;
	const struct conn_ops *transport;
	void *transport_data;
	struct cmtime_link *link;
	const struct wakeup *wake;
	struct sockaddr_storage local;
	struct sockaddr_storage *servers; /* of a client */
	uint32_t num_servers, num_clients;
	uint32_t qpn_first, qpn_count;
	uint8_t token[FRAME_TOKEN_SIZE]; /* what connections of this cluster begin with */
	_Atomic uint32_t qpn_next;	 /* counts up; taken modulo qpn_count */
	uint32_t point;			 /* the last one arrived at */
	struct pool *pool;
	pthread_t event_thread;
	struct wakeup event_stop;
	bool has_event_thread;
	bool shows_progress;
	bool needs_qps;	      /* the device connects no mere numbers; set by the transport's open() */
	bool told_of_unknown; /* the event thread's, as the next one */
	bool told_of_stale;

	/* of the run */
	bool makes_qps;	  /* otherwise they are left out, with a sleep of mimic_us */
	int64_t mimic_us; /* > 0: so long */
	bool is_flow;
	uint32_t per_pair;
	uint64_t start;		  /* cycles: all began; a server's: the first connection came in */
	struct timed_conn *conns; /* step by step: num_conns of them */
	uint32_t num_conns;
	uint32_t num_used;		   /* step by step, of a server: those that came in */
	_Atomic uint64_t done[STEP_COUNT]; /* connections that are through with it */
	_Atomic uint64_t awaited;	   /* ring the bell when that many are */
	_Atomic uint64_t hung_up;	   /* step by step, of a client: the server's end is gone, too */
	_Atomic uint64_t active;	   /* flow: connections that are not done */
	_Atomic uint64_t begun;		   /* flow; a server's: came in */
	uint64_t limit;			   /* flow: so many in all; UINT64_MAX: until the time is over */
	uint64_t ends;			   /* flow: cycles after which none is begun; 0: no matter */
	_Atomic bool failed;

	pthread_mutex_t lock; /* all below */
	char failure[FRAME_REASON_SIZE];
	bool is_echo; /* the failure may well be another instance's end */
	struct conn_stats *stats;
	struct span spans[STEP_COUNT];
	struct timed_conn *free; /* flow */
	struct timed_conn *all;	 /* flow: chained by sibling */
};

/* --- the life of an engine --- */
/* params, side, link, wake, ranges of the rendezvous are set by the caller. 0 or -errno; engine_failure() says why. */
int engine_open(struct engine *engine);
void engine_close(struct engine *engine);

/* What one run does. */
struct engine_run {
	uint32_t per_pair; /* connections of each client with each server */
	bool makes_qps;
	int64_t mimic_us;
	bool is_flow;
	struct conn_stats *stats; /* NULL: a warm-up */
};

/* 0, -EINTR, or -ECANCELED: it failed, here (engine_failure()) or elsewhere (link_aborted()). */
int engine_run(struct engine *engine, const struct engine_run *run);
/* "" when nothing failed here. */
const char *engine_failure(struct engine *engine);

/* --- for client.c and server.c --- */
void step_begin(struct timed_conn *conn, enum step step);
/* The call is made and with it the step; error: -errno of it. False: it failed, which is reported. */
bool step_end(struct timed_conn *conn, enum step step, int error);
/* The step was begun, its answer will tell more; only failures are of interest. */
bool step_posted(struct timed_conn *conn, enum step step, int error);
/* Counts a connection as through with it, and rings when it is the last. */
void step_done(struct engine *engine, enum step step);
/* A queue pair is made and moved, or what stands for it happens. False: failed and reported. */
bool qp_make(struct timed_conn *conn);
bool qp_move(struct timed_conn *conn, enum qp_state state);
void conn_established(struct timed_conn *conn);
/* Makes the calls that are the steps destroy qp and destroy id. */
void conn_destroy_qp(struct timed_conn *conn);
void conn_destroy_id(struct timed_conn *conn);
/* Its times to the stats. */
void conn_record(struct timed_conn *conn);
/*
 * Step by step: what a phase took is told by the first attempt of each connection. Later ones repeat its steps while
 * others connect. Before renewed is set.
 */
void conn_record_first_attempt(struct timed_conn *conn);
/* Flow: all that is left of it, in a thread of the pool. */
void conn_retire(struct timed_conn *conn);
/* A number for a queue pair that is not made. */
void conn_number(struct timed_conn *conn);
/* A fresh one; NULL: failed and reported. */
struct timed_conn *conn_get(struct engine *engine, uint32_t index);
void conn_put(struct timed_conn *conn);

/* All have come to the next point. 0, -EINTR or -ECANCELED. */
int engine_sync(struct engine *engine);
/* Until the counter has come to the target, for as long as it or the step moves. As engine_sync(). */
int engine_await(struct engine *engine, enum step step, _Atomic uint64_t *counter, uint64_t target);
/* 0, -EINTR or -ECANCELED: is there a reason to end? */
int engine_ended(struct engine *engine);
/* Remembers the first failure and ends the run. */
void engine_fail(struct engine *engine, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The next failure may be the echo of another's, whose own words are better. */
void engine_doubt(struct engine *engine);
/* A failure of one connection at a step. */
void conn_fail(struct timed_conn *conn, enum step step, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* "Connecting" and the like: to a terminal, and to the others. */
void engine_say(struct engine *engine, enum step step, const char *words);

/* --- events, from the transports, in the thread that reads them; see client.c and server.c --- */
void client_on_addr(struct timed_conn *conn);
void client_on_route(struct timed_conn *conn);
/* Resolving failed: is it tried again? Otherwise the run has failed. */
void client_on_unresolved(struct timed_conn *conn, enum step step, int error);
void client_on_answer(struct timed_conn *conn);
/* The connection stands, and nothing is left to do for it. */
void client_on_established(struct timed_conn *conn);
/* The server took it for an old connection of the same queue pair number. False: it was tried often enough. */
bool client_on_stale(struct timed_conn *conn);
/* A connection of the cluster comes in; the transport sets id or fd. NULL: there is no room for it, which is reported.
 */
struct timed_conn *server_on_request(struct engine *engine);
/* A connection that is none of the cluster's was sent away. */
void server_on_unknown(struct engine *engine, const struct sockaddr_storage *address);
/* ... and wants an answer, which a transport with queue pairs gives. */
void server_on_requested(struct timed_conn *conn);
void server_on_established(struct timed_conn *conn);

#endif
