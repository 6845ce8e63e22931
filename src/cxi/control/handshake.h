/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How the sides of cxi_send_bw connect. The server listens, and accepts the first client of this program and version
 * that sends its options; other connections are told why they are rejected, without further effect. If a
 * client's transport or one of its options contradicts the server's, both end. Called by cxi.c.
 *
 * The peer may be HPE's program (hpe.h). Its clients speak first, so those of this suite begin as they do: with a name
 * and a version, which ours marks. A server of this suite answers the mark with a frame of wire.h.
 */
#pragma once

#include "cxi/control/channel.h"
#include "cxi/parameters.h"

/*
 * transport: as in struct cxi_hello; address: this side's, of length 0 if it is not known yet. On the server, params
 * adopts the client's shared options. 0, -EINTR, or -errno, reported; the caller tells the peer why, and closes.
 */
int cxi_handshake_run(struct cxi_channel *channel, struct cxi_params *params, const char *transport,
		      const struct cxi_address *address);

/*
 * Compares the transports of both sides, as in struct cxi_hello: 0, or -EPROTO and a reason that names both, for both
 * sides.
 */
int cxi_transports_check(const char *client, const char *server, char *reason, size_t reason_size);
