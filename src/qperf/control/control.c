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

const char *control_address_text(const struct sockaddr_storage *address, char text[ADDRESS_TEXT_SIZE])
{
	struct sockaddr_storage plain = *address;

	address_unmap(&plain);
	address_set_port((struct sockaddr *)&plain, 0);
	return address_text((struct sockaddr *)&plain, text);
}

bool control_is_of_peer(const struct control *control, const struct sockaddr_storage *address)
{
	char theirs[ADDRESS_TEXT_SIZE];

	return strcmp(control_address_text(address, theirs), control->peer_text) == 0;
}

/* On a server, messages are prefixed with the client's address. */
static const char *peer_name(const struct control *control)
{
	return control->client ? "the server: " : "";
}

int control_open(struct control *control, struct conn *conn, bool client, uint64_t timeout_ns)
{
	struct addresses addresses;

	*control = (struct control){.conn = *conn, .client = client, .timeout_ns = timeout_ns};
	*conn = (struct conn){.fd = -1};
	conn_addresses(&control->conn, &addresses);
	if (addresses.local.ss_family == AF_UNSPEC || addresses.peer.ss_family == AF_UNSPEC)
		return log_fail(-ECONNRESET, "the connection was lost: %s", strerror(errno));
	control->local = addresses.local;
	control->peer = addresses.peer;
	control_address_text(&control->peer, control->peer_text);
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
	return deadline_in_ms((int64_t)((control->timeout_ns + NS_PER_MS - 1) / NS_PER_MS));
}

static int lost(struct control *control, int err, const char *noun)
{
	control->peer_silent |= err == -ETIMEDOUT;
	if (err == -ETIMEDOUT && control->client)
		log_error("failed to receive the %s: timed out; the server is busy or gone (--timeout)", noun);
	else if (err == -ETIMEDOUT)
		log_error("the %s did not arrive in time (--timeout)", noun);
	else if (err == -ECONNRESET && control->client && !control->answered)
		log_error("the server (%s) closed the connection without an answer: is it qperf that listens there "
			  "(--listen_port), and may this host come in (its --allow)?",
			  control->peer_text);
	else if (err != -EINTR)
		log_error("%sthe %s: %s", peer_name(control), noun,
			  err == -ECONNRESET ? "the connection was closed" : strerror(-err));
	return err;
}

/* --- errors of the peer --- */

static int report_error(struct control *control, const char *text)
{
	control->peer_failed = true;
	return log_fail(-EREMOTEIO, "%s: %s", control->client ? "server" : "client",
			text[0] ? text : "failed without giving a reason");
}

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
	return report_error(control, text);
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
		int ret = conn_wait(conn, POLLIN | (control->native ? 0 : POLLPRI), deadline);

		if (!ret && !control->native)
			ret = receive_urgent(control, deadline);
		if (!ret)
			ret = conn_fill_some(conn, length);
		if (ret)
			return ret == -EREMOTEIO ? ret : lost(control, ret, noun);
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

static int invalid(const struct control *control, const char *noun, const char *fault)
{
	return log_fail(-EPROTO, "%sinvalid %s: %s", peer_name(control), noun, fault);
}

int control_send_frame(struct control *control, enum frame_type type, const void *from)
{
	uint8_t bytes[FRAME_MAX_SIZE];
	const size_t size = control->native ? message_encode(&qperf_messages, type, from, bytes, sizeof(bytes))
					    : codec_encode(&qperf_classic[type].codec, from ? from : "", bytes);

	return control_send(control, bytes, size, message_noun(&qperf_messages, type));
}

static int receive_classic(struct control *control, const struct message_row *row, void *into)
{
	struct codec_reader reader = {.left = row->limit};
	int ret = await_bytes(control, row->limit, row->noun, control_deadline(control));

	if (ret)
		return ret;
	reader.bytes = conn_data(&control->conn);
	if (codec_decode(&row->codec, &reader, into))
		ret = invalid(control, row->noun, reader.fault);
	conn_consume(&control->conn, row->limit);
	return ret;
}

/* Judges the first frame, which is complete. */
static int read_frame(struct control *control, const struct message_header *header, enum frame_type type, void *into)
{
	const char *noun = message_noun(&qperf_messages, header->type), *fault;
	char text[MESSAGE_REASON_SIZE];

	if (message_decode(&qperf_messages, header, message_payload(&control->conn),
			   header->type == FRAME_ERROR ? text
			   : header->type == type      ? into
						       : NULL,
			   &fault))
		return invalid(control, noun, fault);
	if (header->type == FRAME_ERROR)
		return report_error(control, text);
	if (header->type == type)
		return 0;
	return log_fail(-EPROTO, "%sexpected the %s, not the %s", peer_name(control),
			message_noun(&qperf_messages, type), noun);
}

int control_receive_frame(struct control *control, enum frame_type type, void *into)
{
	const struct deadline deadline = control_deadline(control);
	const char *noun = message_noun(&qperf_messages, type), *fault;
	struct message_header header;
	char text[MESSAGE_TEXT_SIZE];
	int ret;

	if (!control->native)
		return receive_classic(control, &qperf_classic[type], into);
	for (;;) {
		ret = message_front(&control->conn, &qperf_messages, &header, &fault);
		if (ret > 0 && header.type == FRAME_ALIVE) {
			message_drop(&control->conn, &header);
			ret = conn_over(&control->conn, deadline); /* however many it sends */
			if (ret)
				return lost(control, ret, noun);
			continue;
		}
		if (ret)
			break;
		ret = await_bytes(control, MESSAGE_HEADER_SIZE + header.length, noun, deadline);
		if (ret)
			return ret;
	}
	if (ret == -EPROTONOSUPPORT)
		fault = message_versions(&qperf_messages, &header, text);
	if (ret < 0)
		return invalid(control, noun, fault);
	ret = read_frame(control, &header, type, into);
	message_drop(&control->conn, &header);
	return ret;
}

/*
 * The offset of the peer's FRAME_ERROR in what has arrived: it may follow messages that are not expected any more, such
 * as results. -1: none.
 */
static ssize_t find_failure(const struct control *control)
{
	uint8_t bytes[2 * FRAME_MAX_SIZE + MESSAGE_END_SIZE];
	struct message_header header;
	const ssize_t length =
		control->native ? recv(control->conn.fd, bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT) : -1;

	return length > 0 ? message_find_end(&qperf_messages, bytes, (size_t)length, &header) : -1;
}

bool control_failure_waits(const struct control *control)
{
	return find_failure(control) >= 0;
}

int control_receive_failure(struct control *control)
{
	const ssize_t before = find_failure(control);
	char text[MESSAGE_REASON_SIZE];

	if (before < 0)
		return 0;
	if (conn_fill_all(&control->conn, (size_t)before) || conn_pending(&control->conn) < (size_t)before)
		return 0;
	conn_consume(&control->conn, (size_t)before);
	return control_receive_frame(control, FRAME_ERROR, text);
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
	control->native = memcmp(conn_data(&control->conn), wire_hello, first) == 0;
	if (!control->native)
		return 0;
	ret = control_receive(control, bytes, HELLO_SIZE, "greeting");
	if (!ret && memcmp(bytes, wire_hello, HELLO_SIZE) != 0) {
		log_error("the server's greeting is not qperf's");
		ret = -EPROTO;
	}
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
	if (control->peer_failed || !control->conn.carrier)
		return;
	/* If this fails, the peer is gone. */
	if (control->native) {
		message_post_end(&control->conn, &qperf_messages, FRAME_ERROR, text);
	} else {
		(void)!send(control->conn.fd, "?", 1, MSG_OOB | MSG_NOSIGNAL | MSG_DONTWAIT);
		conn_post_last(&control->conn, text, strnlen(text, MESSAGE_REASON_SIZE - 1));
	}
	await_close(control);
}

/* --- is the peer alive? --- */

/* However short the timeout is, some of the peer's messages are due before. */
static struct deadline silence_limit(const struct control *control)
{
	return deadline_in_ms((int64_t)(control->timeout_ns / NS_PER_MS) + 2 * ALIVE_MS);
}

void control_watch(struct control *control)
{
	control->watches = control->native;
	control->alive = deadline_in_ms(ALIVE_MS);
	control->silence = silence_limit(control);
	control->due = (struct deadline){0};
}

bool control_is_silent(const struct control *control)
{
	return control->watches && deadline_passed(control->silence);
}

/* The peer's first message, if it is a FRAME_ALIVE, is removed. */
static bool take_alive(struct control *control, const uint8_t *bytes, ssize_t count)
{
	uint8_t dropped[MESSAGE_HEADER_SIZE];
	struct message_header header;
	const char *fault;

	if (!control->native || message_peek(&qperf_messages, bytes, (size_t)count, &header, &fault) != 1 ||
	    header.type != FRAME_ALIVE)
		return false;
	control->silence = silence_limit(control);
	return recv(control->conn.fd, dropped, sizeof(dropped), MSG_DONTWAIT) == sizeof(dropped);
}

enum control_state control_look(struct control *control)
{
	uint8_t bytes[MESSAGE_HEADER_SIZE];
	ssize_t n;

	if (control->watches)
		deadline_postpone(&control->silence, deadline_stopped_ns(&control->due, ALIVE_MS));
	/* If this fails, the peer is gone. */
	if (control->watches && deadline_passed(control->alive)) {
		(void)message_post(&control->conn, &qperf_messages, FRAME_ALIVE, NULL, true /* droppable */);
		control->alive = deadline_in_ms(ALIVE_MS);
	}
	for (unsigned i = 0; i < MOST_ALIVE; i++) {
		n = recv(control->conn.fd, bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT);
		if (n <= 0)
			return n && (errno == EAGAIN || errno == EINTR) ? CONTROL_QUIET : CONTROL_GONE;
		if (!take_alive(control, bytes, n))
			return CONTROL_SPOKE;
	}
	return CONTROL_QUIET;
}
