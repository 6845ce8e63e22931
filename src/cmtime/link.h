/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connects the instances while they run: synchronization points, results for the controller, and reports of instances
 * that failed, died or went silent. net/star.h does the synchronization, with the controller as the hub; this file has
 * the contents. An instance that loses the controller ends; the controller tells the others about each instance that is
 * lost.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "cmtime/rendezvous.h"
#include "net/star.h"

#define LINK_MAX_TESTS 2

struct cmtime_link;

/* Takes ownership of the rendezvous's connections, also on failure. 0 or -errno, reported. */
int link_open(struct cmtime_link **link, struct cmtime_rendezvous *rendezvous, const struct cmtime_params *params,
	      const struct wakeup *wake);
void link_close(struct cmtime_link *link); /* NULL is allowed */

/* --- from this instance (nothing here blocks) --- */
void link_ready(struct cmtime_link *link, const struct frame_self *self);
void link_arrive(struct cmtime_link *link, uint32_t point);
void link_vote(struct cmtime_link *link, enum series_vote vote); /* with the next point; without it: ENOUGH */
void link_at_step(struct cmtime_link *link, unsigned step);	 /* for ALIVE; STEP_COUNT: none */
/* The results of a test, which must not change any more; the controller adds its own to the others'. */
void link_deliver(struct cmtime_link *link, unsigned test, const struct conn_stats *stats);
/* What this instance saw during the tests (--explain), to the other one of two; among more, to the controller. */
void link_send_facts(struct cmtime_link *link, const char *facts);
/* Ends the run for all. */
void link_abort(struct cmtime_link *link, const char *reason);

/* --- state of the others --- */
struct link_state {
	bool all_ready;	       /* link_peers() is complete */
	uint32_t released;     /* the last point that all have reached */
	enum series_vote vote; /* ... the highest with it */
	const char *aborted;   /* who ended the run, and why: "client 2 (alpha): rdma_connect: ..."; NULL: it goes on */
};

struct link_state link_look(struct cmtime_link *link);
/* Controller: have all instances delivered? If so, *merged (owned by link) has the results of the whole cluster. */
bool link_merged(struct cmtime_link *link, unsigned test, const struct conn_stats **merged);
/*
 * Controller: ... and of each alone. totals: of this measurement, owned by link until link_renew(). full_connect, of
 * one with --limit_peers: of all measurements of the test; NULL: it is the controller's own, which link does not keep.
 * False: a server.
 */
bool link_client(struct cmtime_link *link, uint32_t rank, unsigned test, const struct conn_totals **totals,
		 const struct latency **full_connect);
/* Controller: ... and then deliver another measurement of the test. */
void link_renew(struct cmtime_link *link, unsigned test);
/*
 * What the other one of two saw, or at the controller another instance, and how many connections it counted in
 * all tests, which a member does not know (0). NULL: it has not told.
 */
const char *link_facts(struct cmtime_link *link, uint32_t rank, double *connections);
/* The connection with the other one of two, for what TCP knows of the path; -1: there are more. */
int link_fd(const struct cmtime_link *link);
/* All instances, by rank, as they describe themselves. */
const struct frame_peer *link_peers(struct cmtime_link *link, uint32_t *count);

/* --- what link_open() and its thread consist of, for tests without the thread --- */
/* link_open() without the thread; not reported. */
int link_make(struct cmtime_link **link, struct cmtime_rendezvous *rendezvous, const struct cmtime_params *params,
	      const struct wakeup *wake);
/*
 * Waits until data can be read or written, ALIVE is due, the wakeup is triggered or the time has passed (< 0: no
 * limit), and handles that. False: the link is being closed, and everything has been sent.
 */
bool link_turn(struct cmtime_link *link, int64_t limit_ns);
