/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One frame of the native format (docs/wire.md) at a time: waited for with a limit, decoded where it lies, sent. What
 * the conversation is made of is in native.c.
 *
 * HEARTBEAT, INTERVAL, DONE and ABORT may come at any time after the agreement, and a WAIT in front of a BARRIER;
 * whatever waits for another message takes note of them.
 */
#ifndef COMM_NATIVE_FRAME_H
#define COMM_NATIVE_FRAME_H

#include <stdbool.h>

#include "comm/comm.h"
#include "comm/wire.h"

/* Can the peer be one of several that are measured at once, and say WAIT? */
bool native_gathers(const struct comm *comm);
/* The message at the front of what came. 1: complete; 0: more bytes are needed; -EBADMSG, reported. */
int native_front(const struct comm *comm, struct wire_header *header);
/* Decodes the complete message at the front; it stays there, because message may point into it. */
int native_decode(const struct comm *comm, const struct wire_header *header, struct wire_message *message);
void native_consume(struct comm *comm, const struct wire_header *header);
/* Whether the message may come while another one is waited for. */
bool native_is_interim(const struct wire_header *header);
/* Deals with such a message, complete at the front. 0, or an error, reported. */
int native_take_interim(struct comm *comm, const struct wire_header *header);
/*
 * Waits until a message of the type is complete at the front of what came. Only words for it start the limit anew, a
 * HEARTBEAT while the peer's loop runs and a WAIT before a start: a peer that sends a byte a second does not hold this
 * side.
 */
int native_await(struct comm *comm, enum wire_type expected, struct wire_header *header);
/* Waits, decodes and consumes; for messages that point nowhere. */
int native_receive(struct comm *comm, enum wire_type expected, struct wire_message *message);
/* noun: what the peer would have answered with. */
int native_transmit(struct comm *comm, const struct wire_message *message, const char *noun);
/* A short one, without waiting, as conn_post(). */
int native_post(struct comm *comm, const struct wire_message *message, bool droppable);

#endif
