/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which of those that connect is a client with a test? Any program can open a connection: a probe of the port, a
 * browser, one that then says nothing. All that are connected are heard at once, each has a short limit, and the first
 * that has said what it wants is served. Who ends before is told of in a line and does not count. Called by
 * perftest_communication.c; the others stay with the listener while one of them is served.
 */
#ifndef COMM_PENDING_CLIENT_H
#define COMM_PENDING_CLIENT_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "comm/comm.h"

/* So long may a connection take to greet and to say what it wants. */
#define PENDING_CLIENT_MS 10000

/* Takes a connection that is there. 0, or -EAGAIN: there is none, or another -errno; not reported. */
int pending_client_accept(struct comm *comm, const struct comm_listener *listener, int64_t timeout_ms);
/* As comm_await_client(). */
int pending_client_await(struct comm *comm, struct comm_listener *listener, bool greets, int64_t timeout_ms);
/* The parts of that for a wait of the caller's own, as comm_next_client() and its neighbours. */
int pending_client_next(struct comm *comm, struct comm_listener *listener, int64_t timeout_ms);
unsigned pending_client_poll_fds(struct comm_listener *listener, struct pollfd *fds, struct deadline *deadline);
void pending_client_wake(struct comm_listener *listener);
void pending_client_renew(struct comm_listener *listener);
/* Lets go of all without a word, in a process that is not theirs; NULL is allowed. */
void pending_client_forget(struct pending_clients *clients);
/* Closes all connections; NULL is allowed. */
void pending_client_close(struct pending_clients *clients);

#endif
