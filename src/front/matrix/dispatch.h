/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The messages between the controller and the instances of `perftest matrix`: what an instance shall do, and what came
 * of it (net/message.h). A job is a program that an instance runs; it has several at once where a pattern asks for
 * that. For each SERVE and each CALL there is exactly one RESULT.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "front/figure.h"
#include "net/message.h"
#include "net/star.h"

#define DISPATCH_HOST_SIZE    64
#define DISPATCH_ADDRESS_SIZE 64
#define DISPATCH_MOST_TEXT    60000 /* of a document */
#define DISPATCH_MOST_HOSTS   1024
#define DISPATCH_MOST	      (MESSAGE_HEADER_SIZE + 65536) /* bytes of a message */
#define DISPATCH_MOST_JOBS    8192			    /* of an instance at the same time */

/*
 * Besides those of all programs: HELLO: to the controller: who I am. AGREE: from it: all are here. ALIVE: both: once a
 * second; from the controller also as its answer to HELLO, while others come. RESULT: to the controller: a program has
 * ended; the figure of a client.
 */
enum dispatch_type {
	DISPATCH_SERVE = MESSAGE_OWN, /* from the controller: start the program as a server, on a port of yours */
	DISPATCH_LISTENS,	      /* to the controller: it listens there */
	DISPATCH_CALL,		      /* from the controller: run the program as a client of this server */
	DISPATCH_STOP,		      /* from the controller: end it, if it has not ended */
	DISPATCH_END,		      /* from the controller: all is measured */
	DISPATCH_LEAVE,		      /* to the controller: the user has interrupted me */
	DISPATCH_READY,		      /* to the controller: the client would measure now, and waits */
	DISPATCH_START,		      /* from the controller: it shall */
	DISPATCH_BEGAN,		      /* to the controller: it does */
	DISPATCH_TYPES,
};

/* One at a time: only the members of its type are used. */
struct dispatch {
	/* REFUSE; RESULT: "" if all went well; with a figure: the limit of the program's own that it missed */
	char reason[MESSAGE_REASON_SIZE];
	unsigned type; /* enum message_type, dispatch_type */
	struct {
		uint32_t rank;			     /* PLACE_NONE: give me one */
		uint64_t run;			     /* of the command and the job: the same for all of one run */
		char host[DISPATCH_HOST_SIZE];	     /* its name */
		char address[DISPATCH_ADDRESS_SIZE]; /* where its servers are reached; "": as the controller sees it */
	} join;
	uint32_t job;			     /* of a program: as the controller counts them */
	uint16_t adapter;		     /* SERVE, CALL: of those on the command line, from 0 */
	char address[DISPATCH_ADDRESS_SIZE]; /* SERVE, CALL: of the server */
	uint16_t port;			     /* LISTENS, CALL */
	uint8_t unreached;	    /* RESULT of a client: 1: its server did not answer, so there is no figure */
	uint8_t kind;		    /* RESULT of a client: of the figure */
	double value;		    /* in SI units; 0: none */
	double tails[FIGURE_TAILS]; /* seconds; 0: none */
	double sendings;	    /* RESULT of a client: as figure_sendings() has it */
	struct codec_span document; /* RESULT of a client: JSON; in the bytes that were received */
};

extern const struct message_protocol dispatch_messages;
extern const struct dispatch dispatch_alive;

/* Sends now or with a later call on the connection. 0 or -errno, not reported. */
int dispatch_send(struct conn *conn, const struct dispatch *dispatch);
int dispatch_send_type(struct conn *conn, unsigned type); /* one without a payload */
/* The last one: why the instance cannot join. */
void dispatch_refuse(struct conn *conn, const char *reason);
/* Receives what there is, in one call. Nonzero: the connection has ended. */
int dispatch_fill(struct conn *conn);
/*
 * Reads the next message of those received. 1, or 0: it has yet to arrive; -EPROTO, or -EPROTONOSUPPORT if it has
 * another version: *fault says what is wrong. What it points to is valid until conn_consume(), which is to follow 1.
 */
int dispatch_read(const struct conn *conn, struct dispatch *dispatch, size_t *length, const char **fault);
/*
 * For star_ops.take: decodes the first message, which has arrived. NULL, or what is wrong with it; what it points to is
 * valid until it is dropped.
 */
const char *dispatch_take(const struct star_conn *peer, const struct message_header *header, struct dispatch *dispatch);
/* What a star has to know of these messages. */
#define DISPATCH_STAR .protocol = &dispatch_messages, .most = DISPATCH_MOST, .pulse = &dispatch_alive
