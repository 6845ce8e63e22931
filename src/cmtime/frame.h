/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What do the instances of a cluster say to each other, byte by byte? Pure codecs: bounds-checked, no I/O.
 * docs/cmtime.md shows the same for people. Called by rendezvous.c and link.c.
 *
 * Integers are unsigned and big-endian. A frame is a header and a payload:
 *
 *   0..3   "PFTC"
 *   4..5   version of the protocol
 *   6..7   type
 *   8..11  length of the payload
 *
 * Both ends must speak the same version. The header, and REFUSE as a 16-bit length and so much text, stay as
 * they are in every version, so that two ends of different ones can still tell each other.
 */
#ifndef CMTIME_FRAME_H
#define CMTIME_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "cmtime/conn_stats.h"

#define FRAME_VERSION	  2
#define FRAME_HEADER_SIZE 12
#define FRAME_HOST_SIZE	  64   /* of a host's name, with its NUL */
#define FRAME_REASON_SIZE 512  /* of a sentence, with its NUL */
#define FRAME_CONFIG_SIZE 4096 /* of options as text, with its NUL */
#define FRAME_MAX_PEERS	  1024
#define FRAME_MAX_RATES	  RATE_INTERVALS
#define FRAME_MAX_PAYLOAD (128 * 1024)

enum frame_type {
	FRAME_JOIN = 1, /* to the controller: who I am and what my user asked for */
	FRAME_WELCOME,	/* from it: which instance you are, and what is run */
	FRAME_REFUSE,	/* from it: why you can't join */
	FRAME_READY,	/* to it: I can begin; a server's address */
	FRAME_PEERS,	/* from it: all instances */
	FRAME_ARRIVED,	/* to it: I am at this point */
	FRAME_RELEASE,	/* from it: all are at this point */
	FRAME_ALIVE,	/* both: once a second, and where I am */
	FRAME_FIGURES,	/* to it: one measure of one step of one test */
	FRAME_RATES,	/* to it: the rest of a test; follows its FIGURES */
	FRAME_ABORT,	/* both: the run is over, and why */
	FRAME_TYPES,
};

struct server_address {
	uint8_t family; /* 0 none, 4 or 6 */
	uint16_t port;
	uint8_t bytes[16]; /* 4 or 16 of them; the rest is 0 */
};

struct frame_peer {
	uint8_t listens; /* 0 a client, 1 a server */
	char host[FRAME_HOST_SIZE];
	struct server_address address; /* a server's */
};

struct frame {
	enum frame_type type;
	union {
		struct {
			uint8_t listens;
			uint32_t base_qpn; /* requested */
			char host[FRAME_HOST_SIZE];
			char config[FRAME_CONFIG_SIZE];
		} join;
		struct {
			uint32_t rank;	/* below count */
			uint32_t count; /* of instances */
			uint32_t qpn_first;
			uint32_t qpn_count; /* numbers of its own for queue pairs that are not made */
			uint64_t token;	    /* by which a server knows the cluster's connections */
			char config[FRAME_CONFIG_SIZE];
		} welcome;
		char refuse[FRAME_REASON_SIZE];
		struct server_address ready;
		struct {
			uint32_t count;
			struct frame_peer *items; /* the caller's, FRAME_MAX_PEERS of them, when reading */
		} peers;
		uint32_t point; /* ARRIVED, RELEASE */
		uint8_t step;	/* ALIVE: that it is at; STEP_COUNT: between steps */
		struct {
			uint8_t test;
			uint8_t step;
			uint8_t measure;
			uint64_t total_ns;
			struct latency *latency; /* the caller's, open and empty, when reading */
		} stats;
		struct {
			uint8_t test;
			uint64_t connections;
			uint64_t retries;
			struct rate *rate; /* the caller's when reading */
		} rates;
		struct {
			uint32_t rank; /* who says so */
			char reason[FRAME_REASON_SIZE];
		} abort;
	};
};

struct frame_header {
	uint16_t version;
	uint16_t type;
	uint32_t length;
};

/* The length of the whole frame; bytes are written only when it is at most size. */
size_t frame_encode(const struct frame *frame, uint8_t *bytes, size_t size);
/*
 * 0, -EPROTO and what is wrong, or -EPROTONOSUPPORT: another version, of which only version, type and length
 * are known.
 */
int frame_decode_header(const uint8_t bytes[FRAME_HEADER_SIZE], struct frame_header *header, const char **fault);
/*
 * header->length bytes. 0 or -EPROTO; on failure *frame and what it points to may be half written. The pointers
 * of PEERS, FIGURES and RATES are the caller's; where one is NULL such a frame is refused.
 */
int frame_decode(const struct frame_header *header, const uint8_t *payload, struct frame *frame, const char **fault);

/*
 * By which a server knows a connection of the cluster: the client sends it as the first bytes of a socket, or as
 * the private data of a request to rdma_cm. The magic, and the number of WELCOME.
 */
#define FRAME_TOKEN_SIZE 12

void frame_token(uint64_t token, uint8_t bytes[FRAME_TOKEN_SIZE]);

/* "JOIN" */
const char *frame_name(unsigned type);

#endif
