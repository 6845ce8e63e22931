/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The data connection of a socket test: {open, send, receive} of each protocol is a row, and two bodies run them. */
#ifndef QPERF_SOCKET_H
#define QPERF_SOCKET_H

#include "qperf/protocol.h"
#include "qperf/session.h"

struct protocol_row {
	const char *name; /* "SCTP" */
	int family;	  /* 0: that of the control connection */
	int type;
	int number;	/* IPPROTO_* */
	bool is_stream; /* otherwise messages arrive whole, or not at all */
	bool has_tcp_info;
};

extern const struct protocol_row protocol_rows[NUM_PROTOCOLS];

/* session->own of a socket test. */
struct link {
	const struct protocol_row *protocol;
	int fd;
	int listener;	/* -1: none */
	bool connected; /* datagrams: the peer's address is known */
	char *buffer;
	size_t capacity; /* bytes; a stream's message may be longer */
	uint64_t size;	 /* of a message */
	bool spins;
	bool access;
};

/* Both sides' end of the data connection. 0 or -errno, reported. */
int link_open(struct session *session);
void link_close(struct session *session);
/* What TCP has to tell of the connection, into the account. */
void link_ask_tcp(struct session *session);
/* Reads all that was received, for --access_recv. */
void link_access(const char *bytes, size_t length);

/* The bodies. */
int stream_send(struct session *session);
int stream_receive(struct session *session);
int stream_ping(struct session *session); /* both sides */
int datagram_send(struct session *session);
int datagram_receive(struct session *session);
int datagram_ping(struct session *session);

/* Ways to send and receive that one asks for by name. */
const char *modes_check(const struct test_row *test, const struct qperf_side *side);
int modes_send_batch(struct session *session);
int modes_send_segments(struct session *session);
int modes_send_zerocopy(struct session *session);
int modes_send_file(struct session *session);
int modes_receive_batch(struct session *session);
int modes_receive_coalesced(struct session *session);

extern const struct test_ops socket_bandwidth_ops;
extern const struct test_ops socket_latency_ops;

#endif
