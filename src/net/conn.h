/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A buffered connection: whole messages over something that transfers bytes (a struct carrier). Waits have a deadline
 * and end when the user stops the program; calls that do not wait keep the rest for the next call.
 *
 * Only the last two report anything. -ETIMEDOUT: the deadline passed. -ECONNRESET: the peer is gone; what it sent
 * before can still be read. -EINTR: the user stopped the program. -ENOMEM.
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "net/address.h"
#include "util/deadline.h"
#include "util/endpoint.h"

/* Messages up to this many bytes are received without an allocation. */
#define CONN_ROOM 8192U
/* conn_post() keeps this many bytes that cannot be sent at once. */
#define CONN_POST 64U
/* conn_reserve() keeps at most this many bytes. */
#define CONN_MOST_OUT (64U << 20)

struct conn;

#define CARRIER_FDS 2 /* at most, per connection */

/*
 * How bytes are transferred between two connected ends. One struct carrier per kind of connection, chosen when it is
 * established; conn.c adds buffers. Nothing is reported here: the callers know what was awaited.
 */
struct carrier {
	const char *name; /* as in the header's "Data ex. method" */
	/* What is sent at once arrives at once; classic peers use another form of keys for that. */
	bool packets;
	/* Number of bytes accepted, 0 if nothing can be sent now, or -ECONNRESET or another -errno. */
	ssize_t (*send_now)(struct conn *conn, const void *bytes, size_t length);
	/* Number of bytes received, 0 if there are none now, or -ECONNRESET (also at the end of the stream). */
	ssize_t (*receive_now)(struct conn *conn, void *bytes, size_t size);
	/*
	 * Fills in what to poll for until one of POLLIN and POLLOUT is worth trying, at most CARRIER_FDS, and returns
	 * the number; 0: it is worth trying now; or -errno.
	 */
	int (*poll_fds)(struct conn *conn, short events, struct pollfd *fds);
	/* A poll has set their revents, perhaps for something else; NULL: not needed. */
	void (*wake)(struct conn *conn, const struct pollfd *fds);
	/* The addresses of both ends; unknown ones stay AF_UNSPEC. */
	void (*addresses)(const struct conn *conn, struct addresses *addresses);
	/* Sends no more, but still receives. NULL: only closing does that. */
	void (*finish)(struct conn *conn);
	/* The peer waits for our messages without checking the connection: makes it fail. NULL: closing is enough. */
	void (*break_off)(struct conn *conn);
	/* Closes the connection in order, so that the last data still arrives. */
	void (*close)(struct conn *conn);
};

extern const struct carrier carrier_tcp; /* tcp.c; the connection is conn->fd, non-blocking */

struct conn {
	const struct carrier *carrier; /* NULL: not connected */
	int fd;			       /* of TCP; -1: none */
	void *handle;		       /* of another carrier */
	const char *role;	       /* "server" or "client": what the peer is */
	char peer[ADDRESS_TEXT_SIZE];  /* "10.0.0.1:43210", for messages */
	/* --- of this layer --- */
	uint8_t *in;		  /* NULL: not open */
	size_t in_start, in_used; /* bytes consumed, and all bytes received, in in[] */
	size_t in_size;
	uint8_t *out;
	size_t out_start, out_used; /* bytes sent, and all bytes, in out[] */
	size_t out_size;
	bool out_broken; /* a message was truncated: nothing more can be sent */
	/* set by the program: */
	bool ignores_stop; /* waits go on although the user has stopped it */
	bool is_exact;	   /* conn_fill() receives no more than is wanted: the rest stays in the socket, for poll(2) */
};

/* Allocates buffers for a connection with a carrier. 0 or -ENOMEM; then the connection is closed. */
int conn_open(struct conn *conn);
/* Waits only as long as its carrier does for the last data. The struct may be zeroed, or closed already. */
void conn_close(struct conn *conn);
/*
 * Releases a TCP socket as it is, for example to a child process: the caller owns it. Bytes that were received and not
 * consumed, or not sent, are lost.
 */
int conn_release(struct conn *conn);

/* --- receiving --- */
/* Number of bytes received and not consumed, at conn_data(). */
static inline size_t conn_pending(const struct conn *conn)
{
	return conn->in_used - conn->in_start;
}

static inline const uint8_t *conn_data(const struct conn *conn)
{
	return conn->in + conn->in_start;
}

/*
 * Receives something, with room for want bytes in total. The caller checks whether it is enough, and checks a received
 * length before it passes that as want. Little is received beyond want, however much was sent.
 */
int conn_fill(struct conn *conn, size_t want, struct deadline deadline);
/* The same without waiting; 0 also if nothing arrived. want 0: nothing in particular; then it does not allocate either.
 */
int conn_fill_now(struct conn *conn, size_t want);
/* Receives all available bytes, up to most in total; the rest stays in the socket. */
int conn_fill_all(struct conn *conn, size_t most);
/* The same with one receive call, which ends at urgent data. */
int conn_fill_some(struct conn *conn, size_t most);
/* Can conn_fill_now() receive nothing until something is consumed? */
bool conn_is_full(const struct conn *conn);
/* Removes length bytes, at most those pending, from the front. */
void conn_consume(struct conn *conn, size_t length);

/* --- sending --- */
/* Sends all bytes, waiting for room. */
int conn_send(struct conn *conn, const void *bytes, size_t length, struct deadline deadline);
/*
 * Neither waits nor allocates; what does not fit now is sent by the next call of any of these. A droppable message is
 * dropped if something waits already; another one if there is no room: -EAGAIN.
 */
int conn_post(struct conn *conn, const void *bytes, size_t length, bool droppable);
/* Room for length bytes after all that waits, for the caller to fill before conn_flush(). -ENOBUFS: too much. */
int conn_reserve(struct conn *conn, size_t length, uint8_t **bytes);
/* Sends what waits, as far as possible now. */
int conn_flush(struct conn *conn);
/* Waits until all of it is sent. After a failure, the last length bytes of it are dropped if none of them was. */
int conn_drain(struct conn *conn, size_t length, struct deadline deadline);
bool conn_has_output(const struct conn *conn);
/* The last message before a close: what does not fit into the socket is lost. */
void conn_post_last(struct conn *conn, const void *bytes, size_t length);
/* Tells the peer's system that nothing follows; receiving continues. */
void conn_finish(struct conn *conn);

/* --- waiting --- */
/* Waits until one of POLLIN and POLLOUT is worth trying. 0, -ETIMEDOUT or -EINTR. */
int conn_wait(struct conn *conn, short events, struct deadline deadline);
/* For loops in which the peer keeps sending, so that no wait is long: 0, or -EINTR or -ETIMEDOUT as from a wait. */
int conn_over(const struct conn *conn, struct deadline deadline);
/* The addresses of both ends; AF_UNSPEC if unknown. */
void conn_addresses(const struct conn *conn, struct addresses *addresses);

/* Reports "the client (10.0.0.1:43210) " and what it did, or is. Returns error. */
int conn_error(const struct conn *conn, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));
/*
 * Reports why the wait of timeout_ms for the peer's `noun` failed (not for -EINTR): "the client (10.0.0.1:43210) was
 * silent for 10 s while this side waited for its request". Returns what the caller returns.
 */
int conn_report(const struct conn *conn, int error, const char *noun, int64_t timeout_ms);
