/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How do bytes get from one end to the other? TCP sockets that never block: every wait is a
 * poll with a limit. Called by perftest_communication.c and the conversations.
 *
 * tcp_listen() and tcp_connect() report what goes wrong; the others only return it, because
 * their callers know what was waited for.
 */
#ifndef COMM_TCP_H
#define COMM_TCP_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "comm/perftest_communication.h"
#include "util/deadline.h"

/* Waits for one of the events. 0, -ETIMEDOUT, or -EINTR when the user stopped, be it just before the wait. */
int tcp_wait(struct pollfd *fds, unsigned num_fds, struct deadline deadline);

int tcp_listen(struct comm_listener *listener, const struct comm_address *address);
void tcp_unlisten(struct comm_listener *listener);
/* Waits without limit. peer: "10.0.0.1:43210". */
int tcp_accept(const struct comm_listener *listener, int *fd, char *peer, size_t peer_size);
int tcp_connect(const struct comm_address *address, int timeout_ms, int *fd, char *peer, size_t peer_size);

/* Number of bytes taken, 0 when nothing can be sent now, or -ECONNRESET or another -errno. */
ssize_t tcp_send_now(int fd, const void *bytes, size_t length);
/* Number of bytes that came, 0 when there are none now, or -ECONNRESET (also at the end of the stream). */
ssize_t tcp_receive_now(int fd, void *bytes, size_t size);

/* Lets go of the connection in order, so that what was sent last still arrives. */
void tcp_close(int fd);

#endif
