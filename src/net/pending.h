/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connections that have yet to say what they want. Any program can open a connection: a probe of the port, a browser,
 * one that then says nothing. All of them are heard at once, each has a short limit, and one that has said what it
 * wants is taken out and served. Who ends before is told of in a line. Bounded in number and in time:
 * PENDING_MAX connections, and a quarter of the descriptors that the process may have; the one that has been here
 * longest makes room.
 *
 * A server of one client at a time calls pending_await(). One of many has a loop of its own: pending_admit(),
 * pending_take() until it says -EAGAIN, pending_poll_fds() and its own descriptors into one wait, pending_wake().
 */
#ifndef NET_PENDING_H
#define NET_PENDING_H

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
#define PENDING_WORDS_SIZE   256

enum pending_state { PENDING_STAYS, PENDING_READY, PENDING_LEAVES };

/* What a program does with those that connect; a conn stands in a struct of its own, which accept() makes. */
struct pending_ops {
	/* Takes one that waits. 0; -EAGAIN: there is none; -EMFILE and the like; or another -errno, which ends the
	 * wait. */
	int (*accept)(void *context, struct conn **conn);
	/*
	 * Reads what is there and says whether it is enough. words: what is to be said of a connection that leaves, or
	 * whose time is over by then, behind its address: "was silent for too long".
	 */
	enum pending_state (*hear)(void *context, struct conn *conn, char words[PENDING_WORDS_SIZE]);
	/* Closes and frees one that is not served. */
	void (*drop)(void *context, struct conn *conn);
	/* Reports one that is ignored, if there are words; NULL: as "ignored a connection that is not a client". */
	void (*tell)(void *context, const struct conn *conn, const char *words);
};

struct pending_conn {
	struct conn *conn;
	struct deadline deadline;
};

/* Zeroed but for the first four. */
struct pending {
	const struct pending_ops *ops;
	void *context;
	int64_t limit_ms;			/* of each connection; < 0: none */
	unsigned max;				/* of the program; 0: PENDING_MAX */
	struct pending_conn items[PENDING_MAX]; /* in the order in which they came */
	unsigned count;
	unsigned num_notes;		 /* lines about connections that did not count, since the last that did */
	struct pollfd *fds[PENDING_MAX]; /* where pending_poll_fds() put those of each; NULL: nowhere */
};

/* Takes one in that came in another way than by accept(); the one that has been here longest may have to leave. */
void pending_add(struct pending *pending, struct conn *conn);
/* Takes in who waits, not without end. 0, or -errno of accept(), not reported: -EMFILE: not even one can be kept. */
int pending_admit(struct pending *pending);
/* The first that is ready; it is the caller's. 0, or -EAGAIN: none is. Who has to leave is sent away. */
int pending_take(struct pending *pending, struct conn **conn);
/*
 * Fills in what to poll for, PENDING_MAX_FDS at most, and returns how many; *deadline becomes earlier where there is
 * something to do before. Then, after the wait: pending_wake().
 */
unsigned pending_poll_fds(struct pending *pending, struct pollfd *fds, struct deadline *deadline);
void pending_wake(struct pending *pending);
/* Each has its whole time again: they were not heard for a while. */
void pending_renew(struct pending *pending);
/*
 * Until a connection is ready. listener_fds(): fills in what to poll for new ones, PENDING_LISTENER_FDS at most. 0,
 * -EINTR, or -errno of accept(), not reported.
 */
int pending_await(struct pending *pending, unsigned (*listener_fds)(void *context, struct pollfd *fds),
		  struct conn **conn);
/* Drops all. */
void pending_close(struct pending *pending);

/* --- for struct pending_ops, where a connection's struct holds nothing else --- */
int pending_conn_accept(const struct listener *listener, struct conn **conn);
void pending_conn_drop(void *context, struct conn *conn);

#endif
