/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The side channel's messages as bytes. Codecs only: no I/O, no allocation, and every length is checked before a byte
 * is accessed. docs/wire.md shows the bytes of each message, and the unit test compares them with the output of these
 * functions.
 *
 * Two formats: native, between ends of this suite (net/message.h), and classic, that of linux-rdma perftest. Both share
 * the greeting, which selects one of them.
 *
 * The decoders of the greeting, which writes only on success, and of the classic format return 0, or -EBADMSG with
 * *fault naming the error (a constant string).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "comm/comm.h"
#include "net/message.h"
#include "util/endpoint.h"

/* --- greeting: the first message of each side, in both formats --- */

#define WIRE_GREETING_SIZE 16

/* The classic version that we claim: peers from 6.28 on would add a block of parameters that depends on the build. */
#define WIRE_GREETING_TEXT "6.06"

/* The version of the native protocol that this program speaks; a greeting has room for a range. */
#define WIRE_NATIVE_VERSION 9

/* Older classic versions, in hundredths, have different messages. */
#define WIRE_CLASSIC_OLDEST 570

struct wire_greeting {
	char text[WIRE_GREETING_SIZE + 1]; /* classic version, "6.06" */
	unsigned version;		   /* the same in hundredths, 606 */
	bool native;			   /* it has the mark of this suite; the rest is valid */
	uint8_t newest;			   /* native protocol versions that the sender supports */
	uint8_t oldest;
	/* Of a client, for a server of several programs (docs/wire.md): 1 + its enum program_id; 0: not said. */
	uint8_t program;
};

void wire_greeting_encode(const struct wire_greeting *greeting, uint8_t bytes[WIRE_GREETING_SIZE]);
int wire_greeting_decode(const uint8_t bytes[WIRE_GREETING_SIZE], struct wire_greeting *greeting, const char **fault);

/* --- native --- */

#define WIRE_MAX_ENDPOINTS 16384
#define WIRE_MAX_PARAMS	   65536

/* A hello; its params are inside the received payload. */
struct wire_hello {
	struct comm_hello of;
	struct codec_span params;
};

struct wire_endpoints {
	struct endpoint *items; /* decoding: room for capacity, the rest is checked and dropped */
	uint32_t capacity;
	uint32_t count; /* in the message */
};

/* What the client found: both sides tell their times from the server's answer to one of its questions. */
struct wire_clock {
	uint32_t question; /* the one with the fastest answer, from 0; in questions and answers 0 */
	uint64_t error_ns; /* by how much the client may be wrong about the time of that answer; likewise 0 */
};

#define WIRE_CLOCK_QUESTIONS 5

/*
 * The messages of enum message_type and enum wire_type, with the structs of message.h, comm.h and these: HELLO and
 * AGREE have a wire_hello, ENDPOINTS and CLOCK their own, RESULT and PORTS (of which only the ports) a comm_result.
 * Texts are printable ASCII after decoding: other bytes become '?'.
 */
extern const struct message_protocol wire_native;

/* What a message contains, for sentences: "endpoints". */
static inline const char *wire_native_noun(unsigned type)
{
	return message_noun(&wire_native, type);
}

/* --- classic (linux-rdma perftest since 5.70: its messages S1, S2, M, H and X) --- */

/*
 * Each with its struct; of keys that is a struct endpoint without its mtu, of figures a struct comm_result, of PORTS
 * only its ports. bw_* is in the unit that both sides agreed on, MiB/s or Gb/s.
 */
enum wire_classic_type {
	WIRE_CLASSIC_NUMBER,	      /* S1, S2: page size, cache line size; uint32_t */
	WIRE_CLASSIC_MTU,	      /* M; uint32_t, bytes; 0: the peer sent none */
	WIRE_CLASSIC_KEYS,	      /* H without a GID */
	WIRE_CLASSIC_KEYS_GID,	      /* H with one */
	WIRE_CLASSIC_KEYS_CM,	      /* H of a side channel with rdma_cm, with or without a GID */
	WIRE_CLASSIC_KEYS_CM_MARKERS, /* the same of 6.29, with an address that --data_validation there needs */
	WIRE_CLASSIC_RESULT,	      /* X: five exchanges of 8 bytes each */
	WIRE_CLASSIC_PORTS,	      /* ... and the four after them with --report-per-port, for each port */
};

#define WIRE_CLASSIC_MAX_SIZE 108

/* Every message of a type has the same length. */
size_t wire_classic_size(enum wire_classic_type type);
/* Writes wire_classic_size() bytes. */
void wire_classic_encode(enum wire_classic_type type, const void *from, uint8_t *bytes);
/* into: zeroed, since a message need not have all of it; -EBADMSG: it may be partly written. */
int wire_classic_decode(enum wire_classic_type type, const uint8_t *bytes, void *into, const char **fault);
/*
 * Are the first bytes of a message visibly no keys of this type? Returns what the peer does instead, to follow its
 * name: "uses no GID, ..."; NULL: they may be keys, or more bytes are needed. The types have different lengths, so a
 * side that waits for the longer one may get no more bytes.
 */
const char *wire_classic_keys_misfit(enum wire_classic_type type, const uint8_t *bytes, size_t length);

/* Are they the start of keys as text? A perftest with --dont_xchg_versions begins with these. */
bool wire_classic_is_keys(const uint8_t bytes[WIRE_GREETING_SIZE]);
