/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The side channel of cxi_send_bw, once the sides are connected: net/channel.h, in the dialect of the peer. A peer of
 * this suite sends ALIVE four times a second.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cxi/control/wire.h"
#include "net/channel.h"
#include "net/listener.h"
#include "net/pending.h"

/* What a kind of peer can do: callers ask for that, never who it is. */
struct cxi_dialect {
	bool reports;	  /* its introduction says what it is, and it sends its FACTS */
	bool drains;	  /* RESULT says what was started, and CHECKED follows when all of it has arrived */
	bool one_index;	  /* as in struct cxi_plan */
	bool waits;	  /* at a barrier, for others of this side */
	unsigned tick_ns; /* unit of the time in a RESULT */
};

extern const struct cxi_dialect cxi_native; /* this suite's: wire.h */

/* What this side must know about HPE's program, whose messages do not say what they are. */
struct cxi_hpe_talk {
	enum { HPE_OPTIONS, HPE_ADDRESS, HPE_READY, HPE_BEGIN, HPE_OVER, HPE_RESULT } next; /* from the peer */
	bool is_introduced; /* the address was passed on */
	bool owes_result;   /* own is sent when the peer is over */
	uint32_t list;	    /* sends of one; known from HPE_READY on */
	struct cxi_sent own;
	struct cxi_introduction peer;
};

struct cxi_channel {
	struct channel is; /* the first member */
	const struct cxi_dialect *dialect;
	uint32_t barriers;    /* number of barriers passed */
	struct run_id run_id; /* of both sides, from the handshake; none: HPE's program is the peer */
	struct cxi_hpe_talk hpe;
};

/* Takes ownership of the connection, which the owner closes. The dialect is this suite's. */
void cxi_channel_open(struct cxi_channel *channel, struct conn *conn, int64_t timeout_ms);
/* From here on the peer may be silent, or alive without doing its part, for this long. */
void cxi_channel_limit(struct cxi_channel *channel, int64_t timeout_ms);

/* channel_look() and channel_take(). 1: a frame; 0: none. */
int cxi_channel_look(struct cxi_channel *channel, struct cxi_frame *frame);
/* Is a received frame of this type? 0, or -EBADMSG, reported. */
int cxi_channel_expect(const struct cxi_channel *channel, const struct cxi_frame *frame, uint16_t type);
/* Waits until both sides are here. Returns as channel_swap(). */
int cxi_channel_barrier(struct cxi_channel *channel);

/*
 * --- handshake.c: how the sides of cxi_send_bw connect. The server listens, and accepts the first client of this
 * program and version that sends its options; other connections are told why they are rejected, without further effect.
 * If a client's transport or one of its options contradicts the server's, both end, but for a server with
 * --keep_serving. Called by cxi.c.
 *
 * The peer may be HPE's program (hpe.h). Its clients speak first, so those of this suite begin as they do: with a name
 * and a version, which ours marks. A server of this suite answers the mark with a frame of wire.h. ---
 */

#define HPE_VERSION_SIZE 32

/* A server's, of a client only run_id; zeroed at first: it listens, with --keep_serving until it is closed. */
struct cxi_acceptor {
	bool is_open;
	struct listener listener;
	struct pending pending;
	struct run_id run_id;		    /* of several pairs at once; none: the client draws one */
	char hpe_version[HPE_VERSION_SIZE]; /* of the client that is ready; "": it is of this suite */
};

void cxi_acceptor_close(struct cxi_acceptor *acceptor);
/*
 * A server of several clients: listens, without waiting; takes the next one that has sent its options: 0, -EAGAIN:
 * there is none, or another -errno, reported.
 */
int cxi_acceptor_listen(struct cxi_acceptor *acceptor, const struct cxi_params *params);
int cxi_acceptor_next(struct cxi_acceptor *acceptor, struct conn *conn);
/* In a forked process: releases what belongs to its parent. */
void cxi_acceptor_forget(struct cxi_acceptor *acceptor);

/* Connects to the server; a server waits for a client. As the next. */
int cxi_handshake_connect(struct cxi_channel *channel, struct cxi_acceptor *acceptor, const struct cxi_params *params);
/*
 * transport: as in struct cxi_hello; address: this side's, of length 0 if it is not known yet. On the server, params
 * adopts the client's shared options. 0, -EINTR, or -errno, reported; the caller tells the peer why, and closes.
 */
int cxi_handshake_run(struct cxi_channel *channel, const struct cxi_acceptor *acceptor, struct cxi_params *params,
		      const char *transport, const struct cxi_address *address);

/*
 * Compares the transports of both sides, as in struct cxi_hello: 0, or -EPROTO and a reason that names both, for both
 * sides.
 */
int cxi_transports_check(const char *client, const char *server, char *reason, size_t reason_size);
