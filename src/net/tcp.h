/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * TCP connections: a carrier, and the client's connect. Sockets never block: every wait is a poll with a limit.
 * listener.h has the server's side.
 */
#pragma once

#include <stdint.h>

#include "net/conn.h"

/* Connects to one of the server's addresses, IPv4 first. timeout_ms < 0: no limit. -errno is reported except -EINTR. */
int tcp_connect(struct conn *conn, const struct address *address, int64_t timeout_ms);
/* For a connected socket, which it then owns, also on failure. 0 or -ENOMEM. */
int conn_open_fd(struct conn *conn, int fd, const char *role);
/* The same in silence, to resolved addresses: 0 or what address_try_each() returns. */
int tcp_connect_any(struct conn *conn, const struct addrinfo *found, struct deadline deadline);
/* As TCP measures it, microseconds; 0: unknown. */
uint32_t tcp_round_trip_us(const struct conn *conn);

/*
 * Connects a non-blocking socket. waits_for: what is awaited, for the user, as in wait_fds_reporting(); NULL: says
 * nothing. 0 or -errno, not reported; -EINTR: the user stopped the program.
 */
int socket_connect(int fd, const struct sockaddr *to, socklen_t length, struct deadline deadline,
		   const char *waits_for);

/* Sends without delay, and notices a host without power after 10 + 3 * 5 s. A failure of these options is ignored. */
void socket_tune(int fd);
