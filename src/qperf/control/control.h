/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The control connection of a test: net/channel.h, in the dialect of the peer, with the same timeouts, errors and
 * words. The client finds out at its greeting which that is, the server by the request.
 */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>

#include "net/channel.h"
#include "qperf/control/wire.h"

/* A kind of peer, and what it can do: callers ask for that, never who it is. */
struct control_dialect {
	const char *name; /* for the document */
	/*
	 * As the functions of net/channel.h. What a dialect has no message for is not sent, and in its place nothing is
	 * received: the struct stays as it is.
	 */
	int (*send)(struct channel *channel, unsigned type, const void *from);
	int (*receive)(struct channel *channel, unsigned type, void *into);
	void (*end)(struct channel *channel, unsigned type, const char *reason);
	bool negotiates;      /* all parameters are sent, and used so; and what a side is, and its FACTS */
	bool announces_done;  /* says when its loop has ended, in a test of both directions when it has sent all */
	bool repeats_numbers; /* an answered datagram has the number of the one that it answers */
	bool has_one_address; /* its data is from the address of its control connection, and the port that it sends */
	bool exchanges_endpoints; /* RDMA as in src/loops: connected by endpoints; credits; pages of messages */
};

extern const struct control_dialect control_native;  /* of this suite */
extern const struct control_dialect control_classic; /* classic.c: of qperf 0.4.11 */

struct control {
	union {
		struct channel channel; /* of frames */
		struct conn conn;	/* its first member; between two messages it must not buffer anything */
	};
	bool client;			       /* this side is the client */
	const struct control_dialect *dialect; /* before it is known, that of 0.4.11 */
	bool answered;			       /* client: the server has, as qperf does */
	struct sockaddr_storage local;
	struct sockaddr_storage peer;
	char peer_text[ADDRESS_TEXT_SIZE]; /* its address, without the port */
	bool peer_silent;		   /* it has timed out; this side does not wait for it again */
};

/* Takes ownership of the connection, even if it fails. 0 or -errno, reported. */
int control_open(struct control *control, struct conn *conn, bool client, uint64_t timeout_ns);
void control_close(struct control *control); /* does nothing if it is closed */

/* noun: for messages, "request". 0, or as those of a channel. */
int control_send(struct control *control, const void *bytes, size_t length, const char *noun);
int control_receive(struct control *control, void *bytes, size_t length, const char *noun);
/* from: its struct; NULL: it has none. */
int control_send_frame(struct control *control, unsigned type, const void *from);
/* -EBADMSG: another one, or an invalid one; the struct may be partly written. */
int control_receive_frame(struct control *control, unsigned type, void *into);

/* Client: is the server one of ours? num_first: length of 0.4.11's first answer, at least 4. */
int control_greet(struct control *control, size_t num_first);

/* Tells the peer why this side can't continue. */
void control_fail(struct control *control, const char *text);

/*
 * Has an error of the peer arrived, even after other messages? Then control_receive_failure() reports it and returns
 * -ECANCELED; otherwise 0.
 */
bool control_failure_waits(const struct control *control);
int control_receive_failure(struct control *control);

/*
 * For loops without a time limit, whose sides look all the time: each second they show each other that they run, since
 * unanswered messages, and the memory of a stopped process, do not.
 */
void control_watch(struct control *control, bool watches);
enum control_state { CONTROL_QUIET, CONTROL_SPOKE, CONTROL_GONE };
/* Without waiting: has the peer sent something other than a MESSAGE_ALIVE, or closed? */
enum control_state control_look(struct control *control);

/* Is it the peer's address, with any port? */
bool control_is_of_peer(const struct control *control, const struct sockaddr_storage *address);
