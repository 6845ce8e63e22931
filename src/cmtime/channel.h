/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whole frames over a connection that delivers bytes. Nothing here waits: what can't be sent now is kept
 * and goes out with a later flush. Called by meeting.c and link.c, which know when to wait and for how long.
 */
#ifndef CMTIME_CHANNEL_H
#define CMTIME_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmtime/frame.h"

struct channel {
	int fd; /* non-blocking; -1: closed */
	uint8_t *in;
	size_t in_start, in_used; /* bytes of frames that are dropped, and of all that came, in in[] */
	size_t in_size;
	uint8_t *out;
	size_t out_start, out_used; /* bytes that are sent, and all of them, in out[] */
	size_t out_size;
};

void channel_open(struct channel *channel, int fd);
void channel_close(struct channel *channel);

/* Queues a frame and sends what the socket takes. 0 or -errno. */
int channel_send(struct channel *channel, const struct frame *frame);
int channel_flush(struct channel *channel);
bool channel_has_output(const struct channel *channel);

/* Reads what is there. 0, or -ECONNRESET: the other end is gone; what came before is still to be looked at. */
int channel_fill(struct channel *channel);
/*
 * 1: a whole frame is there, until channel_drop(); 0: not yet; or as frame_decode_header(), whose header is
 * then known in the case of another version, and whose payload is, too, where it has come.
 */
int channel_peek(const struct channel *channel, struct frame_header *header, const uint8_t **payload,
		 const char **fault);
void channel_drop(struct channel *channel, const struct frame_header *header);
/* Bytes that came and belong to no dropped frame. */
size_t channel_pending(const struct channel *channel);

#endif
