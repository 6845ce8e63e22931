// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Messages that arrive completely or not at all. Lost ones are counted: a ping-pong continues with the next message
 * when the session's timeout has passed, and the time spent waiting is not part of the latency. RDS loses none: its
 * answers are awaited like those of a stream.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "qperf/sockets/socket.h"
#include "stats/clock.h"
#include "util/deadline.h"
#include "util/log.h"
#include "util/wait.h"

#define INLINE static inline __attribute__((always_inline))

#define QUIET_MS   100	/* after the sender has reported how many it sent; then the missing ones are lost */
#define LATE_CALLS 4096 /* between two checks of the control connection */

/* --- arrivals: the first datagram, which identifies the sender; coalesced ones; those after the loop --- */

/* The first datagram determines the sender. False: it is from another host. */
static bool arrival_meet(struct qperf_session *session, const struct sockaddr_storage *from, socklen_t size)
{
	struct link *link = session->own;

	if (!control_is_of_peer(session->control, from))
		return false;
	link->connected = !connect(link->fd, (const struct sockaddr *)from, size);
	return true;
}

/* Bytes of a segment, from the control message; without one, all of the data is a single datagram. */
static uint64_t arrival_segment_size(struct msghdr *message, uint64_t received)
{
	for (struct cmsghdr *cmsg = CMSG_FIRSTHDR(message); cmsg; cmsg = CMSG_NXTHDR(message, cmsg)) {
		int size;

		if (cmsg->cmsg_level != IPPROTO_UDP || cmsg->cmsg_type != UDP_GRO)
			continue;
		memcpy(&size, CMSG_DATA(cmsg), sizeof(size));
		return (uint64_t)size;
	}
	return received;
}

int64_t arrival_take(struct qperf_session *session, int flags)
{
	static char data[65536]; /* the kernel does not coalesce more */
	const struct link *link = session->own;
	char control[CMSG_SPACE(sizeof(int))];
	struct sockaddr_storage from;
	struct iovec piece = {data, sizeof(data)};
	struct msghdr message = {
		.msg_name = link->connected ? NULL : &from,
		.msg_namelen = link->connected ? 0 : sizeof(from),
		.msg_iov = &piece,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	const ssize_t n = recvmsg(link->fd, &message, flags);

	if (n >= 0 && !link->connected && !arrival_meet(session, &from, message.msg_namelen)) {
		errno = EAGAIN;
		return -1;
	}
	if (n > 0 && link->access)
		access_data(data, (size_t)n);
	if (n <= 0)
		return n;
	return arrival_segment_size(&message, (uint64_t)n) == link->size ? n / (ssize_t)link->size : 0;
}

/* Receives what is there. With a number of messages none is late, and the last one ends the measured time. */
static void arrival_take_late(struct qperf_session *session)
{
	const struct link *link = session->own;
	struct account *account = &session->account;
	const bool by_number = session->side.number[PARAM_NO_MSGS] != 0 && !session->over;

	for (unsigned i = 0; i < LATE_CALLS; i++) {
		const int64_t msgs = arrival_take(session, MSG_DONTWAIT);

		if (msgs < 0)
			return;
		if (!msgs) {
			account->received.errors++;
		} else if (by_number) {
			account->received.msgs += (uint64_t)msgs;
			account->received.bytes += (uint64_t)msgs * link->size;
			session_end_at(session, clock_cycles());
		} else {
			account->late_received += (uint64_t)msgs;
		}
	}
}

static int arrival_settle(struct qperf_session *session, struct account *peer)
{
	const struct link *link = session->own;
	const struct account *account = &session->account;
	const struct deadline deadline = deadline_in_ms(session->control->channel.timeout_ms);
	struct pollfd fds[] = {{.fd = link->fd, .events = POLLIN},
			       {.fd = channel_fd(&session->control->channel), .events = POLLIN}};
	bool has_account = false;
	int ret;

	do {
		ret = has_account ? wait_fds_after_stop(fds, 1, deadline_in_ms(QUIET_MS)) : wait_fds(fds, 2, deadline);
		arrival_take_late(session);
		if (!has_account && (ret || fds[1].revents)) {
			ret = control_receive_frame(session->control, MESSAGE_RESULT, peer);
			if (ret)
				return ret;
			has_account = true;
			continue; /* an interrupted wait does not mean that nothing will arrive */
		}
		if (has_account && (ret || deadline_passed(deadline)))
			return 0; /* the others are lost */
	} while (!has_account || account->received.msgs + account->late_received < peer->sent.msgs);
	return 0;
}

void arrival_unsettled(struct qperf_session *session)
{
	if (session->control->dialect->announces_done && !session->stopped && !session->peer_gone)
		session->settle = arrival_settle;
}

/* --- errors --- */

bool datagram_error_passes(int error)
{
	return error == EAGAIN || error == EINTR || error == ENOBUFS || error == ECONNREFUSED || error == ENOMEM;
}

static int datagram_failed(const struct qperf_session *session, const char *what)
{
	const struct link *link = session->own;

	return log_fail(-EIO, "cannot %s a message of %zu bytes by %s: %s", what, link->capacity, link->protocol->name,
			strerror(errno));
}

static ssize_t receive_first(struct qperf_session *session)
{
	struct link *link = session->own;
	struct sockaddr_storage from;
	socklen_t size = sizeof(from);
	const ssize_t n = recvfrom(link->fd, link->buffer, link->capacity, 0, (struct sockaddr *)&from, &size);

	if (n >= 0 && !arrival_meet(session, &from, size)) {
		errno = EAGAIN;
		return -1;
	}
	return n;
}

INLINE ssize_t receive_one(struct qperf_session *session, struct link *link, const bool spins)
{
	if (__builtin_expect(!link->connected, 0))
		return receive_first(session);
	return recv(link->fd, link->buffer, link->capacity, spins ? MSG_DONTWAIT : 0);
}

/*
 * Sends a message. If the socket refuses it, it counts as lost; on a lossless protocol it is sent again, until the loop
 * *ends.
 */
static int send_one(struct qperf_session *session, const struct link *link, bool *ends)
{
	for (;;) {
		const ssize_t n = send(link->fd, link->buffer, link->capacity, 0);

		if (__builtin_expect(n == (ssize_t)link->capacity, 1)) {
			session->account.sent.bytes += link->capacity;
			session->account.sent.msgs++;
			return 0;
		}
		if (n >= 0 || !datagram_error_passes(errno))
			return datagram_failed(session, "send");
		session->account.sent.errors += errno != EINTR || test_loses(session->test);
		if (test_loses(session->test))
			return 0;
		*ends = qperf_session_attention && qperf_session_tick(session);
		if (*ends)
			return 0;
	}
}

/* --- one way --- */

int datagram_send(struct qperf_session *session)
{
	struct link *link = session->own;
	struct tally *sent = &session->account.sent;
	const uint64_t limit = session->side.number[PARAM_NO_MSGS];

	snprintf(session->account.how, sizeof(session->account.how), "send");
	while (!qperf_session_attention || !qperf_session_tick(session)) {
		const ssize_t n = send(link->fd, link->buffer, link->capacity, 0);

		if (__builtin_expect(n == (ssize_t)link->capacity, 1)) {
			sent->bytes += link->capacity;
			if (++sent->msgs == limit)
				break;
		} else if (n >= 0 || !datagram_error_passes(errno)) {
			return datagram_failed(session, "send");
		} else if (errno == EINTR) {
			qperf_session_attention = 1;
		} else {
			sent->errors++;
		}
	}
	return 0;
}

/*
 * answers: returns each message. stamps: with a number of messages the measured time ends with the last one. All but
 * session are compile-time constants where nothing is answered.
 */
INLINE int datagram_receive_all(struct qperf_session *session, const bool answers, const bool spins, const bool stamps)
{
	struct link *link = session->own;
	struct tally *received = &session->account.received;
	const uint64_t limit = session->side.number[PARAM_NO_MSGS];
	bool ends = false;

	for (;;) {
		const ssize_t n = receive_one(session, link, spins);

		if (__builtin_expect(n == (ssize_t)link->capacity, 1)) {
			received->bytes += link->capacity;
			received->msgs++;
			if (!answers && link->access)
				access_data(link->buffer, link->capacity);
			if (answers && send_one(session, link, &ends))
				return -EIO;
			if (ends)
				return 0;
			if (stamps)
				session->finish_cycles = clock_cycles();
			if (received->msgs == limit)
				return 0;
		} else if (n >= 0) {
			received->errors++; /* wrong length: not from this test */
		} else if (!datagram_error_passes(errno)) {
			return datagram_failed(session, "receive");
		} else if (errno == EINTR) {
			qperf_session_attention = 1;
		}
		if (__builtin_expect(qperf_session_attention, 0) && qperf_session_tick(session)) {
			if (!answers)
				arrival_unsettled(session);
			return 0;
		}
	}
}

int datagram_receive(struct qperf_session *session)
{
	const struct link *link = session->own;
	const bool stamps = session->side.number[PARAM_NO_MSGS] != 0;

	snprintf(session->account.how, sizeof(session->account.how), "recv");
	if (link->spins)
		return stamps ? datagram_receive_all(session, false, true, true)
			      : datagram_receive_all(session, false, true, false);
	return stamps ? datagram_receive_all(session, false, false, true)
		      : datagram_receive_all(session, false, false, false);
}

/* --- ping-pong --- */

/* A number in the first bytes of a message, which our responder returns unchanged. */
static void put_number(const struct link *link, uint64_t number)
{
	memcpy(link->buffer, &number, link->capacity < sizeof(number) ? link->capacity : sizeof(number));
}

INLINE bool has_number(const struct link *link, uint64_t number)
{
	return memcmp(link->buffer, &number, link->capacity < sizeof(number) ? link->capacity : sizeof(number)) == 0;
}

/* Late answers to lost messages must not be taken for the next one's. */
static void drain(const struct link *link)
{
	while (recv(link->fd, link->buffer, link->capacity, MSG_DONTWAIT) > 0)
		;
}

/* Waits for the answer to the message with this number. 1: it arrived; 0: it did not, or the loop *ends; or -EIO. */
INLINE int datagram_await_answer(struct qperf_session *session, struct link *link, uint64_t number, uint64_t sent_at,
				 uint64_t timeout, const bool spins, const bool numbered, bool *ends)
{
	for (;;) {
		const ssize_t n = receive_one(session, link, spins);

		if (__builtin_expect(n == (ssize_t)link->capacity, 1)) {
			if (!numbered || has_number(link, number))
				return 1;
			continue; /* a late or a duplicate answer */
		}
		if (n >= 0)
			session->account.received.errors++;
		else if (!datagram_error_passes(errno))
			return datagram_failed(session, "receive");
		if (!qperf_session_attention && (n >= 0 || errno != EINTR))
			continue;
		*ends = qperf_session_tick(session);
		if (*ends || clock_cycles() >= sent_at + timeout)
			return 0;
	}
}

INLINE int datagram_ask(struct qperf_session *session, const bool spins)
{
	struct link *link = session->own;
	struct account *account = &session->account;
	const uint64_t limit = session->side.number[PARAM_NO_MSGS];
	const bool loses = test_loses(session->test);
	const uint64_t timeout = loses ? clock_ns_to_cycles((double)session->answer_timeout_ns) : UINT64_MAX / 2;
	const bool numbered = session->control->dialect->repeats_numbers;
	uint64_t before = clock_cycles(), lost_cycles = 0, now;
	struct round_trip last = {before, before};
	bool ends = false;

	for (uint64_t number = 0; !ends && (!qperf_session_attention || !qperf_session_tick(session)); number++) {
		int ret;

		put_number(link, number);
		ret = send_one(session, link, &ends);
		round_trip_record(session, &last);
		if (!ret && !ends)
			ret = datagram_await_answer(session, link, number, before, timeout, spins, numbered, &ends);
		if (ret < 0)
			return ret;
		now = clock_cycles();
		/* If this side did not run for a while, an answer may have waited for it: that is late, too. */
		if (ret && now < before + timeout) {
			account->received.bytes += link->capacity;
			account->received.msgs++;
			last = (struct round_trip){before, now};
		} else if (!ends) {
			account->lost++;
			lost_cycles += now - before;
			account->lost_s = clock_cycles_to_seconds((double)lost_cycles);
			drain(link);
		}
		if (!ret && ends && loses) /* the open exchange is not part of the latency */
			session->finish_cycles = before;
		else if (!ret && ends)
			session_count_open(session, before);
		before = now;
		if (__builtin_expect(limit && account->sent.msgs == limit, 0))
			break;
	}
	round_trip_record(session, &last);
	return 0;
}

int datagram_ping(struct qperf_session *session)
{
	const struct link *link = session->own;
	const bool stamps = session->side.number[PARAM_NO_MSGS] != 0;

	snprintf(session->account.how, sizeof(session->account.how), "send, recv");
	if (session->sends)
		return link->spins ? datagram_ask(session, true) : datagram_ask(session, false);
	return link->spins ? datagram_receive_all(session, true, true, stamps)
			   : datagram_receive_all(session, true, false, stamps);
}
