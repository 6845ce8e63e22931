/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The messages between the instances of a cluster (net/message.h). docs/cmtime.md describes the same protocol for
 * users. Both ends must have the same version; one of another version is told so by REFUSE.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "cmtime/conn_stats.h"
#include "net/message.h"
#include "stats/series.h"
#include "util/device_identity.h"
#include "util/run_id.h"

#define FRAME_VERSION	  8
#define FRAME_HOST_SIZE	  64 /* of a host's name, including the NUL */
#define FRAME_REASON_SIZE MESSAGE_REASON_SIZE
#define FRAME_CONFIG_SIZE 4096 /* of options as text, including the NUL */
#define FRAME_MAX_PEERS	  1024
#define FRAME_MAX_RATES	  RATE_INTERVALS
#define FRAME_MAX_PAYLOAD (128 * 1024)
#define FRAME_MAX_SIZE	  (MESSAGE_HEADER_SIZE + FRAME_MAX_PAYLOAD)

/*
 * Besides those of all programs, of which HELLO, BARRIER and RESULT go to the controller. HELLO: who I am and which
 * options I was given. AGREE: which instance you are, and what is run. ALIVE has the current step behind, ABORT the
 * rank of the instance that failed, BARRIER a vote. FACTS: between two instances, what one saw during the tests.
 */
enum frame_type {
	FRAME_READY = MESSAGE_OWN, /* to the controller: I can start, and what I am; a server's address */
	FRAME_PEERS,		   /* from the controller: all instances */
	FRAME_RELEASE,		   /* from the controller: all have reached this point */
	FRAME_FIGURES,		   /* to the controller: one measure of one step of one test */
	FRAME_RATES,		   /* to the controller: the rest of a test; follows its FIGURES */
	FRAME_TYPES,
};

/* What an instance says of itself once it has opened its device. */
struct frame_self {
	struct sockaddr_storage address;  /* of its connections; of IP, without a scope; a client's has port 0 */
	char version[16];		  /* of the suite: "7.0" */
	char provenance[PROVENANCE_SIZE]; /* provenance_write(); "": unknown */
};

struct frame_peer {
	uint8_t listens; /* 0: client, 1: server */
	char host[FRAME_HOST_SIZE];
	struct frame_self self;
};

/* An instance that wants to join. */
struct frame_join {
	uint8_t listens;   /* as above */
	uint32_t base_qpn; /* requested, for QPs that are not created */
	char host[FRAME_HOST_SIZE];
	char config[FRAME_CONFIG_SIZE]; /* its options that can be shared */
};

/* An instance's in the cluster. */
struct frame_place {
	uint32_t rank;		       /* below count; the controller's is 0 */
	uint32_t count;		       /* number of instances */
	uint32_t qpn_first, qpn_count; /* range of numbers for QPs that are not created */
	uint64_t token;		       /* by which a server recognizes the cluster's connections */
	struct run_id run_id;
};

/* A message is what its type says: the union has offset 0. */
struct frame {
	union {
		struct frame_join join;
		struct {
			struct frame_place place;
			char config[FRAME_CONFIG_SIZE];
		} welcome;
		char refuse[FRAME_REASON_SIZE];
		char facts[MESSAGE_FACTS_SIZE];
		struct frame_self ready;
		struct {
			uint32_t count;
			struct frame_peer *items; /* owned by the caller, with room for FRAME_MAX_PEERS when reading */
		} peers;
		struct {
			uint32_t point;
			int64_t sent_ns; /* by the sender's clock (claim_now_ns()), as below */
			uint8_t vote;	 /* enum series_vote: is the test measured once more? */
		} arrived;
		uint32_t point; /* RELEASE, which has the highest vote, but no time */
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
			int64_t sent_ns;
			struct conn_totals *totals; /* owned by the caller when reading */
		} rates;
		struct {
			char reason[FRAME_REASON_SIZE];
			uint32_t rank; /* of the instance that failed */
		} abort;
	};
	unsigned type; /* enum message_type, frame_type */
};

extern const struct message_protocol cmtime_messages;

static inline size_t frame_encode(const struct frame *frame, uint8_t *bytes, size_t size)
{
	return message_encode(&cmtime_messages, frame->type, frame, bytes, size);
}

/*
 * As message_decode(). The caller sets the pointers for PEERS, FIGURES and RATES; a frame whose pointer is NULL is
 * refused.
 */
static inline int frame_decode(const struct message_header *header, const uint8_t *payload, struct frame *frame,
			       const char **fault)
{
	frame->type = header->type;
	return message_decode(&cmtime_messages, header, payload, frame, fault);
}

/* The same of the first frame of a connection, which message_front() has found. */
static inline int frame_read(const struct conn *conn, const struct message_header *header, struct frame *frame,
			     const char **fault)
{
	return frame_decode(header, message_payload(conn), frame, fault);
}

/*
 * Identifies a connection of the cluster to a server: the client sends it as the first bytes on a socket, or as private
 * data of an rdma_cm request. It consists of the magic and the number of AGREE.
 */
#define FRAME_TOKEN_SIZE 12

void frame_token(uint64_t token, uint8_t bytes[FRAME_TOKEN_SIZE]);
