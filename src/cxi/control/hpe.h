/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * HPE's cxi_send_bw as the peer: the dialect cxi_hpe of channel.h, and how the sides meet. Called by handshake.c.
 *
 * Client and server exchange name, version, options and address, in this order: the client sends, the server receives
 * and answers. Then come empty messages, each of which waits for the other's: when both are ready, and for each size
 * before it and after its last list; and after that the result of the size. HPE's program waits for 5 s at most, except
 * until the other is ready, and ends without a word if it does not like what it gets.
 */
#pragma once

#include "cxi/control/channel.h"
#include "cxi/control/hpe_wire.h"
#include "cxi/parameters.h"

enum hpe_stage {
	HPE_MORE,    /* not enough has arrived */
	HPE_NATIVE,  /* frames of this suite */
	HPE_MARKED,  /* it begins as HPE's does, but is of this suite: frames follow */
	HPE_NAMED,   /* server: the client has sent its name, and waits for that of the server */
	HPE_GREETED, /* it is HPE's, of this version */
	HPE_UNKNOWN, /* it is something else */
};

/*
 * What a side has sent first, as far as it has arrived: judges the first message, and removes it if it is one of HPE's.
 * has_name: name came before. version: set with HPE_GREETED. fault: set with HPE_UNKNOWN.
 */
enum hpe_stage hpe_receive(struct conn *conn, bool has_name, char version[HPE_VERSION_SIZE], const char **fault);

/* The first bytes of a client of this suite, which a server of HPE answers like those of its own. 0 or -errno. */
int hpe_call(struct conn *conn, struct deadline deadline);
/* The server's answers to the client's name and to the mark; they do not wait. 0 or -errno. */
int hpe_post_name(struct conn *conn);
int hpe_post_mark(struct conn *conn);

/*
 * After the greetings: options and addresses. address: of this side, the transport's, known before there are buffers.
 * On the server, params adopts the client's options. 0 or -errno, reported.
 */
int hpe_introduce_client(struct cxi_channel *channel, const struct cxi_params *params,
			 const struct cxi_address *address);
int hpe_introduce_server(struct cxi_channel *channel, struct cxi_params *params, const char *version,
			 const struct cxi_address *address);
