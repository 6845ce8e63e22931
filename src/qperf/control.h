/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The control connection of one test: messages of 0.4.11 or frames of our own, each with a limit of time, and errors
 * in both directions. What fails is reported here, but a refusal of the peer's once.
 */
#ifndef QPERF_CONTROL_H
#define QPERF_CONTROL_H

#include <stdbool.h>
#include <sys/socket.h>

#include "net/conn.h"
#include "qperf/wire.h"

struct control {
	struct conn conn;    /* between two messages it holds no byte of what the socket may have */
	bool client;	     /* this side is */
	bool native;	     /* frames */
	bool ignores_stop;   /* the user has stopped the test, and what it came to is still to be had */
	uint64_t timeout_ns; /* of each message */
	struct sockaddr_storage local;
	struct sockaddr_storage peer;
	char peer_text[64]; /* its address, without the port */
	bool peer_failed;   /* it has told its error, and needs none of ours */
	bool peer_silent;   /* it has let a limit pass: this side waits for it no more */
};

/* Takes the connection over, also where it fails. 0 or -errno, reported. */
int control_open(struct control *control, struct conn *conn, bool client, uint64_t timeout_ns);
/* The smoothed round trip time of its own messages; 0: not known. */
double control_rtt_s(const struct control *control);
void control_close(struct control *control); /* takes one that is closed */

/* what: for messages, "the request". 0; -ETIMEDOUT, -EINTR, -ECONNRESET, -EREMOTEIO when the peer told an error, ... */
int control_send(struct control *control, const void *bytes, size_t length, const char *what);
int control_receive(struct control *control, void *bytes, size_t length, const char *what);
int control_send_frame(struct control *control, enum frame_type type, const void *payload, size_t length);
/* Without frames: both sides say SYNC_BEFORE. -EPROTO: the peer says something else. */
int control_send_sync(struct control *control);
int control_receive_sync(struct control *control);
/* One, then the other. */
int control_synchronize(struct control *control);
/* payload: FRAME_MAX_PAYLOAD bytes. -EPROTO: a frame of another type. */
int control_receive_frame(struct control *control, enum frame_type type, void *payload, size_t *length,
			  const char *what);
/* The same with more time than a message has: what the peer does first takes so long. */
int control_await_frame(struct control *control, enum frame_type type, void *payload, size_t *length, const char *what,
			uint64_t extra_ns);

/* Client: is the server one of ours? num_first: the bytes of 0.4.11's first answer, 4 or more. */
int control_greet(struct control *control, size_t num_first);

/* Tells the peer why this side can't go on. */
void control_fail(struct control *control, const char *text);

/* Has it come, behind what else there is? Then control_hear_failure() reports it, -EREMOTEIO; 0: it has not. */
bool control_failure_waits(const struct control *control);
int control_hear_failure(struct control *control);

enum control_state { CONTROL_QUIET, CONTROL_SPOKE, CONTROL_GONE };
/* Without waiting: has the peer sent something, or gone? */
enum control_state control_look(const struct control *control);

/* Is it the peer's address, whatever the port? */
bool control_is_of_peer(const struct control *control, const struct sockaddr_storage *address);
/* "192.0.2.1" of an address, mapped ones as IPv4. Returns text. */
const char *control_address_text(const struct sockaddr_storage *address, char *text, size_t size);

#endif
