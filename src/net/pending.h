/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connections that have not sent a request yet. Any program can open a connection: a port scan, a browser, one that
 * then sends nothing. All of them are read at the same time, each has a short limit, and one that has sent its request
 * is removed and served. One that ends before that is reported in a line. Bounded in number and in time: PENDING_MAX
 * connections, and a quarter of the process's descriptors; if there is no room the oldest one is dropped of those that
 * have not greeted, so that any number of silent ones displaces no client; if all have, the oldest of all.
 *
 * A server of one client at a time calls pending_await(). A server of many has a loop of its own: pending_admit(),
 * pending_take() until it returns -EAGAIN, pending_poll_fds() and its own descriptors in one wait, pending_wake().
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/conn.h"
#include "net/listener.h"
#include "util/deadline.h"

#define PENDING_MAX	     64
#define PENDING_MAX_FDS	     (PENDING_MAX * CARRIER_FDS)
#define PENDING_LISTENER_FDS 3
#define PENDING_TEXT_SIZE    256

/* PENDING_GREETED: it stays, and what it has sent so far is the beginning of a request. */
enum pending_state { PENDING_STAYS, PENDING_GREETED, PENDING_READY, PENDING_LEAVES };

/* What a program does with connections; a conn is a member of another struct, which accept() allocates. */
struct pending_ops {
	/*
	 * Accepts a waiting connection. 0; -EAGAIN: there is none; -EMFILE and the like; or another -errno, which ends
	 * the wait.
	 */
	int (*accept)(void *context, struct conn **conn);
	/*
	 * Reads what has arrived and says whether it is enough. text: what to report about a connection that ends, or
	 * runs out of time, after its address: "was silent for too long".
	 */
	enum pending_state (*receive)(void *context, struct conn *conn, char text[PENDING_TEXT_SIZE]);
	/* Closes and frees a connection that is not served. */
	void (*drop)(void *context, struct conn *conn);
	/* Reports an ignored connection, if text is not empty; NULL: as "ignored a connection that is not a client". */
	void (*report)(void *context, const struct conn *conn, const char *text);
};

struct pending_conn {
	struct conn *conn;
	struct deadline deadline;
	bool greeted; /* PENDING_GREETED */
};

/* Zeroed except for the first four. */
struct pending {
	const struct pending_ops *ops;
	void *context;
	int64_t limit_ms;			/* of each connection; < 0: none */
	unsigned max;				/* from the program; 0: PENDING_MAX */
	struct pending_conn items[PENDING_MAX]; /* oldest first */
	unsigned count;
	unsigned num_notes;		 /* messages about connections that did not count, since the last that did */
	struct pollfd *fds[PENDING_MAX]; /* where pending_poll_fds() put those of each; NULL: not */
};

/* Adds a connection that was not accepted here; another may have to be dropped. */
void pending_add(struct pending *pending, struct conn *conn);
/* Accepts a bounded number of waiting connections. 0, or -errno of accept(), not reported: -EMFILE: kept none. */
int pending_admit(struct pending *pending);
/* Reports the latter. who could not be accepted: "a client". Returns error. */
int pending_error(int error, const char *who);
/* Returns the first that is ready, which the caller then owns. 0, or -EAGAIN: none is. Drops those that must leave. */
int pending_take(struct pending *pending, struct conn **conn);
/*
 * Fills in what to poll for, at most PENDING_MAX_FDS, and returns the number; *deadline becomes earlier if something is
 * to be done before. After the wait: pending_wake().
 */
unsigned pending_poll_fds(struct pending *pending, struct pollfd *fds, struct deadline *deadline);
void pending_wake(struct pending *pending);
/* Each gets its full time again: they were not read for a while. */
void pending_renew(struct pending *pending);
/*
 * Waits until a connection is ready. listener_fds(): fills in what to poll for new ones, at most PENDING_LISTENER_FDS.
 * 0, -EINTR, or -errno of accept(), not reported; -ENOTCONN: the only connection that was to come has ended, as a note
 * has said.
 */
int pending_await(struct pending *pending, unsigned (*listener_fds)(void *context, struct pollfd *fds),
		  struct conn **conn);
/* Drops all. */
void pending_close(struct pending *pending);

/* --- for struct pending_ops, if a conn is the first member of the struct, of this size, and zeroes begin the rest ---
 */
int pending_conn_accept(struct listener *listener, size_t size, struct conn **conn);
void pending_conn_drop(void *context, struct conn *conn);
