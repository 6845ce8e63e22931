/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The side channel of cxi_send_bw, once both sides have met: whole frames over a connection. Each side says four
 * times a second that it is alive; a silent peer is one that is gone. What is wrong is reported here, once; what a peer
 * refused is reported in its words.
 */
#ifndef CXI_CHANNEL_H
#define CXI_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "cxi/wire.h"
#include "net/conn.h"

struct cxi_channel {
	struct conn conn;
	int64_t timeout_ms;	   /* of silence */
	struct deadline silence;   /* when the peer has been silent for so long */
	struct deadline next_sign; /* when this side says that it is alive */
	uint32_t barriers;	   /* that were passed */
	bool is_over;		   /* the peer has refused, or is gone: nothing more is said to it */
};

/* Takes the connection over. */
void cxi_channel_open(struct cxi_channel *channel, struct conn *conn, int64_t timeout_ms);
/* Takes a zeroed one, too. */
void cxi_channel_close(struct cxi_channel *channel);

/* Sends a frame. 0 or -errno, reported but -EINTR. */
int cxi_channel_send(struct cxi_channel *channel, const struct cxi_frame *frame);
/* Says that this side is alive, where that is due; neither waits nor reports. 0 or -errno. */
int cxi_channel_sign(struct cxi_channel *channel);
/* The last words: why this side ends. Does not wait. */
void cxi_channel_refuse(struct cxi_channel *channel, const char *text);

/*
 * Without waiting: what came, and a sign of life where one is due. 1: a frame; 0: none so far; -ETIMEDOUT, -ECONNRESET,
 * -EPROTO or -ECANCELED (the peer refused): reported; -EINTR.
 */
int cxi_channel_look(struct cxi_channel *channel, struct cxi_frame *frame);
/*
 * A frame of this type, and no other. limit_ms: for all of it, however alive the peer is. What look() returns but 1,
 * which is 0.
 */
int cxi_channel_await(struct cxi_channel *channel, uint16_t type, int64_t limit_ms, struct cxi_frame *frame);
/* What came is a frame of this type. 0, or -EPROTO, reported. */
int cxi_channel_expect(struct cxi_channel *channel, const struct cxi_frame *frame, uint16_t type);
/* Both sides are here. As await(). */
int cxi_channel_barrier(struct cxi_channel *channel, int64_t limit_ms);

#endif
