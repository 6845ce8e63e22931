/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Connecting a socket with a limit; and the options of a TCP connection with small messages that are waited for. */
#pragma once

#include <sys/socket.h>

#include "util/deadline.h"

/*
 * Connects a non-blocking socket. waits_for: what is awaited, for the user, as in wait_fds_reporting(); NULL: says
 * nothing. 0 or -errno, not reported; -EINTR: the user stopped the program.
 */
int socket_connect(int fd, const struct sockaddr *to, socklen_t length, struct deadline deadline,
		   const char *waits_for);

/* Sends without delay, and notices a host without power after 10 + 3 * 5 s. A failure of these options is ignored. */
void socket_tune(int fd);
