/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A buffered connection: whole messages over something that delivers bytes (a struct carrier). What is waited for has a
 * deadline and heeds the user's stop; what does not wait keeps the rest for the next call.
 *
 * Nothing is reported, but by conn_report(). -ETIMEDOUT: the deadline passed. -ECONNRESET: the peer is gone; what it
 * sent before is still to be looked at. -EINTR: the user stopped. -ENOMEM.
 */
#ifndef NET_CONN_H
#define NET_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/address.h"
#include "net/carrier.h"
#include "util/deadline.h"

/* Messages up to so many bytes are received without an allocation. */
#define CONN_ROOM 8192U
/* conn_post() keeps so many bytes that can't be sent at once. */
#define CONN_POST 64U
/* conn_reserve() keeps at most so many. */
#define CONN_MOST_OUT (64U << 20)

struct conn {
	const struct carrier *carrier; /* NULL: not connected */
	int fd;			       /* of TCP; -1: none */
	void *handle;		       /* of another carrier */
	const char *role;	       /* "server" or "client": what the peer is */
	char peer[ADDRESS_TEXT_SIZE];  /* "10.0.0.1:43210", for messages */
	/* --- of this layer --- */
	uint8_t *in;		  /* NULL: not open */
	size_t in_start, in_used; /* bytes that were consumed, and of all that came, in in[] */
	size_t in_size;
	uint8_t *out;
	size_t out_start, out_used; /* bytes that were sent, and all of them, in out[] */
	size_t out_size;
	bool out_broken; /* a message was cut off: nothing more can be sent */
};

/* Buffers for a connection that has its carrier. 0 or -ENOMEM; then the connection is closed. */
int conn_open(struct conn *conn);
/* Waits no longer than its carrier does for what was sent last. Takes a zeroed struct, and one that is closed. */
void conn_close(struct conn *conn);
/*
 * Lets go of a TCP socket as it is, as when a child has it now: it is the caller's. What was received and not consumed,
 * or not sent, is forgotten.
 */
int conn_release(struct conn *conn);

/* --- receiving --- */
/* What came and was not consumed: so many bytes, at conn_data(). */
static inline size_t conn_pending(const struct conn *conn)
{
	return conn->in_used - conn->in_start;
}

static inline const uint8_t *conn_data(const struct conn *conn)
{
	return conn->in + conn->in_start;
}

/*
 * Receives something, with room for want bytes in all. The caller looks whether it is enough, and says for how much it
 * has room before it trusts a length that came. What is received beyond want is little, however much was sent.
 */
int conn_fill(struct conn *conn, size_t want, struct deadline deadline);
/* The same without waiting; 0 also when nothing came. */
int conn_fill_ready(struct conn *conn, size_t want);
/* The same for CONN_ROOM bytes in all: neither waits nor allocates. */
int conn_fill_now(struct conn *conn);
/* All that is there, up to most bytes in all; the rest stays in the socket. */
int conn_fill_all(struct conn *conn, size_t most);
/* One receive for them, which ends at what is urgent. */
int conn_fill_some(struct conn *conn, size_t most);
/* Does conn_fill_now() receive no more before something is consumed? */
bool conn_is_full(const struct conn *conn);
/* Drops length bytes, not more than are pending, from the front. */
void conn_consume(struct conn *conn, size_t length);

/* --- sending --- */
/* All bytes, waiting for room. */
int conn_send(struct conn *conn, const void *bytes, size_t length, struct deadline deadline);
/*
 * Neither waits nor allocates; what does not fit now goes out with the next call of any of these. A droppable
 * message is left out when something waits already; another one, when no room is left: -EAGAIN.
 */
int conn_post(struct conn *conn, const void *bytes, size_t length, bool droppable);
/* Room for length bytes behind all that waits, which the caller fills in before conn_flush(). -ENOBUFS: too much. */
int conn_reserve(struct conn *conn, size_t length, uint8_t **bytes);
/* Sends what waits, as far as it goes now. */
int conn_flush(struct conn *conn);
bool conn_has_output(const struct conn *conn);
/* The last words before a close: what does not fit into the socket is lost. */
void conn_post_last(struct conn *conn, const void *bytes, size_t length);
/* Tells the peer's system that nothing more follows; receiving goes on. */
void conn_finish(struct conn *conn);

/* --- waiting --- */
/* Until one of POLLIN and POLLOUT is worth trying. 0, -ETIMEDOUT or -EINTR. */
int conn_wait(struct conn *conn, short events, struct deadline deadline);
/*
 * For loops in which the peer keeps something coming, so that no wait is long: 0, or -EINTR or -ETIMEDOUT as a wait
 * would say.
 */
int conn_over(struct deadline deadline);
/* Between which addresses it stands; AF_UNSPEC where that is not known. */
void conn_addresses(const struct conn *conn, struct addresses *addresses);

/*
 * Reports why the wait of timeout_ms for the peer's `noun` failed (not for -EINTR): "the client (10.0.0.1:43210) was
 * silent for 10 s while this side waited for its request". Returns what the caller passes on.
 */
int conn_report(const struct conn *conn, int error, const char *noun, int64_t timeout_ms);

#endif
