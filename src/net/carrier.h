/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How do bytes get from one end to the other, once both are connected? One struct carrier per way,
 * chosen when the connection is made; conn.c buffers above it. Nothing here is reported: the
 * callers know what was waited for.
 */
#ifndef NET_CARRIER_H
#define NET_CARRIER_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "util/addresses.h"
#include "util/deadline.h"

struct conn;

#define CARRIER_FDS 2 /* at most, of a connection */

struct carrier {
	const char *name; /* as the header's "Data ex. method" has it */
	/* What was sent at once arrives at once; of classic peers, which have another form of keys for that. */
	bool packets;
	/* Number of bytes taken, 0 when nothing can be sent now, or -ECONNRESET or another -errno. */
	ssize_t (*send_now)(struct conn *conn, const void *bytes, size_t length);
	/* Number of bytes that came, 0 when there are none now, or -ECONNRESET (also at the end of the stream). */
	ssize_t (*receive_now)(struct conn *conn, void *bytes, size_t size);
	/* Until one of POLLIN and POLLOUT is worth trying, as wait_fds(). */
	int (*wait)(struct conn *conn, short events, struct deadline deadline);
	/*
	 * For waiting for several connections at once: fills in what to poll for, CARRIER_FDS or fewer, and returns
	 * how many; 0: one of the events is worth trying now; or -errno.
	 */
	int (*poll_fds)(struct conn *conn, short events, struct pollfd *fds);
	/* A poll has set the revents of them; NULL: of no interest. */
	void (*wake)(struct conn *conn, const struct pollfd *fds);
	/* Between which addresses it stands; what is not known stays AF_UNSPEC. */
	void (*addresses)(const struct conn *conn, struct addresses *addresses);
	/* Sends no more; what comes is still received. NULL: only closing says that. */
	void (*finish)(struct conn *conn);
	/*
	 * The peer waits for messages of ours, and does not look at whether the connection stands: it is made to
	 * fail. NULL: it hears of the close.
	 */
	void (*break_off)(struct conn *conn);
	/* Lets go of the connection in order, so that what was sent last still arrives. */
	void (*close)(struct conn *conn);
};

extern const struct carrier carrier_tcp; /* tcp.c; the connection is conn->fd, non-blocking */

#endif
