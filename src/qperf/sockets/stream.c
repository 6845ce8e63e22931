// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Messages over a stream: a message is complete when all its bytes were transferred, and only complete ones count. One
 * call per message if the kernel accepts that much, and no clock in the bandwidth loops. Uses send() and recv(), which
 * bypass the kernel's file layer: a call takes 60 ns less than write() and read(), of 2 us.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "qperf/sockets/socket.h"
#include "stats/clock.h"
#include "util/log.h"

#define INLINE static inline __attribute__((always_inline))

enum piece { PIECE_DONE, PIECE_END, PIECE_FAILED };

/* After a call that transferred nothing: should it be retried? */
static enum piece piece_stopped(struct qperf_session *session, ssize_t moved)
{
	if (moved < 0 && (errno == EINTR || errno == EAGAIN))
		return qperf_session_tick(session) ? PIECE_END : PIECE_DONE;
	/*
	 * The peer has closed, because its time is over, or because it failed, which the control connection will say.
	 */
	if (!moved || errno == EPIPE || errno == ECONNRESET) {
		session->peer_done = true;
		return PIECE_END;
	}
	log_error("the data connection failed: %s", strerror(errno));
	return PIECE_FAILED;
}

/* After a call that transferred n bytes, less than all, or failed. PIECE_DONE: another call is needed. */
INLINE enum piece piece_moved(struct qperf_session *session, ssize_t n, uint64_t *left, const bool spins)
{
	if (n > 0) {
		*left -= (uint64_t)n;
		session->pieces++;
		return qperf_session_attention && qperf_session_tick(session) ? PIECE_END : PIECE_DONE;
	}
	if (spins && n < 0 && errno == EAGAIN && !qperf_session_attention)
		return PIECE_DONE;
	return piece_stopped(session, n);
}

/* Transfers one message, and counts it. receives, spins, truncs: compile-time constants of the caller. */
INLINE enum piece transfer_message(struct qperf_session *session, const struct link *link, const bool receives,
				   const bool spins, const bool truncs)
{
	struct tally *traffic = receives ? &session->account.received : &session->account.sent;
	const int flags = (spins ? MSG_DONTWAIT : 0) | (truncs ? MSG_TRUNC : 0);
	uint64_t left = link->size;
	enum piece piece;

	for (;;) {
		const size_t length = left < link->capacity ? (size_t)left : link->capacity;
		const ssize_t n = receives ? recv(link->fd, link->buffer, length, flags)
					   : send(link->fd, link->buffer, length, flags);

		if (receives && n > 0 && link->access)
			access_data(link->buffer, (size_t)n);
		if (__builtin_expect(n == (ssize_t)left, 1))
			break;
		piece = piece_moved(session, n, &left, spins);
		if (piece != PIECE_DONE)
			return piece;
	}
	traffic->msgs++;
	traffic->bytes += link->size;
	return PIECE_DONE;
}

/* --- one way --- */

INLINE int transfer_all(struct qperf_session *session, const bool receives, const bool spins, const bool truncs)
{
	const struct tally *traffic = receives ? &session->account.received : &session->account.sent;
	const struct link *link = session->own;
	const uint64_t limit = session->side.number[PARAM_NO_MSGS];
	enum piece piece = PIECE_DONE;

	while (!qperf_session_attention || !qperf_session_tick(session)) {
		piece = transfer_message(session, link, receives, spins, truncs);
		if (piece != PIECE_DONE || __builtin_expect(traffic->msgs == limit, 0))
			break;
	}
	return piece == PIECE_FAILED ? -EIO : 0;
}

int stream_send(struct qperf_session *session)
{
	const struct link *link = session->own;

	snprintf(session->account.how, sizeof(session->account.how), "send");
	return link->spins ? transfer_all(session, false, true, false) : transfer_all(session, false, false, false);
}

int stream_receive(struct qperf_session *session)
{
	const struct link *link = session->own;
	const bool truncs = session->side.number[PARAM_RECEIVE] == RECEIVE_TRUNC;

	snprintf(session->account.how, sizeof(session->account.how), "recv%s", truncs ? " with MSG_TRUNC" : "");
	/* The sender closes the stream: until then, its message that it is done is no reason to stop. */
	session->awaits_end = session->control->dialect->announces_done;
	if (link->spins)
		return truncs ? transfer_all(session, true, true, true) : transfer_all(session, true, true, false);
	return truncs ? transfer_all(session, true, false, true) : transfer_all(session, true, false, false);
}

/* --- ping-pong --- */

/* asks: this side sends first, and samples the round trips. */
INLINE int ping_all(struct qperf_session *session, const bool asks, const bool spins)
{
	const struct link *link = session->own;
	const uint64_t limit = session->side.number[PARAM_NO_MSGS];
	struct round_trip last = {session->begin_cycles, session->begin_cycles};
	enum piece piece = PIECE_DONE;

	while (!qperf_session_attention || !qperf_session_tick(session)) {
		piece = transfer_message(session, link, !asks, spins, false);
		if (piece != PIECE_DONE)
			break;
		if (asks)
			round_trip_record(session, &last);
		piece = transfer_message(session, link, asks, spins, false);
		if (piece != PIECE_DONE)
			break;
		if (asks)
			last.end_cycles = clock_cycles();
		if (__builtin_expect(session->account.received.msgs == limit, 0))
			break;
	}
	if (asks)
		round_trip_record(session, &last);
	if (asks && piece == PIECE_END)
		session_count_open(session, last.begin_cycles);
	return piece == PIECE_FAILED ? -EIO : 0;
}

int stream_ping(struct qperf_session *session)
{
	const struct link *link = session->own;

	snprintf(session->account.how, sizeof(session->account.how), "send, recv");
	if (session->sends)
		return link->spins ? ping_all(session, true, true) : ping_all(session, true, false);
	return link->spins ? ping_all(session, false, true) : ping_all(session, false, false);
}
