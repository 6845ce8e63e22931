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

#include "qperf/control/access.h"
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

/* Sends one message. spins, truncs: compile-time constants of the caller. */
INLINE enum piece send_message(struct qperf_session *session, const struct link *link, const bool spins)
{
	uint64_t left = link->size;
	enum piece piece;

	for (;;) {
		const size_t length = left < link->capacity ? (size_t)left : link->capacity;
		const ssize_t n = send(link->fd, link->buffer, length, spins ? MSG_DONTWAIT : 0);

		if (__builtin_expect(n == (ssize_t)left, 1))
			return PIECE_DONE;
		piece = piece_moved(session, n, &left, spins);
		if (piece != PIECE_DONE)
			return piece;
	}
}

INLINE enum piece receive_message(struct qperf_session *session, const struct link *link, const bool spins,
				  const bool truncs)
{
	const int flags = (spins ? MSG_DONTWAIT : 0) | (truncs ? MSG_TRUNC : 0);
	uint64_t left = link->size;
	enum piece piece;

	for (;;) {
		const size_t length = left < link->capacity ? (size_t)left : link->capacity;
		const ssize_t n = recv(link->fd, link->buffer, length, flags);

		if (n > 0 && link->access)
			access_data(link->buffer, (size_t)n);
		if (__builtin_expect(n == (ssize_t)left, 1))
			return PIECE_DONE;
		piece = piece_moved(session, n, &left, spins);
		if (piece != PIECE_DONE)
			return piece;
	}
}

static void stream_count(struct tally *traffic, uint64_t size)
{
	traffic->msgs++;
	traffic->bytes += size;
}

/* --- one way --- */

INLINE int send_all(struct qperf_session *session, const bool spins)
{
	const struct link *link = session->own;
	const uint64_t limit = session->side.number[PARAM_NO_MSGS];
	enum piece piece = PIECE_DONE;

	while (!qperf_session_attention || !qperf_session_tick(session)) {
		piece = send_message(session, link, spins);
		if (piece != PIECE_DONE)
			break;
		stream_count(&session->account.sent, link->size);
		if (__builtin_expect(session->account.sent.msgs == limit, 0))
			break;
	}
	return piece == PIECE_FAILED ? -EIO : 0;
}

int stream_send(struct qperf_session *session)
{
	const struct link *link = session->own;

	snprintf(session->account.how, sizeof(session->account.how), "send");
	return link->spins ? send_all(session, true) : send_all(session, false);
}

/* The sender closes the stream: until then, its message that it is done is no reason to stop. */
INLINE int stream_receive_all(struct qperf_session *session, const bool spins, const bool truncs)
{
	const struct link *link = session->own;
	const uint64_t limit = session->side.number[PARAM_NO_MSGS];
	enum piece piece = PIECE_DONE;

	session->awaits_end = session->control->native;
	while (!qperf_session_attention || !qperf_session_tick(session)) {
		piece = receive_message(session, link, spins, truncs);
		if (piece != PIECE_DONE)
			break;
		stream_count(&session->account.received, link->size);
		if (__builtin_expect(session->account.received.msgs == limit, 0))
			break;
	}
	return piece == PIECE_FAILED ? -EIO : 0;
}

int stream_receive(struct qperf_session *session)
{
	const struct link *link = session->own;
	const bool truncs = session->side.number[PARAM_RECEIVE] == RECEIVE_TRUNC;

	snprintf(session->account.how, sizeof(session->account.how), "recv%s", truncs ? " with MSG_TRUNC" : "");
	if (link->spins)
		return truncs ? stream_receive_all(session, true, true) : stream_receive_all(session, true, false);
	return truncs ? stream_receive_all(session, false, true) : stream_receive_all(session, false, false);
}

/* --- ping-pong --- */

INLINE int ping_all(struct qperf_session *session, const bool spins)
{
	const struct link *link = session->own;
	struct account *account = &session->account;
	const uint64_t limit = session->side.number[PARAM_NO_MSGS];
	struct round_trip last = {session->begin_cycles, session->begin_cycles};
	enum piece piece = PIECE_DONE;

	while (!qperf_session_attention || !qperf_session_tick(session)) {
		piece = send_message(session, link, spins);
		if (piece != PIECE_DONE)
			break;
		stream_count(&account->sent, link->size);
		round_trip_record(session, &last);
		piece = receive_message(session, link, spins, false);
		if (piece != PIECE_DONE)
			break;
		stream_count(&account->received, link->size);
		last.end_cycles = clock_cycles();
		if (__builtin_expect(account->received.msgs == limit, 0))
			break;
	}
	round_trip_record(session, &last);
	if (piece == PIECE_END)
		session_count_open(session, last.begin_cycles);
	return piece == PIECE_FAILED ? -EIO : 0;
}

INLINE int pong_all(struct qperf_session *session, const bool spins)
{
	const struct link *link = session->own;
	struct account *account = &session->account;
	const uint64_t limit = session->side.number[PARAM_NO_MSGS];
	enum piece piece = PIECE_DONE;

	while (!qperf_session_attention || !qperf_session_tick(session)) {
		piece = receive_message(session, link, spins, false);
		if (piece != PIECE_DONE)
			break;
		stream_count(&account->received, link->size);
		piece = send_message(session, link, spins);
		if (piece != PIECE_DONE)
			break;
		stream_count(&account->sent, link->size);
		if (__builtin_expect(account->received.msgs == limit, 0))
			break;
	}
	return piece == PIECE_FAILED ? -EIO : 0;
}

int stream_ping(struct qperf_session *session)
{
	const struct link *link = session->own;

	snprintf(session->account.how, sizeof(session->account.how), "send, recv");
	if (session->sends)
		return link->spins ? ping_all(session, true) : ping_all(session, false);
	return link->spins ? pong_all(session, true) : pong_all(session, false);
}
