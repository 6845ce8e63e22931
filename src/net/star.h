/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Many instances that run in step: a star of connections with a hub in the middle. Points are barriers that all must
 * reach. An instance that dies, becomes silent, floods or delays the others is detected and reported by its rank. A
 * separate thread reads and writes, so that an instance is not considered dead while it works.
 *
 * The program defines the messages: it handles them in struct star_ops and passes them to star_*(). All of that
 * runs with star->lock held.
 *
 * A channel (channel.h) is for two programs that wait for each other's messages in an order that both know. Here a
 * thread takes what any of many sends while the program works, and what one does wrong ends the run of all, by its
 * rank: of a channel for each only the buffer (conn.h) and the messages would be used, as they are without it.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "net/conn.h"
#include "net/message.h"
#include "net/wakeup.h"
#include "util/deadline.h"

#define STAR_LAST_POINT UINT32_MAX /* once all have reached it, a lost connection is no error */

struct star;

/* A connection: of the hub to a member, or of a member to the hub. */
struct star_conn {
	struct conn conn;
	uint32_t rank;	   /* of the other end; the hub's is 0 */
	uint32_t arrived;  /* the last point reached */
	uint32_t progress; /* other progress, counted by the program, in the same order for all */
	/* --- of this layer --- */
	struct deadline silence;
	struct deadline interval; /* in which num_alive heartbeats arrived since the last point */
	unsigned num_alive;
	int unsent; /* -errno: there was no room for a message to it */
};

struct star_ops {
	/* Handles the first message of the connection, whole, with star_received_...(). NULL, or what is wrong with it.
	 */
	const char *(*take)(struct star *star, struct star_conn *peer, const struct message_header *header);
	/* What the end of a connection is called; NULL: that it died or was cut off. */
	const char *(*ended)(const struct star *star, const struct star_conn *peer);
	/* On the hub: tells all that the point is reached. */
	void (*send_released)(struct star *star, uint32_t point);
	/* A connection is lost, for the given reason; it is closed afterwards. */
	void (*lose)(struct star *star, struct star_conn *peer, const char *how);
	/* On the hub, after a turn in which something may have arrived; NULL: nothing to do. */
	void (*turned)(struct star *star);
};

struct star {
	/* set by the program, everything else is zeroed */
	const struct star_ops *ops;
	const struct message_protocol *protocol;
	size_t most;	   /* bytes of a message with its header, and of what is received at a time */
	const void *pulse; /* the struct of ALIVE, which is sent to all once a second; the program's memory */
	bool is_hub;
	int64_t timeout_ms;
	struct star_conn *conns; /* the program's memory; star_close() closes the connections */
	uint32_t num_conns;
	const struct wakeup *main; /* rung when something has changed */

	pthread_mutex_t lock;	    /* all below */
	uint32_t arrived, progress; /* of this instance, as in a star_conn */
	uint32_t released;
	bool is_over; /* the run is aborted: the hub no longer waits for any instance */
	/* --- of this layer --- */
	pthread_t thread;
	bool has_thread;
	bool stopping;
	struct pollfd *fds;	  /* of the thread: one for the wakeup, and one per connection */
	struct deadline alive;	  /* of the thread: time of the next heartbeat */
	struct deadline last;	  /* of the thread: time limit of the end */
	struct deadline due;	  /* of the thread: its next turn is no later, unless it is stopped */
	int64_t stopped_ns;	  /* for so long it was, at most at a time; ... */
	struct deadline resumed;  /* ... 0 from this time on: all have been heard since, or are silent */
	struct wakeup wakeup;	  /* of the thread */
	uint64_t total;		  /* of the hub: progress of all together */
	struct deadline lateness; /* and how long it may stay the same while an instance is behind */
};

/* Without a thread. 0 or -errno, not reported; call star_close() even then. */
int star_open(struct star *star);
/* Starts the thread that takes turns. 0 or -errno, not reported. */
int star_start(struct star *star);
/* Waits until the last messages are sent, and closes all connections. */
void star_close(struct star *star);
/*
 * Waits until something can be read or written, a heartbeat is due, the wakeup rings or limit_ns has passed (< 0: no
 * limit), and handles it. False: the star is being closed and everything is sent. For the thread, and for tests without
 * one.
 */
bool star_turn(struct star *star, int64_t limit_ns);

/* --- with the lock held --- */
/* There is something for the thread to send. */
void star_wake(struct star *star);
/* If there is no room for the message, the peer is lost in the next turn. */
void star_send_one(struct star *star, struct star_conn *peer, unsigned type, const void *from);
/* To all. */
void star_send(struct star *star, unsigned type, const void *from);
/* This instance has reached a point. */
void star_arrive(struct star *star, uint32_t point);
/* Handles a kind of message; NULL, or what is wrong with it. */
const char *star_received_alive(struct star_conn *peer);
const char *star_received_arrived(struct star *star, struct star_conn *peer, uint32_t point);
const char *star_received_released(struct star *star, uint32_t point);
void star_lose(struct star *star, struct star_conn *peer, const char *how);
