/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The control connection of a test: frames of our own (net/channel.h), or messages of 0.4.11, with the same timeouts,
 * errors and words.
 */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>

#include "net/channel.h"
#include "qperf/control/wire.h"

struct control {
	union {
		struct channel channel; /* of frames */
		struct conn conn;	/* its first member; between two messages it must not buffer anything */
	};
	bool client;   /* this side is the client */
	bool native;   /* uses frames */
	bool answered; /* client: the server has, as qperf does */
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
/* A frame, or to a peer of 0.4.11 its message that corresponds (qperf_classic). from: its struct; NULL: it has none. */
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
/* Has the peer been silent for its timeout? False if this side does not watch. */
bool control_is_silent(const struct control *control);
enum control_state { CONTROL_QUIET, CONTROL_SPOKE, CONTROL_GONE };
/* Without waiting: has the peer sent something other than a MESSAGE_ALIVE, or closed? */
enum control_state control_look(struct control *control);

/* Is it the peer's address, with any port? */
bool control_is_of_peer(const struct control *control, const struct sockaddr_storage *address);
