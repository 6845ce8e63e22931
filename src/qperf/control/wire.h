/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Encodes and decodes the messages of the control connection. Pure functions: no I/O, no state; all input is checked.
 *
 * qperf 0.4.11 (one TCP connection per test, little-endian, no framing):
 *   client: a request of 200 bytes: u16 major, minor, incremental, test; u32 for sixteen parameters; two texts of 64
 *   server: what the test needs first: u32 port, or NODE (40 bytes), or for conf four texts of 64
 *   both:   27 bytes, "synchronization before test" without its NUL
 *   server: STAT, 256 bytes; client: 26 bytes
 *   An error is an urgent byte '?', followed by its text up to the end of the stream.
 *
 * Between our own versions (docs/qperf.md): the client's request has REQUEST_MARK as the incremental number, which
 * 0.4.11 ignores. A server that recognizes it answers with HELLO, whose first bytes no answer of 0.4.11 can start with,
 * and frames follow (net/message.h).
 */
#pragma once

#include <stddef.h>

#include "net/address.h"
#include "net/message.h"
#include "qperf/print/figures.h"
#include "qperf/print/text.h"
#include "traffic/payload_limit.h"
#include "util/device_identity.h"
#include "util/endpoint.h"
#include "util/run_id.h"

#define REQUEST_SIZE	  200
#define REQUEST_HEAD	  8 /* enough to tell whether the rest is understood */
#define REQUEST_MAJOR	  0
#define REQUEST_MINOR	  4
#define REQUEST_INCREMENT 11
#define REQUEST_MARK	  0x7071
#define STAT_SIZE	  256
#define NODE_SIZE	  40
#define PORT_SIZE	  4
#define CONF_SIZE	  256
#define RDS_ADDRESS_SIZE  1025
#define SYNC_BEFORE	  "synchronization before test"
#define SYNC_AFTER	  "synchronization after test"
#define HELLO_SIZE	  8
#define FRAME_MAX_PAYLOAD 4096 /* with room for later fields */
#define FRAME_MAX_SIZE	  (MESSAGE_HEADER_SIZE + FRAME_MAX_PAYLOAD)

extern const uint8_t wire_hello[HELLO_SIZE];

struct request {
	uint16_t major;
	uint16_t minor;
	uint16_t increment;
	uint16_t test;
	struct qperf_side side; /* the server's; times are whole seconds */
};

/*
 * Each with its struct; besides those of all programs. HELLO: client: the test and the server's parameters; struct
 * start. ENDPOINTS: both: a QP; struct rdma_side. BARRIER: both: ready to start; point 0. ALIVE: each second of a loop
 * without a time limit. RESULT: both, at the end of their loop; struct account. DONE: both: this side has sent
 * everything, in a test of both directions; uint8_t: its user has stopped it. FACTS follow the results.
 */
enum frame_type {
	FRAME_READY = MESSAGE_OWN, /* server: the port; uint32_t */
	FRAME_CONF,		   /* struct conf */
	FRAME_BYE,		   /* quit is granted; none */
	FRAME_ORIGIN,		   /* server, once the test is open; struct qperf_origin */
	NUM_FRAMES,
};

extern const struct message_protocol qperf_messages;
/*
 * What 0.4.11 sends for a type, with neither header nor length: READY, ENDPOINTS (struct classic_node), RESULT, CONF,
 * BARRIER and BYE. The limit is the length.
 */
extern const struct message_row qperf_classic[];

/* What a side of an RDMA test sends about itself. */
struct rdma_side {
	struct endpoint endpoint;
	struct site site;
	char host[64];
};

struct start {
	uint32_t test;
	uint8_t explains;	/* --explain: 0 or 1 */
	struct qperf_side side; /* the server's */
	struct run_id run_id;	/* of the client's document */
};

/* What a server tells of itself for the client's document. */
struct qperf_origin {
	char host[64];
	char version[16];		  /* of the suite */
	char provenance[PROVENANCE_SIZE]; /* provenance_write() */
};

/* Of a run, for the client's document. */
struct qperf_sides {
	struct device_identity device;	 /* this side's, of an RDMA test; without a name: of sockets */
	unsigned port;			 /* ... and its port */
	struct payload_path path;	 /* what messages pass through on this side; zeroed, of latencies: not known */
	char netdev[64];		 /* of a bandwidth test of sockets; "": unknown */
	double copied;			 /* --report_possible on a software device: what memcpy moves, bytes/s; or 0 */
	char address[ADDRESS_TEXT_SIZE]; /* and port of the server */
	const char *protocol;		 /* name of the server's */
	bool classic;			 /* which tells nothing of itself */
	struct qperf_origin server;	 /* otherwise what it tells; empty: nothing yet */
};

/* NODE in 0.4.11. */
struct classic_node {
	uint64_t vaddr;
	uint32_t lid;
	uint32_t qpn;
	uint32_t psn;
	uint32_t srqn;
	uint32_t rkey;
	uint32_t alt_lid;
	uint32_t rd_atomic;
};

void wire_request(const struct request *request, uint8_t bytes[REQUEST_SIZE]);
/* -EPROTO: another version; does not check the test. */
int wire_read_request(const uint8_t bytes[REQUEST_SIZE], struct request *request);
/* Text from a peer, for a terminal: all but printable ASCII becomes '?'. size includes the NUL. */
void wire_read_text(const uint8_t *bytes, size_t length, char *text, size_t size);
