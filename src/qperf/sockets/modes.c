// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Other ways to send and receive in bandwidth tests: several datagrams per call, datagrams that are segmented or
 * coalesced below the socket, zero copy. Messages and bytes are counted as in the plain loops.
 */
#define _GNU_SOURCE 1 /* sendmmsg(), memfd_create() */
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <linux/errqueue.h> /* wants the types of <time.h> */

#include "qperf/sockets/socket.h"
#include "stats/clock.h"
#include "util/log.h"

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef SO_ZEROCOPY
#define SO_ZEROCOPY 60
#endif
#ifndef MSG_ZEROCOPY
#define MSG_ZEROCOPY 0x4000000
#endif

#define BATCH	     64
#define MAX_SEGMENTS 64	   /* UDP_MAX_SEGMENTS */
#define MAX_DATAGRAM 65507 /* over IPv4 */
#define MAX_UNCOPIED 1024  /* sends whose pages the kernel may hold at a time */

const char *modes_check(const struct test_row *test, const struct qperf_side *side)
{
	const struct protocol_row *protocol = &protocol_rows[test->kind];
	const bool bandwidth = test->measure != MEASURE_LATENCY;
	const enum send_mode how = (enum send_mode)side->number[PARAM_SEND];
	const enum receive_mode receive = (enum receive_mode)side->number[PARAM_RECEIVE];

	if (!bandwidth && (how || receive))
		return "a way to send or receive other than plain: that is for bandwidth";
	if ((how == SEND_BATCH || how == SEND_SEGMENT || receive == RECEIVE_BATCH || receive == RECEIVE_COALESCE) &&
	    test->kind != PROTOCOL_UDP)
		return "batch, segment or coalesce: those are for udp_bw";
	if ((how == SEND_ZEROCOPY || how == SEND_FILE || receive == RECEIVE_TRUNC) && !protocol->has_tcp_info)
		return "zerocopy, file or trunc: those are for tcp_bw";
	if (side->congestion[0] && !protocol->has_tcp_info)
		return "a congestion control: that is for TCP";
	return NULL;
}

static int modes_failed(const char *what)
{
	return log_fail(-EIO, "%s: %s", what, strerror(errno));
}

static void modes_count(struct qperf_session *session, struct tally *traffic, uint64_t msgs)
{
	const struct link *link = session->own;

	traffic->msgs += msgs;
	traffic->bytes += msgs * link->size;
}

/* Messages for the next call, so that -n is met exactly. */
static uint64_t next_count(const struct qperf_session *session, uint64_t most)
{
	const uint64_t limit = session->side.number[PARAM_NO_MSGS], sent = session->account.sent.msgs;

	return limit && limit - sent < most ? limit - sent : most;
}

static bool is_enough(const struct qperf_session *session)
{
	return session->side.number[PARAM_NO_MSGS] && session->account.sent.msgs == session->side.number[PARAM_NO_MSGS];
}

/* --- several datagrams per call --- */

struct datagram_batch {
	struct mmsghdr messages[BATCH];
	struct iovec pieces[BATCH];
};

static void batch_open(struct datagram_batch *batch, const struct link *link)
{
	memset(batch, 0, sizeof(*batch));
	for (unsigned i = 0; i < BATCH; i++) {
		batch->pieces[i] = (struct iovec){link->buffer, link->capacity};
		batch->messages[i].msg_hdr = (struct msghdr){.msg_iov = &batch->pieces[i], .msg_iovlen = 1};
	}
}

int modes_send_batch(struct qperf_session *session)
{
	struct link *link = session->own;
	struct datagram_batch batch;

	batch_open(&batch, link);
	snprintf(session->account.how, sizeof(session->account.how), "sendmmsg of %d", BATCH);
	while (!is_enough(session) && (!qperf_session_attention || !qperf_session_tick(session))) {
		const int n = sendmmsg(link->fd, batch.messages, (unsigned)next_count(session, BATCH), 0);

		if (n > 0)
			modes_count(session, &session->account.sent, (uint64_t)n);
		else if (!datagram_error_passes(errno))
			return modes_failed("sendmmsg");
		else
			session->account.sent.errors += errno != EINTR;
	}
	return 0;
}

/* Done by all receivers of datagrams between two calls. True: the loop ends. */
static bool receiver_ends(struct qperf_session *session, int64_t n)
{
	const uint64_t limit = session->side.number[PARAM_NO_MSGS];

	if (limit && n > 0)
		session->finish_cycles = clock_cycles();
	if (limit && session->account.received.msgs >= limit)
		return true;
	if (n < 0 && errno == EINTR)
		qperf_session_attention = 1;
	if (!qperf_session_attention || !qperf_session_tick(session))
		return false;
	arrival_unsettled(session);
	return true;
}

int modes_receive_batch(struct qperf_session *session)
{
	struct link *link = session->own;
	struct datagram_batch batch;
	int n;

	batch_open(&batch, link);
	snprintf(session->account.how, sizeof(session->account.how), "recvmmsg of %d", BATCH);
	do {
		if (!link->connected) {
			n = (int)arrival_take(session, 0);
			batch.messages[0].msg_len = n > 0 ? (unsigned)link->capacity : 0;
			n += !n;
		} else {
			n = recvmmsg(link->fd, batch.messages, BATCH, MSG_WAITFORONE, NULL);
		}
		if (n < 0 && !datagram_error_passes(errno))
			return modes_failed("recvmmsg");
		for (int i = 0; i < n; i++) {
			if (batch.messages[i].msg_len == link->capacity)
				modes_count(session, &session->account.received, 1);
			else
				session->account.received.errors++;
			if (link->access)
				access_data(link->buffer, batch.messages[i].msg_len);
		}
	} while (!receiver_ends(session, n));
	return 0;
}

/* --- segmentation and coalescing below the socket --- */

int modes_send_segments(struct qperf_session *session)
{
	static char data[MAX_DATAGRAM];
	struct link *link = session->own;
	const int size = (int)link->size;
	uint64_t most = MAX_DATAGRAM / link->size;

	if (most > MAX_SEGMENTS)
		most = MAX_SEGMENTS;
	if (setsockopt(link->fd, IPPROTO_UDP, UDP_SEGMENT, &size, sizeof(size)))
		return modes_failed("this kernel has no UDP_SEGMENT");
	snprintf(session->account.how, sizeof(session->account.how), "write of %u segments", (unsigned)most);
	while (!is_enough(session) && (!qperf_session_attention || !qperf_session_tick(session))) {
		const uint64_t segments = next_count(session, most);
		const ssize_t n = write(link->fd, data, segments * link->size);

		if (n > 0)
			modes_count(session, &session->account.sent, segments);
		else if (errno == EINVAL || errno == EMSGSIZE)
			return modes_failed("segments of this size exceed the path MTU (UDP_SEGMENT)");
		else if (!datagram_error_passes(errno))
			return modes_failed("write of segments");
		else
			session->account.sent.errors += errno != EINTR;
	}
	return 0;
}

int modes_receive_coalesced(struct qperf_session *session)
{
	const struct link *link = session->own;
	const int one = 1;
	int64_t n;

	if (setsockopt(link->fd, IPPROTO_UDP, UDP_GRO, &one, sizeof(one)))
		return modes_failed("this kernel has no UDP_GRO");
	snprintf(session->account.how, sizeof(session->account.how), "recvmsg with UDP_GRO");
	do {
		n = arrival_take(session, 0);
		if (n < 0 && !datagram_error_passes(errno))
			return modes_failed("recvmsg");
		if (n > 0)
			modes_count(session, &session->account.received, (uint64_t)n);
		session->account.received.errors += !n;
	} while (!receiver_ends(session, n));
	return 0;
}

/* --- zero copy --- */

/* Reads completion notifications. Returns the number of sends that have completed. */
static uint32_t modes_reap(struct qperf_session *session)
{
	const struct link *link = session->own;
	char control[128];
	uint32_t done = 0;

	for (;;) {
		struct msghdr message = {.msg_control = control, .msg_controllen = sizeof(control)};
		struct sock_extended_err error;
		struct cmsghdr *cmsg;

		if (recvmsg(link->fd, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
			return done;
		cmsg = CMSG_FIRSTHDR(&message);
		if (!cmsg)
			continue;
		memcpy(&error, CMSG_DATA(cmsg), sizeof(error));
		if (error.ee_origin != SO_EE_ORIGIN_ZEROCOPY)
			continue;
		done += error.ee_data - error.ee_info + 1;
		if (error.ee_code & SO_EE_CODE_ZEROCOPY_COPIED)
			session->account.copied += error.ee_data - error.ee_info + 1;
	}
}

/*
 * Sends messages of a stream, each with one or more calls. holds: the kernel holds their pages until it says so. 0 or
 * -errno, reported.
 */
static int send_stream(struct qperf_session *session, ssize_t (*call)(const struct link *, size_t), bool holds)
{
	const struct link *link = session->own;
	uint64_t left = link->size;
	uint32_t held = 0;

	while (!is_enough(session) && (!qperf_session_attention || !qperf_session_tick(session))) {
		const ssize_t n = call(link, left < link->capacity ? (size_t)left : link->capacity);

		if (n > 0) {
			left -= (uint64_t)n;
			session->pieces++;
			held += holds;
		} else if (!n || errno == EPIPE || errno == ECONNRESET) {
			session->peer_done = true;
			return 0;
		} else if (!datagram_error_passes(errno)) {
			return modes_failed("send");
		} else if (errno == EINTR) {
			qperf_session_attention = 1;
		} else if (errno == ENOBUFS) { /* too many pages are pinned */
			held -= modes_reap(session);
		}
		if (left)
			continue;
		modes_count(session, &session->account.sent, 1);
		left = link->size;
		if (held > MAX_UNCOPIED / 2)
			held -= modes_reap(session);
	}
	return 0;
}

static ssize_t call_zerocopy(const struct link *link, size_t length)
{
	return send(link->fd, link->buffer, length, MSG_ZEROCOPY);
}

int modes_send_zerocopy(struct qperf_session *session)
{
	struct link *link = session->own;
	const int one = 1;
	int ret;

	if (setsockopt(link->fd, SOL_SOCKET, SO_ZEROCOPY, &one, sizeof(one)))
		return modes_failed("this kernel has no MSG_ZEROCOPY");
	snprintf(session->account.how, sizeof(session->account.how), "send with MSG_ZEROCOPY");
	ret = send_stream(session, call_zerocopy, true);
	modes_reap(session);
	return ret;
}

static int file_of_zeroes = -1;

static ssize_t call_sendfile(const struct link *link, size_t length)
{
	off_t offset = 0;

	return sendfile(link->fd, file_of_zeroes, &offset, length);
}

int modes_send_file(struct qperf_session *session)
{
	const struct link *link = session->own;
	int ret;

	file_of_zeroes = memfd_create("qperf", MFD_CLOEXEC);
	if (file_of_zeroes < 0 || ftruncate(file_of_zeroes, (off_t)link->capacity))
		ret = modes_failed("cannot create a file to send");
	else
		ret = send_stream(session, call_sendfile, false);
	snprintf(session->account.how, sizeof(session->account.how), "sendfile");
	if (file_of_zeroes >= 0)
		close(file_of_zeroes);
	file_of_zeroes = -1;
	return ret;
}
