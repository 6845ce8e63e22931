/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Messages between programs of this suite: a header, which is the same in all of their protocols, and a payload that a
 * table of codec.h describes. A protocol is a table of these tables. docs/wire.md describes the header and the rules.
 *
 *	0   4  which protocol: "PFT" and a letter
 *	4   2  the oldest version of it that can read this
 *	6   2  type of the message
 *	8   4  bytes of the payload
 *
 * Integers are unsigned and big-endian. A later release may add fields at the end of a payload: a reader skips what it
 * does not know. Every other change is a new version.
 *
 * What all programs tell each other has the same type in each protocol (enum message_type), and where the fields are no
 * program's own also the same fields. A program's own messages have the types from MESSAGE_OWN on.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "net/codec.h"
#include "net/conn.h"

#define MESSAGE_HEADER_SIZE 12
#define MESSAGE_TEXT_SIZE   128
#define MESSAGE_REASON_SIZE 512 /* of the text of a message that ends the conversation, with its NUL */
#define MESSAGE_FACTS_SIZE  3072
#define MESSAGE_END_SIZE    (MESSAGE_HEADER_SIZE + 2 + MESSAGE_REASON_SIZE - 1) /* of such a message, at most */

/* Each with its struct; where none is named, the fields are the program's (message_protocol.rows). */
enum message_type {
	MESSAGE_HELLO = 1, /* the first: what the client, or who joins, is and asks for */
	MESSAGE_AGREE,	   /* the answer: what both do */
	MESSAGE_REFUSE,	   /* ... or why not; char[MESSAGE_REASON_SIZE]. All versions can read it. Nothing follows */
	MESSAGE_ABORT,	   /* why a side ends; likewise */
	MESSAGE_ALIVE,	   /* no payload */
	MESSAGE_ENDPOINTS, /* where a side's data is received */
	MESSAGE_BARRIER,   /* uint32_t: the point of the test that a side has reached */
	MESSAGE_DONE,	   /* a side starts nothing more */
	MESSAGE_RESULT,	   /* what a side has counted and measured */
	MESSAGE_VOTE,	   /* --repeat, --until: enum series_vote: is it measured once more? */
	MESSAGE_FACTS,	   /* --explain: char[MESSAGE_FACTS_SIZE], lines that explain/facts.h can read */
	MESSAGE_OWN = 16,
};

struct message_row {
	const char *noun; /* "result", for messages to users */
	uint32_t limit;	  /* of the payload, bytes, with room for later fields */
	struct codec codec;
	uint32_t during; /* channel.h: before which types it may come, a bit for each; bit 0: while none is awaited */
};

#define MESSAGE_BIT(type) (UINT32_C(1) << (type))
#define MESSAGE_ANY_TIME  UINT32_MAX

struct message_protocol {
	const char *foreign; /* the fault of bytes that are not of this protocol: "it is not a message of cmtime" */
	uint8_t magic[4];
	uint16_t version;
	uint16_t num_types;
	uint32_t common;		/* those of enum message_type that it has as they are: a MESSAGE_BIT each */
	const struct message_row *rows; /* of num_types, by type: all others; without a noun: it is none */
};

struct message_header {
	uint16_t version;
	uint16_t type; /* 0: not known */
	uint32_t length;
};

static inline bool message_is_end(unsigned type)
{
	return type == MESSAGE_REFUSE || type == MESSAGE_ABORT;
}

/* NULL: the protocol has no such message. */
const struct message_row *message_row(const struct message_protocol *protocol, unsigned type);
/* "result"; "message of unknown type". */
const char *message_noun(const struct message_protocol *protocol, unsigned type);

/* Encodes the struct that the type's table describes. Returns the length of the message; writes it only if it fits. */
size_t message_encode(const struct message_protocol *protocol, unsigned type, const void *from, uint8_t *bytes,
		      size_t size);
/*
 * Looks at the first of the received bytes. 1: they are a whole message; 0: more are needed; -EPROTO; or
 * -EPROTONOSUPPORT if it has another version and is no MESSAGE_REFUSE. *fault is a constant string. The header is set
 * as far as it is known, also after a failure.
 */
int message_peek(const struct message_protocol *protocol, const uint8_t *bytes, size_t count,
		 struct message_header *header, const char **fault);
/* After -EPROTONOSUPPORT: the fault with both versions, for both sides. Returns text. */
const char *message_versions(const struct message_protocol *protocol, const struct message_header *header,
			     char text[MESSAGE_TEXT_SIZE]);
/*
 * The offset of the message by which the peer ends, behind others that it was to send before; -1: none. bytes: a
 * message begins there; *header: of the one found.
 */
ssize_t message_find_end(const struct message_protocol *protocol, const uint8_t *bytes, size_t count,
			 struct message_header *header);
/* Such a message; a reason that is too long is truncated. Returns the length. */
size_t message_encode_end(const struct message_protocol *protocol, unsigned type, const char *reason,
			  uint8_t bytes[MESSAGE_END_SIZE]);
/* The reason of such a message. As message_decode(). */
int message_decode_end(const struct message_header *header, const uint8_t *payload, char reason[MESSAGE_REASON_SIZE],
		       const char **fault);
/*
 * Decodes the payload, header->length bytes, into the struct that the table describes. 0, or -EPROTO: then it may be
 * partly written.
 */
int message_decode(const struct message_protocol *protocol, const struct message_header *header, const uint8_t *payload,
		   void *into, const char **fault);

/* --- over a connection; only message_transmit() waits --- */

/* Sends now, or with a later call on the connection. 0 or -errno; -ENOTCONN: it is closed. */
int message_send(struct conn *conn, const struct message_protocol *protocol, unsigned type, const void *from);
/* As conn_send(). */
int message_transmit(struct conn *conn, const struct message_protocol *protocol, unsigned type, const void *from,
		     struct deadline deadline);
/* As conn_post(), for a message of at most CONN_POST bytes. */
int message_post(struct conn *conn, const struct message_protocol *protocol, unsigned type, const void *from,
		 bool droppable);
/* As conn_post_last(): message_encode_end(). */
void message_post_end(struct conn *conn, const struct message_protocol *protocol, unsigned type, const char *reason);
/* message_peek() of what was received and not consumed. */
int message_front(const struct conn *conn, const struct message_protocol *protocol, struct message_header *header,
		  const char **fault);
/* Of the first message, while it is not consumed. */
static inline const uint8_t *message_payload(const struct conn *conn)
{
	return conn_data(conn) + MESSAGE_HEADER_SIZE;
}

static inline void message_drop(struct conn *conn, const struct message_header *header)
{
	conn_consume(conn, MESSAGE_HEADER_SIZE + header->length);
}
