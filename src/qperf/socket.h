/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The data connection of a socket test: {open, send, receive} of each protocol is a row, and two bodies run them. */
#ifndef QPERF_SOCKET_H
#define QPERF_SOCKET_H

#include <netinet/udp.h>

#include "qperf/protocol.h"
#include "qperf/session.h"

#ifndef UDP_GRO
#define UDP_GRO 104
#endif

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

/* Has this host's kernel the family of addresses that the test is of, RDS or SDP? 0 or -errno, reported. */
int socket_look_for(const struct test_row *test);
/* Both sides' end of the data connection. 0 or -errno, reported. */
int socket_link_open(struct qperf_session *session);
void socket_link_close(struct qperf_session *session);
/* What TCP has to tell of the connection, into the account. */
void link_ask_tcp(struct qperf_session *session);

/* Of a ping-pong, in cycles. It becomes a sample once the next message is on its way, so that this is in none. */
struct round_trip {
	uint64_t begin_cycles;
	uint64_t end_cycles; /* and the begin of the next one; as begin_cycles: there is nothing to record */
};

static inline void round_trip_record(struct qperf_session *session, struct round_trip *trip)
{
	if (session->samples && trip->end_cycles != trip->begin_cycles)
		latency_record_between(session->samples, trip->begin_cycles, trip->end_cycles);
	trip->begin_cycles = trip->end_cycles;
}

/* The bodies. */
int stream_send(struct qperf_session *session);
int stream_receive(struct qperf_session *session);
int stream_ping(struct qperf_session *session); /* both sides */
int datagram_send(struct qperf_session *session);
int datagram_receive(struct qperf_session *session);
int datagram_ping(struct qperf_session *session);
/* Errors that say something of one datagram, or of a queue that is full, and nothing of the next one. */
bool datagram_error_passes(int error);

/*
 * What comes to a socket of datagrams. One call, also of datagrams that were put together, and of the first one.
 * Messages; 0: what came is not of this test; -1 with errno.
 */
int64_t arrival_take(struct qperf_session *session, int flags);
/* The first datagram tells where the others will come from. False: it is from another peer. */
bool arrival_meet(struct qperf_session *session, const struct sockaddr_storage *from, socklen_t size);
/* A receiver's loop ends, and the sender may still have messages on their way: they are to be settled. */
void arrival_unsettled(struct qperf_session *session);

/* Ways to send and receive that one asks for by name. */
const char *modes_check(const struct test_row *test, const struct qperf_side *side);
int modes_send_batch(struct qperf_session *session);
int modes_send_segments(struct qperf_session *session);
int modes_send_zerocopy(struct qperf_session *session);
int modes_send_file(struct qperf_session *session);
int modes_receive_batch(struct qperf_session *session);
int modes_receive_coalesced(struct qperf_session *session);

extern const struct test_ops socket_bandwidth_ops;
extern const struct test_ops socket_latency_ops;

#endif
