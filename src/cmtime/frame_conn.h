/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whole frames over a connection. Nothing here blocks: what can't be sent now is kept for a later conn_flush(). Called
 * by rendezvous.c, controller.c and link.c, which do the waiting.
 */
#ifndef CMTIME_FRAME_CONN_H
#define CMTIME_FRAME_CONN_H

#include <stdint.h>

#include "cmtime/frame.h"
#include "net/conn.h"

/* Queues a frame, and sends as much as the socket accepts. 0 or -errno; -ENOTCONN: the connection is closed. */
int frame_send(struct conn *conn, const struct frame *frame);
/* Reads what has arrived. 0, or -ECONNRESET: the peer has closed; frames received before are still valid. */
int frame_fill(struct conn *conn);
/*
 * 1: a whole frame is available until frame_drop(); 0: not yet; or as frame_decode_header(). With another version the
 * header is known then, and the payload if it has arrived.
 */
int frame_peek(const struct conn *conn, struct frame_header *header, const uint8_t **payload, const char **fault);
void frame_drop(struct conn *conn, const struct frame_header *header);

#endif
