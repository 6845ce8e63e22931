/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The data connection of a socket test: each protocol is a row, which the test bodies for bandwidth and latency use. */
#pragma once

#include <netinet/udp.h>

#include "qperf/control/session.h"

#ifndef UDP_GRO
#define UDP_GRO 104
#endif

struct protocol_row {
	const char *name; /* "SCTP" */
	int family;	  /* 0: of the control connection */
	int type;
	int number;	/* IPPROTO_* */
	bool is_stream; /* otherwise messages arrive completely or not at all */
	bool has_tcp_info;
};

extern const struct protocol_row protocol_rows[NUM_PROTOCOLS];

/* session->own of a socket test. */
struct link {
	const struct protocol_row *protocol;
	int fd;
	int listener;		      /* -1: none */
	bool connected;		      /* datagrams: the peer's address has been set */
	struct sockaddr_storage peer; /* to which fd was connected */
	char *buffer;
	size_t capacity; /* bytes; a stream's message may be longer */
	uint64_t size;	 /* of a message */
	bool spins;
	bool access;
};

/* Does this host's kernel support the address family of the test, RDS or SDP? 0 or -errno, reported. */
int socket_look_for(const struct test_row *test);
/* Opens the data connection, on either side. 0 or -errno, reported. */
int socket_link_open(struct qperf_session *session);
void socket_link_close(struct qperf_session *session);
/*
 * A socket with the buffers and the congestion control of this side, which are negotiated when it is connected. 0 or
 * -errno, reported.
 */
int socket_make(const struct qperf_session *session, int *made);

/* On the client, once the socket is connected: writes session->sides->netdev and path. */
void socket_find_path(const struct qperf_session *session);
/*
 * The link of an interface of this host, its MTU and its PCIe; all 0: it has no adapter that says how fast it is. root:
 * "/sys" or another host's.
 */
void socket_path_of_netdev(const char *root, const char *netdev, struct payload_path *path);

/*
 * A round trip, in cycles. It is recorded as a sample after the next message was sent, so that recording is outside all
 * samples.
 */
struct round_trip {
	uint64_t begin_cycles;
	uint64_t end_cycles; /* and start of the next one; equal to begin_cycles: nothing to record */
};

static inline void round_trip_record(struct qperf_session *session, struct round_trip *trip)
{
	if (trip->end_cycles != trip->begin_cycles)
		latency_record_between(session->samples, trip->begin_cycles, trip->end_cycles);
	trip->begin_cycles = trip->end_cycles;
}

/* Test bodies. */
int stream_send(struct qperf_session *session);
int stream_receive(struct qperf_session *session);
int stream_ping(struct qperf_session *session); /* both sides */
int datagram_send(struct qperf_session *session);
int datagram_receive(struct qperf_session *session);
int datagram_ping(struct qperf_session *session);
/* Errors of a single datagram, or of a full queue, which do not affect the next datagram. */
bool datagram_error_passes(int error);

/*
 * Receives datagrams with one call, also coalesced ones, and the first one. Returns the number of messages; 0: the data
 * is not from this test; -1 with errno.
 */
int64_t arrival_take(struct qperf_session *session, int flags);
/* A receiver's loop has ended, but messages may still be in flight: session->settle will receive them. */
void arrival_unsettled(struct qperf_session *session);

/* Send and receive modes, which options select. */
const char *modes_check(const struct test_row *test, const struct qperf_side *side);
int modes_send_batch(struct qperf_session *session);
int modes_send_segments(struct qperf_session *session);
int modes_send_zerocopy(struct qperf_session *session);
int modes_send_file(struct qperf_session *session);
int modes_receive_batch(struct qperf_session *session);
int modes_receive_coalesced(struct qperf_session *session);
