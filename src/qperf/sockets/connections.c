// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Connect, request, response, close: a connection for each message, as many services have it. The server closes first,
 * so that it has the connections in TIME_WAIT, and the client does not run out of ports.
 */
#define _GNU_SOURCE 1 /* accept4 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/address.h"
#include "qperf/sockets/socket.h"
#include "stats/clock.h"
#include "util/log.h"

static int fault(const char *what)
{
	const int err = errno;

	return log_fail(-err, "%s: %s", what, strerror(err));
}

/*
 * All of a request, or of a response; receive: none, and the end of the stream is 0 bytes. Returns how many bytes were
 * transferred, which is less than all if the peer has closed or the loop is over; or -errno, reported.
 */
static int64_t transfer(struct qperf_session *session, int fd, uint64_t size, bool receive)
{
	const struct link *link = session->own;
	uint64_t done = 0;

	while (done < size) {
		const size_t length = size - done < link->capacity ? (size_t)(size - done) : link->capacity;
		const ssize_t n = receive ? recv(fd, link->buffer, length, 0) : send(fd, link->buffer, length, 0);

		if (n > 0) {
			done += (uint64_t)n;
			session->pieces++;
		} else if (n == 0 || errno == ECONNRESET || errno == EPIPE) {
			break;
		} else if (errno != EINTR) {
			return fault("a connection of the test failed");
		}
		if (qperf_session_attention && qperf_session_tick(session))
			break;
	}
	return (int64_t)done;
}

/* A signal interrupts the call, but not the handshake. 0; 1: the loop is over; or -errno, reported. */
static int connect_one(struct qperf_session *session, int fd, const struct sockaddr *peer)
{
	struct pollfd writable = {.fd = fd, .events = POLLOUT};
	socklen_t size = sizeof(errno);
	int err;

	if (!connect(fd, peer, address_length(peer)))
		return 0;
	if (errno != EINTR)
		return fault("cannot connect for a request");
	do {
		if (qperf_session_tick(session))
			return 1;
	} while (poll(&writable, 1, -1 /* until a signal */) < 0 && errno == EINTR);
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &size))
		err = errno;
	errno = err;
	return err ? fault("cannot connect for a request") : 0;
}

/* 0; 1: the loop is over; or -errno, reported. */
static int request(struct qperf_session *session, const struct sockaddr *peer)
{
	const struct link *link = session->own;
	int64_t moved = 0, more = 0;
	int fd = -1, ret = socket_make(session, &fd);

	if (!ret)
		ret = connect_one(session, fd, peer);
	if (!ret)
		moved = transfer(session, fd, link->size, false);
	if (!ret && moved == (int64_t)link->size)
		moved = transfer(session, fd, link->size, true);
	/* Nothing more is the end of the stream. */
	if (!ret && moved == (int64_t)link->size)
		more = transfer(session, fd, 1, true);
	if (fd >= 0)
		close(fd);
	if (ret || moved < 0 || more < 0)
		return ret ? ret : (int)(moved < 0 ? moved : more);
	if (more)
		return log_fail(-EPROTO, "the server has sent more than was asked for");
	if (session->over || session->stopped)
		return 1;
	session->peer_done |= moved < (int64_t)link->size;
	return moved < (int64_t)link->size;
}

static int ask(struct qperf_session *session)
{
	const struct link *link = session->own;
	const struct sockaddr_storage peer = link->peer;
	const uint64_t limit = session->side.number[PARAM_NO_MSGS];
	struct tally *received = &session->account.received;
	struct round_trip last = {session->begin_cycles, session->begin_cycles};
	int ret = 0;

	snprintf(session->account.how, sizeof(session->account.how), "connect, send, recv, close");
	while (!ret && (!limit || received->msgs < limit) &&
	       (!qperf_session_attention || !qperf_session_tick(session))) {
		ret = request(session, (const struct sockaddr *)&peer);
		if (ret)
			break;
		last.end_cycles = clock_cycles();
		received->msgs++;
		received->bytes += link->size;
		round_trip_record(session, &last);
	}
	if (ret > 0)
		session_count_open(session, last.begin_cycles);
	return ret < 0 ? ret : 0;
}

/* The next connection of the peer's host; others are closed. -ECANCELED: the loop is over; or -errno, reported. */
static int accept_one(struct qperf_session *session)
{
	const struct link *link = session->own;

	for (;;) {
		struct sockaddr_storage from;
		socklen_t size = sizeof(from);
		const int fd = accept4(link->listener, (struct sockaddr *)&from, &size, SOCK_CLOEXEC);

		if (fd >= 0 && control_is_of_peer(session->control, &from))
			return fd;
		if (fd >= 0)
			close(fd);
		else if (errno != EINTR && errno != ECONNABORTED)
			return fault("cannot accept a connection of the test");
		if (qperf_session_tick(session))
			return -ECANCELED;
	}
}

static int answer(struct qperf_session *session)
{
	const struct link *link = session->own;
	const uint64_t limit = session->side.number[PARAM_NO_MSGS];
	struct tally *sent = &session->account.sent;
	int64_t moved = 0;

	snprintf(session->account.how, sizeof(session->account.how), "accept, recv, send, close");
	while ((!limit || sent->msgs < limit) && (!qperf_session_attention || !qperf_session_tick(session))) {
		const int fd = accept_one(session);

		if (fd < 0)
			return fd == -ECANCELED ? 0 : fd;
		moved = transfer(session, fd, link->size, true);
		if (moved == (int64_t)link->size)
			moved = transfer(session, fd, link->size, false);
		close(fd);
		if (moved < 0)
			return (int)moved;
		/* A client whose time is over may have closed. */
		sent->msgs += moved == (int64_t)link->size;
		sent->bytes += moved == (int64_t)link->size ? link->size : 0;
	}
	return 0;
}

static const char *check(const struct test_row *test, const struct qperf_side *side)
{
	return side->number[PARAM_FLIP] ? "a server that asks (-f)" : modes_check(test, side);
}

static int run(struct qperf_session *session)
{
	return session->client ? ask(session) : answer(session);
}

const struct test_ops connections_ops = {check, socket_link_open, run, socket_link_close};
