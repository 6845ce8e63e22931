// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Messages on the control connection. See control.h. */
#include "qperf/control/control.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "qperf/options/options.h"
#include "util/log.h"

#define ERROR_WAIT_MS 3000 /* for the peer to read the error, as in 0.4.11 */
#define NS_PER_MS     1000000
#define ALIVE_MS      1000
#define MOST_ALIVE    64 /* at a time */

bool control_is_of_peer(const struct control *control, const struct sockaddr_storage *address)
{
	char theirs[ADDRESS_TEXT_SIZE];

	return strcmp(address_host_text(address, theirs), control->peer_text) == 0;
}

int control_open(struct control *control, struct conn *conn, bool client, uint64_t timeout_ns)
{
	struct addresses addresses;

	*control = (struct control){.channel = {.conn = *conn,
						.protocol = &qperf_messages,
						.timeout_ms = (int64_t)((timeout_ns + NS_PER_MS - 1) / NS_PER_MS)},
				    .client = client,
				    .dialect = &control_classic};
	control->conn.is_exact = true;
	*conn = (struct conn){.fd = -1};
	conn_addresses(&control->conn, &addresses);
	if (addresses.local.ss_family == AF_UNSPEC || addresses.peer.ss_family == AF_UNSPEC)
		return log_fail(-ECONNRESET, "the connection was lost: %s", strerror(errno));
	control->local = addresses.local;
	control->peer = addresses.peer;
	address_host_text(&control->peer, control->peer_text);
	return 0;
}

void control_close(struct control *control)
{
	/*
	 * Closed immediately: a qperf 0.4.11 that is still sending must see that, and everything that matters was
	 * waited for.
	 */
	if (control->conn.carrier)
		close(conn_release(&control->conn));
}

static struct deadline control_deadline(const struct control *control)
{
	return channel_limit(&control->channel, control->channel.timeout_ms);
}

static int lost(struct control *control, int error, const char *noun)
{
	control->peer_silent |= error == -ETIMEDOUT;
	if (error == -ETIMEDOUT && control->client && !control->answered)
		return conn_error(&control->conn, error, "did not answer within %g s: it is busy or gone (--timeout)",
				  (double)control->channel.timeout_ms / 1e3);
	if (error == -ECONNRESET && control->client && !control->answered)
		return conn_error(&control->conn, error,
				  "closed the connection without an answer: is it qperf that listens there "
				  "(--listen_port), and may this host come in (its --allow)?");
	return channel_report(&control->channel, error, noun);
}

/* --- errors of the peer --- */

/* Reads the text up to the end of the stream. */
static int receive_error(struct control *control, struct deadline deadline)
{
	struct conn *conn = &control->conn;
	char text[MESSAGE_REASON_SIZE];
	int ret = 0;

	while (!ret && conn_pending(conn) < sizeof(text)) {
		ret = conn_wait(conn, POLLIN, deadline);
		if (!ret)
			ret = conn_fill_some(conn, sizeof(text));
	}
	wire_read_text(conn_data(conn), conn_pending(conn), text, sizeof(text));
	control->channel.is_over = true;
	return conn_error(conn, -ECANCELED, "ended the test: %s", text[0] ? text : CHANNEL_NO_REASON);
}

/* 0.4.11 reports a failure with an urgent '?', and the text after the mark. 0: it has not. */
static int receive_urgent(struct control *control, struct deadline deadline)
{
	struct conn *conn = &control->conn;
	char mark;

	if (recv(conn->fd, &mark, 1, MSG_OOB) != 1 || mark != '?')
		return 0;
	conn_consume(conn, conn_pending(conn));
	while (sockatmark(conn->fd) == 0 && !conn_fill_some(conn, CONN_ROOM) && conn_pending(conn))
		conn_consume(conn, conn_pending(conn));
	return receive_error(control, deadline);
}

/* --- bytes --- */

int control_send(struct control *control, const void *bytes, size_t length, const char *noun)
{
	const int ret = conn_send(&control->conn, bytes, length, control_deadline(control));

	return ret ? lost(control, ret, noun) : 0;
}

/* Waits until that many bytes are pending. */
static int await_bytes(struct control *control, size_t length, const char *noun, struct deadline deadline)
{
	struct conn *conn = &control->conn;

	while (conn_pending(conn) < length) {
		int ret = conn_wait(conn, POLLIN | POLLPRI, deadline);

		if (!ret)
			ret = receive_urgent(control, deadline);
		if (!ret)
			ret = conn_fill_some(conn, length);
		if (ret)
			return control->channel.is_over ? ret : lost(control, ret, noun);
	}
	return 0;
}

int control_receive(struct control *control, void *bytes, size_t length, const char *noun)
{
	const int ret = await_bytes(control, length, noun, control_deadline(control));

	if (ret)
		return ret;
	memcpy(bytes, conn_data(&control->conn), length);
	conn_consume(&control->conn, length);
	return 0;
}

/* --- messages --- */

const struct control_dialect control_native = {"native",
					       channel_send,
					       channel_receive,
					       channel_end,
					       .negotiates = true,
					       .announces_done = true,
					       .repeats_numbers = true,
					       .has_one_address = true,
					       .exchanges_endpoints = true};

int control_send_frame(struct control *control, unsigned type, const void *from)
{
	const int ret = control->dialect->send(&control->channel, type, from);

	control->peer_silent |= ret == -ETIMEDOUT;
	return ret;
}

int control_receive_frame(struct control *control, unsigned type, void *into)
{
	const int ret = control->dialect->receive(&control->channel, type, into);

	control->peer_silent |= ret == -ETIMEDOUT;
	return ret;
}

/*
 * The offset of the peer's MESSAGE_ABORT in what has arrived: it may follow messages that are not expected any more,
 * such as results. -1: none.
 */
static ssize_t find_failure(const struct control *control)
{
	uint8_t bytes[2 * FRAME_MAX_SIZE + MESSAGE_END_SIZE];
	struct message_header header;
	const ssize_t length = recv(control->conn.fd, bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT);

	return length > 0 ? message_find_end(&qperf_messages, bytes, (size_t)length, &header) : -1;
}

bool control_failure_waits(const struct control *control)
{
	return find_failure(control) >= 0;
}

int control_receive_failure(struct control *control)
{
	if (find_failure(control) < 0)
		return 0;
	(void)conn_fill_all(&control->conn, 2 * FRAME_MAX_SIZE + MESSAGE_END_SIZE);
	return channel_take_end(&control->channel);
}

int control_greet(struct control *control, size_t num_first)
{
	const size_t first = num_first < HELLO_SIZE ? PORT_SIZE : HELLO_SIZE;
	uint8_t bytes[HELLO_SIZE];
	int ret = await_bytes(control, first, "first answer", control_deadline(control));

	if (ret)
		return ret;
	control->answered = true;
	/* An answer of qperf 0.4.11 is left for the next receive. */
	if (memcmp(conn_data(&control->conn), wire_hello, first) != 0)
		return 0;
	control->dialect = &control_native;
	ret = control_receive(control, bytes, HELLO_SIZE, "greeting");
	if (!ret && memcmp(bytes, wire_hello, HELLO_SIZE) != 0)
		ret = log_fail(-EPROTO, "the server's greeting is not qperf's");
	return ret;
}

/* --- the end --- */

/*
 * Waits until the peer has closed, so that what was sent is not discarded with the connection. Does not wait for a peer
 * that has stopped responding: the kernel goes on sending the data.
 */
static void await_close(struct control *control)
{
	const struct deadline deadline = deadline_in_ms(ERROR_WAIT_MS);
	struct conn *conn = &control->conn;

	conn_finish(conn);
	conn->ignores_stop = false;
	if (control->peer_silent)
		return;
	/* A peer that keeps sending must not prolong the wait. */
	while (!conn_over(conn, deadline) && !conn_wait(conn, POLLIN, deadline)) {
		conn_consume(conn, conn_pending(conn));
		if (conn_fill_some(conn, CONN_ROOM))
			break;
	}
}

void control_fail(struct control *control, const char *text)
{
	if (control->channel.is_over || !control->conn.carrier)
		return;
	/* If this fails, the peer is gone. */
	control->dialect->end(&control->channel, MESSAGE_ABORT, text);
	await_close(control);
}

/* --- is the peer alive? --- */

/* However short the timeout is, some of the peer's messages are due before. */
void control_watch(struct control *control, bool watches)
{
	channel_watch(&control->channel, watches && control->dialect->announces_done ? ALIVE_MS : 0,
		      control->channel.timeout_ms + 2 * ALIVE_MS);
}

/* The peer's first message, if it is a MESSAGE_ALIVE, is removed. */
static bool take_alive(struct control *control, const uint8_t *bytes, ssize_t count)
{
	uint8_t dropped[MESSAGE_HEADER_SIZE];
	struct message_header header;
	const char *fault;

	if (message_peek(&qperf_messages, bytes, (size_t)count, &header, &fault) != 1 || header.type != MESSAGE_ALIVE)
		return false;
	channel_note_alive(&control->channel);
	return recv(control->conn.fd, dropped, sizeof(dropped), MSG_DONTWAIT) == sizeof(dropped);
}

enum control_state control_look(struct control *control)
{
	uint8_t bytes[MESSAGE_HEADER_SIZE];
	ssize_t n;

	(void)channel_is_silent(&control->channel); /* sends ALIVE */
	for (unsigned i = 0; i < MOST_ALIVE; i++) {
		n = recv(control->conn.fd, bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT);
		if (n <= 0)
			return n && (errno == EAGAIN || errno == EINTR) ? CONTROL_QUIET : CONTROL_GONE;
		if (!take_alive(control, bytes, n))
			return CONTROL_SPOKE;
	}
	return CONTROL_QUIET;
}
