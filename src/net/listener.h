/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A server's TCP port, on IPv4 and IPv6. Who connects is taken in by listener_accept(); pending.h keeps the crowd. */
#ifndef NET_LISTENER_H
#define NET_LISTENER_H

#include <netdb.h>
#include <poll.h>
#include <stdint.h>

#include "net/conn.h"

#define LISTENER_FDS	 2  /* at most: one per address family */
#define LISTENER_BACKLOG 16 /* usual: clients that wait while another one is served */

struct listener {
	int fd[LISTENER_FDS]; /* non-blocking; -1 unused */
	unsigned num_fds;
	uint16_t port; /* the kernel's choice, where 0 was asked for */
};

/* On bind_ip, or on any address of both families, with one port. 0 or -errno, reported. */
int listener_open(struct listener *listener, const struct address *address, int backlog);
/* The same where the port may well be in use: then nothing is listened on, and that is no error. */
int listener_try(struct listener *listener, const struct address *address, int backlog);
/*
 * On all of the resolver's addresses that this host has; not reported. -EADDRINUSE: one of them is taken, and then none
 * is listened on; -EADDRNOTAVAIL, -EAFNOSUPPORT: none is this host's.
 */
int listener_open_found(struct listener *listener, const struct addrinfo *found, int backlog);
void listener_close(struct listener *listener); /* takes one that is closed */
/* For poll(2): fills in num_fds, and returns how many. */
unsigned listener_poll_fds(const struct listener *listener, struct pollfd *fds);
/*
 * Takes a connection that waits, and opens it. 0; -EAGAIN: there is none; -EMFILE and others: not reported. It closes
 * what it can't keep.
 */
int listener_accept(const struct listener *listener, struct conn *conn);

#endif
