// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Messages that arrive whole, or not at all. One that gets lost is counted: a ping-pong goes on with the next after
 * SESSION_LOST_NS, and the time that was waited is in no latency.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "qperf/socket.h"
#include "stats/clock.h"
#include "util/log.h"

#define LAST_MS 100
#define INLINE	static inline __attribute__((always_inline))

/* Errors that say something of one datagram, or of a queue that is full, and nothing of the next one. */
static bool is_passing(int error)
{
	return error == EAGAIN || error == EINTR || error == ENOBUFS || error == ECONNREFUSED || error == ENOMEM;
}

static int failed(const struct session *session, const char *what)
{
	const struct link *link = session->own;

	log_error("cannot %s a message of %zu bytes by %s: %s", what, link->capacity, link->protocol->name,
		  strerror(errno));
	return -EIO;
}

/* The first datagram tells where the others will come from. Strangers' are thrown away. */
static ssize_t receive_first(struct session *session)
{
	struct link *link = session->own;
	struct sockaddr_storage from;
	socklen_t size = sizeof(from);
	char ours[64], theirs[64];
	const ssize_t n = recvfrom(link->fd, link->buffer, link->capacity, 0, (struct sockaddr *)&from, &size);

	if (n < 0)
		return n;
	control_address_text(&from, theirs, sizeof(theirs));
	control_address_text(&session->control->peer, ours, sizeof(ours));
	if (strcmp(ours, theirs) != 0) {
		errno = EAGAIN;
		return -1;
	}
	link->connected = !connect(link->fd, (struct sockaddr *)&from, size);
	return n;
}

INLINE ssize_t receive_one(struct session *session, struct link *link, const bool spins)
{
	if (__builtin_expect(!link->connected, 0))
		return receive_first(session);
	return recv(link->fd, link->buffer, link->capacity, spins ? MSG_DONTWAIT : 0);
}

/* --- one way --- */

int datagram_send(struct session *session)
{
	struct link *link = session->own;
	struct tally *sent = &session->account.sent;
	const uint64_t limit = session->side.number[PARAM_NO_MSGS];

	snprintf(session->account.how, sizeof(session->account.how), "send");
	while (!session_attention || !session_tick(session)) {
		const ssize_t n = send(link->fd, link->buffer, link->capacity, 0);

		if (__builtin_expect(n == (ssize_t)link->capacity, 1)) {
			sent->bytes += link->capacity;
			if (++sent->msgs == limit)
				break;
		} else if (n >= 0 || !is_passing(errno)) {
			return failed(session, "send");
		} else if (errno == EINTR) {
			session_attention = 1;
		} else {
			sent->errors++;
		}
	}
	return 0;
}

/* Behind the sender's word that it is done, which goes another way than the datagrams. */
static bool comes_more(const struct link *link)
{
	struct pollfd fds = {.fd = link->fd, .events = POLLIN};

	return poll(&fds, 1, LAST_MS) > 0;
}

/* stamps: by number there is no time that is over, but only the last message. */
INLINE int receive_all(struct session *session, const bool spins, const bool stamps)
{
	struct link *link = session->own;
	struct tally *received = &session->account.received;
	const uint64_t limit = session->side.number[PARAM_NO_MSGS];
	bool drains = false;

	for (;;) {
		const ssize_t n = receive_one(session, link, spins || drains);

		if (__builtin_expect(n == (ssize_t)link->capacity, 1)) {
			received->bytes += link->capacity;
			received->msgs++;
			if (link->access)
				link_access(link->buffer, link->capacity);
			if (stamps)
				session->finish_cycles = clock_cycles();
			if (received->msgs == limit)
				return 0;
		} else if (n >= 0) {
			received->errors++; /* another length: not of this test */
		} else if (!is_passing(errno)) {
			return failed(session, "receive");
		} else if (errno == EINTR) {
			session_attention = 1;
		} else if (drains && !comes_more(link)) {
			return 0;
		}
		if (__builtin_expect(session_attention, 0) && session_tick(session)) {
			if (session->over || session->stopped || session->peer_gone)
				return 0;
			drains = true; /* the sender is done: what has arrived is all */
		}
	}
}

int datagram_receive(struct session *session)
{
	const struct link *link = session->own;
	const bool stamps = session->side.number[PARAM_NO_MSGS] != 0;

	snprintf(session->account.how, sizeof(session->account.how), "recv");
	if (link->spins)
		return stamps ? receive_all(session, true, true) : receive_all(session, true, false);
	return stamps ? receive_all(session, false, true) : receive_all(session, false, false);
}

/* --- ping-pong --- */

/* A number in the first bytes of a message, which our responder sends back as it came. */
static void put_number(const struct link *link, uint64_t number)
{
	memcpy(link->buffer, &number, link->capacity < sizeof(number) ? link->capacity : sizeof(number));
}

INLINE bool has_number(const struct link *link, uint64_t number)
{
	return memcmp(link->buffer, &number, link->capacity < sizeof(number) ? link->capacity : sizeof(number)) == 0;
}

/* What is still on its way of the lost ones must not answer the next. */
static void drain(const struct link *link)
{
	while (recv(link->fd, link->buffer, link->capacity, MSG_DONTWAIT) > 0)
		;
}

static int send_one(struct session *session, const struct link *link)
{
	const ssize_t n = send(link->fd, link->buffer, link->capacity, 0);

	if (__builtin_expect(n == (ssize_t)link->capacity, 1)) {
		session->account.sent.bytes += link->capacity;
		session->account.sent.msgs++;
		return 0;
	}
	if (n < 0 && is_passing(errno)) {
		session->account.sent.errors++; /* as if it were lost */
		return 0;
	}
	return failed(session, "send");
}

/* The answer to the message of this number. 1: it came; 0: it did not; -EIO; the loop ends with *ends. */
INLINE int await_answer(struct session *session, struct link *link, uint64_t number, uint64_t sent_at,
			uint64_t patience, const bool spins, const bool numbered, bool *ends)
{
	for (;;) {
		const ssize_t n = receive_one(session, link, spins);

		if (__builtin_expect(n == (ssize_t)link->capacity, 1)) {
			if (!numbered || has_number(link, number))
				return 1;
			continue; /* too late, or twice */
		}
		if (n >= 0)
			session->account.received.errors++;
		else if (!is_passing(errno))
			return failed(session, "receive");
		if (!session_attention && (n >= 0 || errno != EINTR))
			continue;
		*ends = session_tick(session);
		if (*ends || clock_cycles() - sent_at >= patience)
			return 0;
	}
}

INLINE int ask(struct session *session, const bool spins)
{
	struct link *link = session->own;
	struct account *account = &session->account;
	const uint64_t limit = session->side.number[PARAM_NO_MSGS];
	const uint64_t patience = clock_ns_to_cycles(SESSION_LOST_NS);
	const bool numbered = session->control->native;
	uint64_t before = clock_cycles(), lost_cycles = 0, now;
	bool ends = false;

	for (uint64_t number = 0; !ends && (!session_attention || !session_tick(session)); number++) {
		int ret;

		put_number(link, number);
		ret = send_one(session, link);
		if (!ret)
			ret = await_answer(session, link, number, before, patience, spins, numbered, &ends);
		if (ret < 0)
			return ret;
		now = clock_cycles();
		if (ret) {
			account->received.bytes += link->capacity;
			account->received.msgs++;
			if (session->samples)
				latency_record(session->samples, now - before);
		} else if (!ends) {
			account->lost++;
			lost_cycles += now - before;
			drain(link);
		}
		before = now;
		if (__builtin_expect(account->sent.msgs == limit, 0))
			break;
	}
	account->lost_s = clock_cycles_to_seconds((double)lost_cycles);
	return 0;
}

INLINE int answer(struct session *session, const bool spins)
{
	struct link *link = session->own;
	struct tally *received = &session->account.received;
	const uint64_t limit = session->side.number[PARAM_NO_MSGS];

	for (;;) {
		const ssize_t n = receive_one(session, link, spins);

		if (__builtin_expect(n == (ssize_t)link->capacity, 1)) {
			received->bytes += link->capacity;
			received->msgs++;
			if (send_one(session, link))
				return -EIO;
			if (limit)
				session->finish_cycles = clock_cycles();
			if (received->msgs == limit)
				return 0;
		} else if (n >= 0) {
			received->errors++;
		} else if (!is_passing(errno)) {
			return failed(session, "receive");
		} else if (errno == EINTR) {
			session_attention = 1;
		}
		if (__builtin_expect(session_attention, 0) && session_tick(session))
			return 0;
	}
}

int datagram_ping(struct session *session)
{
	const struct link *link = session->own;

	snprintf(session->account.how, sizeof(session->account.how), "send, recv");
	if (session->sends)
		return link->spins ? ask(session, true) : ask(session, false);
	return link->spins ? answer(session, true) : answer(session, false);
}
