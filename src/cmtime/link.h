/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What binds the instances together while they run: points that all must have reached, figures on their way
 * to the controller, and news of instances that failed, died or went silent. net/star.h keeps them in step, with the
 * controller as the hub; here is what they say to each other. Who loses the controller ends, and it tells the others of
 * everyone that is lost.
 */
#ifndef CMTIME_LINK_H
#define CMTIME_LINK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "cmtime/rendezvous.h"
#include "net/star.h"

#define LINK_MAX_TESTS 2

struct cmtime_link;

/* An instance as all know it. */
struct link_peer {
	bool listens;
	char host[FRAME_HOST_SIZE];
	struct server_address address; /* a server's, once all are ready */
};

/* Takes the rendezvous's connections over, also on failure. 0 or -errno, reported. */
int link_open(struct cmtime_link **link, struct cmtime_rendezvous *rendezvous, const struct cmtime_params *params,
	      const struct wakeup *wake);
void link_close(struct cmtime_link *link); /* takes NULL */

/* --- this instance says (none of these waits) --- */
void link_ready(struct cmtime_link *link, const struct sockaddr_storage *address); /* NULL: a client */
void link_arrive(struct cmtime_link *link, uint32_t point);
void link_at_step(struct cmtime_link *link, unsigned step); /* for ALIVE; STEP_COUNT: none */
/* Figures of a test, which must not change any more; the controller adds its own to the others'. */
void link_deliver(struct cmtime_link *link, unsigned test, const struct conn_stats *stats);
/* The run is over for all. */
void link_abort(struct cmtime_link *link, const char *reason);

/* --- and asks --- */
bool link_all_ready(struct cmtime_link *link);		      /* link_peers() is complete */
bool link_released(struct cmtime_link *link, uint32_t point); /* all were there */
/* Of the controller: have all instances delivered? Then *merged (owned by link) is the whole cluster's. */
bool link_merged(struct cmtime_link *link, unsigned test, const struct conn_stats **merged);
/* Another instance ended the run: "client 2 (alpha): rdma_connect: ..."; NULL: none did. */
const char *link_aborted(struct cmtime_link *link);
const struct link_peer *link_peers(struct cmtime_link *link, uint32_t *count);

/* --- what link_open() and its thread are made of; for tests that bring no thread --- */
/* As link_open(), without the thread; not reported. */
int link_make(struct cmtime_link **link, struct cmtime_rendezvous *rendezvous, const struct cmtime_params *params,
	      const struct wakeup *wake);
/*
 * Waits until something can be read or written, ALIVE is due, the wakeup rings or so much time has passed (< 0: no
 * matter), and deals with it. False: the link is being closed and all has been said.
 */
bool link_turn(struct cmtime_link *link, int64_t limit_ns);

#endif
