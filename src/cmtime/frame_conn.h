/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whole frames over a connection. Nothing here waits: what can't be sent now is kept and goes out with a later
 * conn_flush(). Called by rendezvous.c, controller.c and link.c, which know when to wait and for how long.
 */
#ifndef CMTIME_FRAME_CONN_H
#define CMTIME_FRAME_CONN_H

#include <stdint.h>

#include "cmtime/frame.h"
#include "net/conn.h"

/* Queues a frame and sends what the socket takes. 0 or -errno; -ENOTCONN: the connection is closed. */
int frame_send(struct conn *conn, const struct frame *frame);
/* Reads what is there. 0, or -ECONNRESET: the other end is gone; what came before is still to be looked at. */
int frame_fill(struct conn *conn);
/*
 * 1: a whole frame is there, until frame_drop(); 0: not yet; or as frame_decode_header(), whose header is
 * then known in the case of another version, and whose payload is, too, where it has come.
 */
int frame_peek(const struct conn *conn, struct frame_header *header, const uint8_t **payload, const char **fault);
void frame_drop(struct conn *conn, const struct frame_header *header);

#endif
