/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A server's TCP port, on IPv4 and IPv6. listener_accept() accepts connections; pending.h handles many at once. Sockets
 * that systemd or `perftest serve` has opened for the process are used instead of those of an address: LISTEN_FDS of
 * them from descriptor 3 on, if LISTEN_PID is its number (sd_listen_fds(3)). One that is connected is the only client
 * there will be.
 */
#pragma once

#include <netdb.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "net/conn.h"

#define LISTENER_FDS	 2  /* at most: one per address family */
#define LISTENER_BACKLOG 16 /* the usual value: clients that wait while another is served */

#define PASSED_FIRST_FD 3

/* Have sockets been passed on, and not been taken by listener_open() yet? */
bool passed_has(void);

struct listener {
	int fd[LISTENER_FDS]; /* non-blocking; -1 unused */
	unsigned num_fds;
	uint16_t port;	/* the kernel's choice, if 0 was requested */
	bool connected; /* fd[0] was passed on, and is a client's connection until that is accepted */
};

/*
 * Listens on bind_ip, or on any address of both families, with one port. 0 or -errno, reported. If the port is in use,
 * and may be, it does not listen, and that is no error.
 */
int listener_open(struct listener *listener, const struct address *address, int backlog);
/*
 * Listens on all of the resolver's addresses that this host has; not reported. -EADDRINUSE: one of them is in use, and
 * it listens on none; -EADDRNOTAVAIL, -EAFNOSUPPORT: this host has none of them.
 */
int listener_open_found(struct listener *listener, const struct addrinfo *found, int backlog);
void listener_close(struct listener *listener); /* may be closed already */
/* For poll(2): fills in num_fds, and returns the number. */
unsigned listener_poll_fds(const struct listener *listener, struct pollfd *fds);
/*
 * Accepts a waiting connection, and opens it. 0; -EAGAIN: there is none; -EMFILE and others: not reported. Closes a
 * connection that it cannot keep.
 */
int listener_accept(struct listener *listener, struct conn *conn);
