/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Many instances that run in step: a star of connections with a hub in its middle. Points are a barrier that all must
 * have reached; an instance that dies, goes silent, floods or keeps the others waiting is known, by name of its rank. A
 * thread of its own reads and writes, so that no instance is taken for dead because it works.
 *
 * What the messages are is the program's: it reads them in struct star_ops and tells star_heard_*() of them. All of it
 * runs with star->lock held.
 */
#ifndef NET_STAR_H
#define NET_STAR_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "net/conn.h"
#include "net/wakeup.h"
#include "util/deadline.h"

#define STAR_LAST_POINT UINT32_MAX /* once all have reached it none is missed any more */

struct star;

/* One connection: of the hub to a member, or of a member to the hub. */
struct star_conn {
	struct conn conn;
	uint32_t rank;	   /* of who is at the other end; the hub's is 0 */
	uint32_t arrived;  /* the newest point */
	uint32_t progress; /* what else it has done; the program counts, in one order for all */
	/* --- of this layer --- */
	struct deadline silence;
	struct deadline interval; /* in which it may say num_alive times that it lives */
	unsigned num_alive;
};

struct star_ops {
	/* Reads what is there, and tells star_heard() and the like. NULL; or how the connection is lost: "died". */
	const char *(*read)(struct star *star, struct star_conn *peer, char *how, size_t size);
	/* Says to all that this instance lives. */
	void (*say_alive)(struct star *star);
	/* The hub's: tells all that the point is reached. */
	void (*say_released)(struct star *star, uint32_t point);
	/* A connection is lost, for the reason that is said; its connection is closed behind it. */
	void (*lose)(struct star *star, struct star_conn *peer, const char *how);
	/* The hub's, after a turn in which something may have come; NULL: nothing is to be done. */
	void (*turned)(struct star *star);
};

struct star {
	/* set by the program, with all else zeroed */
	const struct star_ops *ops;
	bool is_hub;
	int64_t timeout_ms;
	struct star_conn *conns; /* the program's memory; connections are closed by star_close() */
	uint32_t num_conns;
	const struct wakeup *main; /* rung when something changed */

	pthread_mutex_t lock;	    /* all below */
	uint32_t arrived, progress; /* this instance's, as of a star_conn */
	uint32_t released;
	bool is_over; /* the run is aborted: the hub looks for no instance any more */
	/* --- of this layer --- */
	pthread_t thread;
	bool has_thread;
	bool stopping;
	struct pollfd *fds;	  /* the thread's: one for the wakeup, and one for each connection */
	struct deadline alive;	  /* the thread's: when it is said again */
	struct deadline last;	  /* the thread's: of the end */
	struct wakeup wakeup;	  /* of the thread */
	uint64_t total;		  /* the hub's: what all together have done */
	struct deadline lateness; /* and how long it may stand still while an instance is behind */
};

/* Without a thread. 0 or -errno, not reported; then star_close() takes it, too. */
int star_open(struct star *star);
/* The thread that takes turns. 0 or -errno, not reported. */
int star_start(struct star *star);
/* Waits for the last words to go out, and closes all connections. */
void star_close(struct star *star);
/*
 * Waits until something can be read or written, it is time to say that this instance lives, the wakeup rings or so much
 * time has passed (< 0: no matter), and deals with it. False: the star is being closed and all has been said. For the
 * thread, and for tests that bring none.
 */
bool star_turn(struct star *star, int64_t limit_ns);

/* --- with the lock held --- */
/* Something was said, to be sent by the thread. */
void star_wake(struct star *star);
/* This instance has come to a point. */
void star_arrive(struct star *star, uint32_t point);
/* A whole message came. */
void star_heard(struct star *star, struct star_conn *peer);
/* What it was; NULL, or what is wrong with it. */
const char *star_heard_alive(struct star_conn *peer);
const char *star_heard_arrived(struct star *star, struct star_conn *peer, uint32_t point);
const char *star_heard_released(struct star *star, uint32_t point);
void star_lose(struct star *star, struct star_conn *peer, const char *how);

#endif
