/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What do the side channel's messages look like as bytes? Codecs only: no I/O, no allocation,
 * every length checked before a byte is touched. docs/wire.md shows the bytes of each message
 * and the unit test compares them with what these functions make.
 *
 * Two formats: native, between ends of this suite, and classic, that of linux-rdma perftest.
 * The greeting is common to both and tells which of the two is spoken.
 *
 * Decoders return 0, or -EBADMSG with *fault naming what is wrong (a constant string); they write
 * the message only on success.
 */
#ifndef COMM_WIRE_H
#define COMM_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "comm/comm.h"
#include "net/codec.h"
#include "util/endpoint.h"

/* --- greeting: the first message of each side, in both formats --- */

#define WIRE_GREETING_SIZE 16

/* The classic version that we claim: peers from 6.28 on would add a build-dependent block of parameters. */
#define WIRE_GREETING_TEXT "6.06"

/* Versions of the native protocol that this program speaks. */
#define WIRE_NATIVE_OLDEST 2
#define WIRE_NATIVE_NEWEST 3

/* Older classic versions, in hundredths, have other messages. */
#define WIRE_CLASSIC_OLDEST 570

struct wire_greeting {
	char text[WIRE_GREETING_SIZE + 1]; /* classic version, "6.06" */
	unsigned version;		   /* the same in hundredths, 606 */
	bool native;			   /* the mark of this suite is there; the rest is valid */
	uint8_t newest;			   /* native protocol versions that the sender speaks */
	uint8_t oldest;
};

void wire_greeting_encode(const struct wire_greeting *greeting, uint8_t bytes[WIRE_GREETING_SIZE]);
int wire_greeting_decode(const uint8_t bytes[WIRE_GREETING_SIZE], struct wire_greeting *greeting, const char **fault);

/* --- native --- */

enum wire_type {
	WIRE_HELLO = 1, /* client's requests */
	WIRE_AGREE,	/* server's verdict: what it made of them */
	WIRE_REFUSE,	/* ... or why it will not */
	WIRE_ENDPOINTS, /* all queue pairs */
	WIRE_BARRIER,
	WIRE_RESULT,
	WIRE_DONE,
	WIRE_HEARTBEAT,
	WIRE_ABORT,
	WIRE_ROUND,    /* --data_validation: how many messages come next */
	WIRE_VERDICT,  /* ... and what was found in them */
	WIRE_INTERVAL, /* -b: what a side has done so far, for the other's interval row */
	WIRE_VOTE,     /* --repeat, --until: is the size measured once more? */
	WIRE_PORTS,    /* --report-per-port: of a result, what was each port's */
	WIRE_WAIT,     /* from version 3 on: others are waited for, before a barrier */
	WIRE_SAMPLES,  /* from version 3 on: those of a latency test, for a sum */
};

#define WIRE_HEADER_SIZE   12
#define WIRE_MAX_ENDPOINTS 16384
#define WIRE_MAX_PARAMS	   65536

/* The receiver may skip a message that it does not know; no other bit is given away yet. INTERVAL has it. */
#define WIRE_FLAG_OPTIONAL 0x0001

struct wire_header {
	uint16_t type; /* an enum wire_type, or unknown with WIRE_FLAG_OPTIONAL */
	uint16_t flags;
	uint32_t length; /* of the payload; at most wire_native_limit(type) */
};

struct wire_hello {
	char program[32];
	char version[32];
	char host[64];
	struct codec_span params; /* inside the received payload */
	struct site site;
	uint64_t process;
};

struct wire_endpoints {
	struct endpoint *items; /* decoding: room for capacity, the rest is checked and dropped */
	uint32_t capacity;
	uint32_t count; /* in the message */
};

/* Texts in arrays are printable ASCII after decoding: other bytes become '?'. */
struct wire_message {
	enum wire_type type;
	union {
		struct wire_hello hello;	 /* HELLO, AGREE */
		char reason[512];		 /* REFUSE, ABORT */
		struct wire_endpoints endpoints; /* ENDPOINTS */
		uint32_t tag;			 /* BARRIER */
		struct comm_result result;	 /* RESULT; its ports alone: PORTS */
		struct comm_done done;		 /* DONE */
		struct comm_round round;	 /* ROUND */
		struct comm_verdict verdict;	 /* VERDICT */
		struct comm_interval interval;	 /* INTERVAL */
		enum comm_vote vote;		 /* VOTE */
		uint32_t missing;		 /* WAIT: so many have yet to come */
		struct comm_samples samples;	 /* SAMPLES */
	};
};

/* What the message brings, for sentences: "endpoints"; "message of unknown type" for an unknown type. */
const char *wire_native_noun(unsigned type);
/* Largest payload that a receiver takes. */
uint32_t wire_native_limit(unsigned type);
/* Length of the whole frame; bytes are written only when it is at most size. */
size_t wire_native_encode(const struct wire_message *message, uint8_t *bytes, size_t size);
int wire_native_decode_header(const uint8_t bytes[WIRE_HEADER_SIZE], struct wire_header *header, const char **fault);
/* payload: header->length bytes. For ENDPOINTS the caller sets message->endpoints.items and capacity. */
int wire_native_decode(const struct wire_header *header, const uint8_t *payload, struct wire_message *message,
		       const char **fault);

/* --- classic (linux-rdma perftest from 5.70 on: its messages S1, S2, M, H and X) --- */

enum wire_classic_type {
	WIRE_CLASSIC_NUMBER,	      /* S1, S2: page size, cache line size */
	WIRE_CLASSIC_MTU,	      /* M */
	WIRE_CLASSIC_KEYS,	      /* H without a GID */
	WIRE_CLASSIC_KEYS_GID,	      /* H with one */
	WIRE_CLASSIC_KEYS_CM,	      /* H of a side channel by rdma_cm, with or without a GID */
	WIRE_CLASSIC_KEYS_CM_MARKERS, /* the same of 6.29, with an address that --data_validation there needs */
	WIRE_CLASSIC_RESULT,	      /* X: five exchanges of 8 bytes, one after another */
	WIRE_CLASSIC_PORTS,	      /* ... and the four behind them with --report-per-port: of each port */
};

#define WIRE_CLASSIC_MAX_SIZE 108

struct wire_classic_message {
	enum wire_classic_type type;
	union {
		uint32_t number;
		uint32_t mtu;		   /* bytes; 0: the peer named none */
		struct endpoint keys;	   /* mtu is not in it: M carries it */
		struct comm_result result; /* of PORTS its ports alone; bw_* as the two sides agreed, MiB/s or Gb/s;
					      partial is not in it */
	};
};

/* Every message of a type has the same length. */
size_t wire_classic_size(enum wire_classic_type type);
/* Writes wire_classic_size() bytes. */
void wire_classic_encode(const struct wire_classic_message *message, uint8_t *bytes);
int wire_classic_decode(enum wire_classic_type type, const uint8_t *bytes, struct wire_classic_message *message,
			const char **fault);
/*
 * Are the first bytes of a message visibly no keys of this type? What the peer does in place of that,
 * behind its name: "uses no GID, ..."; NULL: they may be, or more bytes are needed. The types have
 * different lengths, so who waits for the longer one may get no more bytes.
 */
const char *wire_classic_keys_misfit(enum wire_classic_type type, const uint8_t *bytes, size_t length);

/* Do these begin keys as text? So a perftest with --dont_xchg_versions begins. */
bool wire_classic_is_keys(const uint8_t bytes[WIRE_GREETING_SIZE]);

#endif
