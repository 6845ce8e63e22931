/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --explain: the test whose figure is explained, as session and qperf describe it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define EXPLAIN_EVIDENCE_SIZE 192

/* What was run. 0: not known, or not applicable. */
struct explain_test {
	bool is_client;	      /* this side */
	bool is_bandwidth;    /* otherwise latency */
	bool is_socket;	      /* otherwise RDMA */
	bool is_software;     /* RDMA without an adapter */
	bool waits;	      /* for events, by choice */
	double message_bytes; /* of a sweep the largest */
	double messages;      /* that this side has counted */
	double packets;	      /* of RDMA, with these messages: an interface does not count most of them */
	double message_rate;  /* per second */
	double bandwidth;     /* bytes per second, */
	double possible;      /* ... of these */
	uint32_t queue_pairs; /* or connections */
	uint32_t depth;	      /* bandwidth: messages in flight of all queue pairs */
	uint32_t mtu;	      /* bytes of payload in an RDMA packet, and what the port has at most */
	uint32_t most_mtu;
	uint64_t buffer_bytes; /* of the socket, if the user has chosen it */
};
