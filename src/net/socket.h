/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Connecting a socket with a limit; and how a TCP connection behaves whose messages are small and waited for. */
#ifndef NET_SOCKET_H
#define NET_SOCKET_H

#include <sys/socket.h>

#include "util/deadline.h"

/*
 * Connects a non-blocking socket. waits_for: what a human is told who waits, as wait_fds_telling() has it; NULL:
 * nothing. 0 or -errno, not reported; -EINTR: the user stopped.
 */
int socket_connect(int fd, const struct sockaddr *to, socklen_t length, struct deadline deadline,
		   const char *waits_for);

/* Nothing is held back, and a host whose power went is noticed after 10 + 3 * 5 s. None of it is worth failing for. */
void socket_tune(int fd);

#endif
