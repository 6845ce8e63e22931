/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds a client with a test among the connections. Any program can open one: a port scan, a browser, one that then
 * sends nothing. All connections are read at the same time, each has a short limit, and the first that has sent its
 * request is served, by comm_await_client() or comm_next_client(). One that ends before that is reported in a line and
 * does not count. The others stay with the listener while one is served.
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "comm/comm.h"
#include "net/pending.h"

/* The time for a connection to greet and to send its request. */
#define PENDING_CLIENT_MS 10000

/* Accepts a waiting connection. 0, or -EAGAIN: there is none, or another -errno; not reported. */
int pending_client_accept(struct comm *comm, struct comm_listener *listener, int64_t timeout_ms);
/*
 * Waits without a limit (until the user stops the program) for a client that has greeted and, if its protocol has one,
 * sent its request. Other connections are read at the same time, for 10 s each, and stay with the listener. greets:
 * false with --dont_xchg_versions, when this layer cannot judge what a connection sends. timeout_ms applies to later
 * waits, and limits those 10 s.
 */
int comm_await_client(struct comm *comm, struct comm_listener *listener, bool greets, int64_t timeout_ms);
/*
 * The same for a program with its own wait, which serves several at once: call comm_next_client() until it returns
 * -EAGAIN, add comm_listener_poll_fds() to the wait (at most COMM_LISTENER_FDS; *deadline becomes earlier if something
 * is to be done before), and call comm_listener_wake() after it. Other errors are reported.
 */
int comm_next_client(struct comm *comm, struct comm_listener *listener, int64_t timeout_ms);
/* For the caller's wait, as comm_next_client() says. */
#define COMM_LISTENER_FDS (PENDING_LISTENER_FDS + PENDING_MAX_FDS)
unsigned comm_listener_poll_fds(struct comm_listener *listener, struct pollfd *fds, struct deadline *deadline);
void comm_listener_wake(struct comm_listener *listener);
/* Connections were not read for a while: each gets its full time again. */
void comm_listener_renew(struct comm_listener *listener);
/* Frees all without sending anything, in a process that does not own them; NULL is allowed. */
void pending_client_forget(struct pending_clients *clients);
/* Closes all connections; NULL is allowed. */
void pending_client_close(struct pending_clients *clients);
