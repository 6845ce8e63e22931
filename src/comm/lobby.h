/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which of those that connect is a client with a test? Anybody can open a connection: a probe of the port, a browser,
 * somebody who then says nothing. All who are connected are heard at once, each has a short limit, and the first that
 * has said what it wants is served. Who ends before is told of in a line and does not count. Called by
 * perftest_communication.c; the guests stay with the listener while one of them is served.
 */
#ifndef COMM_LOBBY_H
#define COMM_LOBBY_H

#include <stdbool.h>
#include <stdint.h>

#include "comm/perftest_communication.h"

/* So long may a guest take to greet and to say what it wants. */
#define LOBBY_MS 10000

/* As comm_await_client(). */
int lobby_await(struct comm *comm, struct comm_listener *listener, bool greets, int64_t timeout_ms);
/* Closes all connections; NULL is allowed. */
void lobby_close(struct lobby *lobby);

#endif
