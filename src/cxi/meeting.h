/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How do both sides of cxi_send_bw find each other? The server listens, and takes the first that greets as a client of
 * this program and version and says its options; a connection that does not is told why, and counts for nothing. A
 * client whose transport, or one of whose options, is not what the server was given ends both. cxi.c calls it.
 */
#ifndef CXI_MEETING_H
#define CXI_MEETING_H

#include "cxi/channel.h"
#include "cxi/parameters.h"

/* The line that scripts wait for; "" where standard output has another form. */
typedef void (*cxi_listening_fn)(uint16_t port);

/*
 * transport: as in struct cxi_hello. On a server params takes the client's shared options over; a contradiction is
 * reported and told. 0, -EINTR, or -errno, reported; the channel is then closed.
 */
int cxi_meeting_hold(struct cxi_channel *channel, struct cxi_params *params, const char *transport,
		     cxi_listening_fn tell);

/* A hello from outside: 0, or -EPROTO and why it is none of this program. peer: "client" or "server", who said it. */
int cxi_program_check(const struct cxi_hello *hello, const char *peer, char *reason, size_t reason_size);
/* What carries the sends of each, as in struct cxi_hello: 0, or -EPROTO and a reason that names both, for both sides.
 */
int cxi_transports_check(const char *client, const char *server, char *reason, size_t reason_size);

#endif
