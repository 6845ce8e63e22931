/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The side channel of cxi_send_bw, once the sides are connected: whole frames over a connection. Each side sends ALIVE
 * four times a second; a silent peer is considered gone. Errors are reported here, once; those that the peer reports,
 * in its words.
 */
#ifndef CXI_CHANNEL_H
#define CXI_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "cxi/wire.h"
#include "net/conn.h"

struct cxi_channel {
	struct conn conn;
	int64_t timeout_ms;	   /* maximum silence */
	struct deadline silence;   /* when the peer will have been silent for that long */
	struct deadline next_sign; /* when this side sends ALIVE next */
	uint32_t barriers;	   /* number of barriers passed */
	bool is_over;		   /* the peer has refused or is gone: nothing more is sent */
};

/* Takes ownership of the connection. */
void cxi_channel_open(struct cxi_channel *channel, struct conn *conn, int64_t timeout_ms);
/* May be zeroed. */
void cxi_channel_close(struct cxi_channel *channel);

/* Sends a frame. 0 or -errno, reported except -EINTR. */
int cxi_channel_send(struct cxi_channel *channel, const struct cxi_frame *frame);
/* Sends ALIVE if it is due; neither waits nor reports. 0 or -errno. */
int cxi_channel_sign(struct cxi_channel *channel);
/* Sends the last message: why this side ends. Does not wait. */
void cxi_channel_refuse(struct cxi_channel *channel, const char *text);

/*
 * Without waiting: receives a frame, and sends ALIVE if it is due. 1: a frame; 0: none; -ETIMEDOUT, -ECONNRESET,
 * -EPROTO or -ECANCELED (the peer refused), reported; -EINTR.
 */
int cxi_channel_look(struct cxi_channel *channel, struct cxi_frame *frame);
/*
 * Waits for a frame of this type; any other is an error. limit_ms: for all of it, even if the peer is alive. Returns 0,
 * or an error as look().
 */
int cxi_channel_await(struct cxi_channel *channel, uint16_t type, int64_t limit_ms, struct cxi_frame *frame);
/* Is a received frame of this type? 0, or -EPROTO, reported. */
int cxi_channel_expect(struct cxi_channel *channel, const struct cxi_frame *frame, uint16_t type);
/* Waits until both sides are here. Returns as await(). */
int cxi_channel_barrier(struct cxi_channel *channel, int64_t limit_ms);

#endif
