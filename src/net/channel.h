/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two programs of this suite talk: whole messages of a protocol (message.h) over a connection, in an order that both
 * know. Of each program it is the same:
 *
 * - A wait is for one type of message and has a limit. Another message ends it, unless its row says that it may come
 *   before that one.
 * - The last message of a side that fails is its reason (MESSAGE_REFUSE or ABORT), which the other reports.
 * - If both sides send ALIVE, one that is silent is noticed. Time in which this process was stopped does not count.
 *
 * 0 or -errno, reported once, here: -ETIMEDOUT: the peer was silent; -ECONNRESET: it is gone; -EBADMSG: it sent what no
 * program of this suite sends, or sends at this point; -ECANCELED: it ended, and said why, or did so before; -ENOMEM.
 * -EINTR: the user stopped this program, which is no error and is not reported.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "net/conn.h"
#include "net/message.h"
#include "util/deadline.h"

#define CHANNEL_NOTHING 0 /* in place of the type that is waited for: nothing, as in a look */

#define CHANNEL_NO_REASON "it failed without giving a reason"

struct channel;

/* What a program adds; each may be NULL. */
struct channel_ops {
	/*
	 * The first message, whole, may come before the awaited one: channel_take(), and what follows from it. 0; 1:
	 * the wait has its whole limit again; or an error, reported.
	 */
	int (*take)(struct channel *channel, const struct message_header *header, unsigned awaited);
	/* ... but never longer than this. */
	struct deadline (*longest)(const struct channel *channel, unsigned awaited);
	/* Reports why a wait failed; is_longest: the end of longest() was reached. Returns error. */
	int (*report)(const struct channel *channel, int error, unsigned awaited, bool is_longest);
};

/* A peer of another suite, whose messages stand for those of the protocol. Returns as the functions of message.h. */
struct channel_format {
	int (*send)(struct channel *channel, unsigned type, const void *from);
	/* The type of the first message, also of one that is not whole. */
	int (*front)(struct channel *channel, struct message_header *header, const char **fault);
	/* Decodes and removes it. */
	int (*take)(struct channel *channel, void *into, const char **fault);
};

struct channel {
	struct conn conn;
	const struct message_protocol *protocol;
	const struct channel_ops *ops;	     /* NULL: none */
	const struct channel_format *format; /* NULL: the protocol's own */
	int64_t timeout_ms;		     /* of each wait for the peer; < 0: none */
	struct deadline end;		     /* of the whole test (--max_duration); 0: none */
	bool keeps;   /* a look leaves the messages of later exchanges, of which there can be few */
	bool is_over; /* the peer has ended or is gone: nothing more is sent */
	/* --- of this layer --- */
	int64_t alive_ms, silence_ms;	     /* channel_watch() */
	struct deadline next_alive, silence; /* of this side's next ALIVE; of the peer's messages */
	struct deadline due;		     /* of this side's next look, unless it is stopped */
};

/*
 * From here on both sides send ALIVE so often while they wait and look, and a look notices that the peer was silent for
 * silence_ms. alive_ms 0: they do not.
 */
void channel_watch(struct channel *channel, int64_t alive_ms, int64_t silence_ms);
/* Sends a message, waiting for room. */
int channel_send(struct channel *channel, unsigned type, const void *from);
/* Sends a message of at most CONN_POST bytes without waiting. droppable: it is dropped if something waits already. */
int channel_post(struct channel *channel, unsigned type, const void *from, bool droppable);
/*
 * Waits for a message of this type, and decodes it into its struct. What the struct points to in the received bytes is
 * valid until the next receive.
 */
int channel_receive(struct channel *channel, unsigned type, void *into);
/* Sends a message, and receives the peer's of the same type. */
int channel_swap(struct channel *channel, unsigned type, const void *mine, void *theirs);
/* Waits until both sides have reached the same point of the test; -EPROTO: the peer is at another one. */
int channel_barrier(struct channel *channel, uint32_t point);
/*
 * Without waiting: receives what has arrived, and sends ALIVE if it is due. 1: a message waits that must be taken; 0:
 * none.
 */
int channel_look(struct channel *channel, struct message_header *header);
/* Decodes and removes the first message, whole. */
int channel_take(struct channel *channel, const struct message_header *header, void *into);
/* The last message, REFUSE or ABORT: why this side ends. Does not wait. The channel may be closed, or the peer gone. */
void channel_end(struct channel *channel, unsigned type, const char *reason);

/* The peer, for messages: its address, "10.0.0.1:43210", and "server" or "client". */
static inline const char *channel_peer(const struct channel *channel)
{
	return channel->conn.peer;
}

static inline const char *channel_peer_role(const struct channel *channel)
{
	return channel->conn.role;
}

/* To poll for what the peer sends, or to look at the connection; -1: it is not TCP. */
static inline int channel_fd(const struct channel *channel)
{
	return channel->conn.fd;
}

/* --- for programs whose peers may be of other suites, and their own waits --- */
/* The end of a wait that starts now, which is not after the end of the test. */
struct deadline channel_limit(const struct channel *channel, int64_t ms);

static inline bool channel_test_is_over(const struct channel *channel)
{
	return channel->end.at_ns && deadline_passed(channel->end);
}

/* Why the wait for the peer's `noun` failed. Returns error. */
int channel_report(const struct channel *channel, int error, const char *noun);
/* Reports the message by which the peer ends, if it has arrived, even behind others: -ECANCELED. Otherwise 0. */
int channel_take_end(struct channel *channel);
/* What a look does for channel_watch(): sends ALIVE if it is due. True: the peer is silent. */
bool channel_is_silent(struct channel *channel);
/* The peer has sent something. */
static inline void channel_note_alive(struct channel *channel)
{
	channel->silence = deadline_in_ms(channel->silence_ms);
}
