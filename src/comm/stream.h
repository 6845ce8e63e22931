/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How does a conversation send and receive whole messages over a connection that delivers
 * bytes? Buffers of struct comm, limits, and the lines that say what went wrong. Called by
 * the conversations and by perftest_communication.c.
 */
#ifndef COMM_STREAM_H
#define COMM_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "comm/perftest_communication.h"
#include "util/deadline.h"

/* comm has its carrier. 0 or -ENOMEM, reported. */
int stream_open(struct comm *comm, bool client, int64_t timeout_ms);

/* When a wait that starts now ends: after timeout_ms, and not beyond what comm_bound() said. */
struct deadline stream_limit(const struct comm *comm);
/* The same with another limit. */
struct deadline stream_limit_of(const struct comm *comm, int64_t ms);
/* Has all the time passed that comm_bound() gave? */
bool stream_is_over(const struct comm *comm);
/*
 * For loops in which the peer keeps something coming, so that no wait is long: 0, or -EINTR or -ETIMEDOUT as a wait
 * would say.
 */
int stream_over(struct deadline deadline);

/* All bytes. 0, -ETIMEDOUT, -EINTR, -ECONNRESET; nothing is reported. */
int stream_send(struct comm *comm, const void *bytes, size_t length);
/*
 * Without blocking; what does not fit now goes out with the next call of any of these. A droppable
 * message is left out when something waits already; another one, when no room is left: -EAGAIN.
 */
int stream_post(struct comm *comm, const void *bytes, size_t length, bool droppable);

/* The last words before a close: what does not fit into the socket is lost. */
void stream_post_last(struct comm *comm, const void *bytes, size_t length);
/* Tells the peer's system that nothing more follows; receiving goes on. */
void stream_finish(struct comm *comm);

/*
 * Receives something into comm->in, which gets room for want bytes in all. 0, or as stream_send(),
 * or -ENOMEM. The caller looks whether it is enough. What is received beyond want is little, however much was sent:
 * taking small messages from the front of a long queue costs the square of its length.
 */
int stream_fill(struct comm *comm, size_t want, struct deadline deadline);
/* The same, but only what is there now, and little of it: no wait, no allocation. 0 also when nothing came. */
int stream_fill_now(struct comm *comm);
/* The same, for a message of want bytes in all, for which it makes room. 0 also when nothing came. */
int stream_fill_ready(struct comm *comm, size_t want);
/* Does stream_fill_now() receive no more before something is consumed? */
bool stream_is_full(const struct comm *comm);
/* Drops length bytes from the front of comm->in. */
void stream_consume(struct comm *comm, size_t length);

/* "server" or "client": what the peer is. */
const char *stream_peer_role(const struct comm *comm);
/* Reports why the wait for the peer's `noun` failed (not for -EINTR). Returns what the caller passes on. */
int stream_report(const struct comm *comm, int error, const char *noun);
/* The same for a server that took the connection and does not say whether it will serve. */
int stream_report_busy(const struct comm *comm, int error);
/* Up to size - 1 of the bytes for a message: printable ASCII, the others as '.'. Returns text. */
const char *stream_printable(const uint8_t *bytes, size_t length, char *text, size_t size);

#endif
