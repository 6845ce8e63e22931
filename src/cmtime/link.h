/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What binds the instances together while they run: points that all must have reached, figures on their way
 * to the controller, and news of whoever failed, died or went silent. A thread of its own reads and writes,
 * so that nobody is taken for dead because he works; it rings the main thread's bell when something changed.
 *
 * The instances hang on the controller like the rays of a star: who loses it ends, and it tells the others of
 * everyone that is lost.
 */
#ifndef CMTIME_LINK_H
#define CMTIME_LINK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "cmtime/meeting.h"

#define LINK_MAX_TESTS	2
#define LINK_LAST_POINT UINT32_MAX /* once all have reached it nobody is missed any more */

struct link;

/* An instance as all know it. */
struct link_peer {
	bool listens;
	char host[FRAME_HOST_SIZE];
	struct frame_address address; /* a server's, once all are ready */
};

/* Takes the meeting's channels over, also on failure. 0 or -errno, reported. */
int link_open(struct link **link, struct meeting *meeting, const struct cmtime_params *params,
	      const struct wakeup *wake);
void link_close(struct link *link); /* takes NULL */

/* --- this instance says (none of these waits) --- */
void link_ready(struct link *link, const struct sockaddr_storage *address); /* NULL: a client */
void link_arrive(struct link *link, uint32_t point);
void link_at_step(struct link *link, unsigned step); /* for ALIVE; STEP_COUNT: none */
/* Figures of a test, which must not change any more; the controller adds its own to the others'. */
void link_deliver(struct link *link, unsigned test, const struct figures *figures);
/* The run is over for all. */
void link_abort(struct link *link, const char *reason);

/* --- and asks --- */
bool link_all_ready(struct link *link);		       /* link_peers() is complete */
bool link_released(struct link *link, uint32_t point); /* all were there */
/* Of the controller: has everybody delivered? Then *merged (owned by link) is the whole cluster's. */
bool link_merged(struct link *link, unsigned test, const struct figures **merged);
/* Somebody else ended the run: "client 2 (alpha): rdma_connect: ..."; NULL: nobody did. */
const char *link_aborted(struct link *link);
const struct link_peer *link_peers(struct link *link, uint32_t *count);

/* --- what link_open() and its thread are made of; for tests that bring no thread --- */
/* As link_open(), without the thread; not reported. */
int link_make(struct link **link, struct meeting *meeting, const struct cmtime_params *params,
	      const struct wakeup *wake);
/*
 * Waits until something can be read or written, ALIVE is due, somebody rings or so much time has passed (< 0: no
 * matter), and deals with it. False: the link is being closed and all has been said.
 */
bool link_turn(struct link *link, int64_t limit_ns);

#endif
