/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Single frames of the native format (docs/wire.md): received with a limit, decoded in place, sent. The conversation is
 * in native.c.
 *
 * HEARTBEAT, DONE and ABORT may arrive at any time after the agreement, and WAIT before a BARRIER; a wait for
 * another message handles them.
 */
#pragma once

#include <stdbool.h>

#include "comm/comm.h"
#include "comm/wire.h"

/* The first message received. 1: complete; 0: more bytes are needed; -EBADMSG, reported. */
int native_front(const struct comm *comm, struct message_header *header);
/* Decodes the complete first message; it is not consumed, because message may point into it. */
int native_decode(const struct comm *comm, const struct message_header *header, struct wire_message *message);
/* CLOCK_MONOTONIC_RAW, as measurements are timed. */
int64_t native_now_ns(void);
/* Since this side was ready at the last barrier, which is before the peer's loop began. */
double native_since_s(const struct comm *comm);
/* A message of this type says what is not possible (claim.c). -EBADMSG, reported. */
int native_refuse_claim(const struct comm *comm, enum wire_type type, const char *fault);
/* May the message arrive while another one is awaited? */
bool native_is_interim(const struct message_header *header);
/* Handles such a message, complete and first. 0, or an error, reported. */
int native_take_interim(struct comm *comm, const struct message_header *header);
/* Reports the message by which the peer ends, if it has arrived, even after others: -ECANCELED. Otherwise 0. */
int native_take_end(struct comm *comm);
/*
 * Waits until a message of the type is complete and first. Only messages for that purpose restart the limit, a
 * HEARTBEAT while the peer's loop runs and a WAIT before a start: a peer that sends a byte per second cannot delay this
 * side.
 */
int native_await(struct comm *comm, enum wire_type expected, struct message_header *header);
/* To a peer whose loop runs, from a side that waits for its end: if it can be sent at once. */
void native_answer_heartbeat(struct comm *comm);
/* Waits, decodes and consumes; for messages without pointers. */
int native_receive(struct comm *comm, enum wire_type expected, struct wire_message *message);
/* answer: what the peer would have sent. */
int native_transmit(struct comm *comm, const struct wire_message *message, enum wire_type answer);
/* Sends a message, and receives the peer's of the same type into it. */
int native_swap(struct comm *comm, struct wire_message *message);
/* Sends a short message without waiting, as conn_post() does. */
int native_post(struct comm *comm, const struct wire_message *message, bool droppable);
