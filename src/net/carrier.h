/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How bytes are transferred between two connected ends. One struct carrier per kind of connection, chosen when it is
 * established; conn.c adds buffers. Nothing is reported here: the callers know what was awaited.
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "util/endpoint.h"

struct conn;

#define CARRIER_FDS 2 /* at most, per connection */

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
