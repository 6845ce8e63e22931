/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Encodes and decodes the messages between the instances of a cluster. Bounds-checked, and without I/O. docs/cmtime.md
 * describes the same protocol for users. Called by rendezvous.c and link.c.
 *
 * Integers are unsigned and big-endian. A frame is a header and a payload:
 *
 *   0..3   "PFTC"
 *   4..5   version of the protocol
 *   6..7   type
 *   8..11  length of the payload
 *
 * Both ends must have the same version. The header, and REFUSE as a 16-bit length followed by that much text, are the
 * same in all versions, so that ends of different versions can still report that.
 */
#ifndef CMTIME_FRAME_H
#define CMTIME_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "cmtime/conn_stats.h"

#define FRAME_VERSION	  2
#define FRAME_HEADER_SIZE 12
#define FRAME_HOST_SIZE	  64   /* of a host's name, including the NUL */
#define FRAME_REASON_SIZE 512  /* of a sentence, including the NUL */
#define FRAME_CONFIG_SIZE 4096 /* of options as text, including the NUL */
#define FRAME_MAX_PEERS	  1024
#define FRAME_MAX_RATES	  RATE_INTERVALS
#define FRAME_MAX_PAYLOAD (128 * 1024)

enum frame_type {
	FRAME_JOIN = 1, /* to the controller: who I am and which options I was given */
	FRAME_WELCOME,	/* from the controller: which instance you are, and what is run */
	FRAME_REFUSE,	/* from the controller: why you can't join */
	FRAME_READY,	/* to the controller: I can start; a server's address */
	FRAME_PEERS,	/* from the controller: all instances */
	FRAME_ARRIVED,	/* to the controller: I have reached this point */
	FRAME_RELEASE,	/* from the controller: all have reached this point */
	FRAME_ALIVE,	/* both: once a second, with the current step */
	FRAME_FIGURES,	/* to the controller: one measure of one step of one test */
	FRAME_RATES,	/* to the controller: the rest of a test; follows its FIGURES */
	FRAME_ABORT,	/* both: the run is over, and why */
	FRAME_TYPES,
};

struct server_address {
	uint8_t family; /* 0: none, 4 or 6 */
	uint16_t port;
	uint8_t bytes[16]; /* 4 or 16 are used, the rest is 0 */
};

struct frame_peer {
	uint8_t listens; /* 0: client, 1: server */
	char host[FRAME_HOST_SIZE];
	struct server_address address; /* server only */
};

struct frame {
	enum frame_type type;
	union {
		struct {
			uint8_t listens;
			uint32_t base_qpn; /* requested */
			char host[FRAME_HOST_SIZE];
			char config[FRAME_CONFIG_SIZE];
			uint8_t families; /* of its local addresses: ADDRESS_IPV4, ADDRESS_IPV6 */
		} join;
		struct {
			uint32_t rank;	/* below count */
			uint32_t count; /* number of instances */
			uint32_t qpn_first;
			uint32_t qpn_count; /* range of numbers for QPs that are not created */
			uint64_t token;	    /* by which a server recognizes the cluster's connections */
			char config[FRAME_CONFIG_SIZE];
			uint8_t families; /* that all instances have */
		} welcome;
		char refuse[FRAME_REASON_SIZE];
		struct server_address ready;
		struct {
			uint32_t count;
			struct frame_peer *items; /* owned by the caller, with room for FRAME_MAX_PEERS when reading */
		} peers;
		uint32_t point; /* ARRIVED, RELEASE */
		uint8_t step;	/* ALIVE: the current step; STEP_COUNT: between steps */
		struct {
			uint8_t test;
			uint8_t step;
			uint8_t measure;
			uint64_t total_ns;
			struct latency *latency; /* owned by the caller; open and empty when reading */
		} stats;
		struct {
			uint8_t test;
			uint64_t connections;
			uint64_t retries;
			struct rate *rate; /* owned by the caller when reading */
		} rates;
		struct {
			uint32_t rank; /* of the instance that failed */
			char reason[FRAME_REASON_SIZE];
		} abort;
	};
};

struct frame_header {
	uint16_t version;
	uint16_t type;
	uint32_t length;
};

/* Returns the length of the whole frame, which is only written if it is at most size. */
size_t frame_encode(const struct frame *frame, uint8_t *bytes, size_t size);
/* 0; -EPROTO and the reason; or -EPROTONOSUPPORT: another version, of which only version, type and length are known. */
int frame_decode_header(const uint8_t bytes[FRAME_HEADER_SIZE], struct frame_header *header, const char **fault);
/*
 * Decodes header->length bytes. 0 or -EPROTO; after a failure *frame and what it points to may be partly written. The
 * caller sets the pointers for PEERS, FIGURES and RATES; a frame whose pointer is NULL is refused.
 */
int frame_decode(const struct frame_header *header, const uint8_t *payload, struct frame *frame, const char **fault);

/*
 * Identifies a connection of the cluster to a server: the client sends it as the first bytes on a socket, or as private
 * data of an rdma_cm request. It consists of the magic and the number of WELCOME.
 */
#define FRAME_TOKEN_SIZE 12

void frame_token(uint64_t token, uint8_t bytes[FRAME_TOKEN_SIZE]);

/* "JOIN" */
const char *frame_name(unsigned type);

#endif
