// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Buffered connections. See conn.h. */
#include "net/conn.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/log.h"
#include "util/stop.h"
#include "util/wait.h"

int conn_open(struct conn *conn)
{
	conn->in = malloc(CONN_ROOM);
	conn->out = malloc(CONN_POST);
	if (!conn->in || !conn->out) {
		conn_close(conn);
		return -ENOMEM;
	}
	conn->in_size = CONN_ROOM;
	conn->out_size = CONN_POST;
	return 0;
}

void conn_close(struct conn *conn)
{
	if (conn->carrier)
		conn->carrier->close(conn);
	free(conn->in);
	free(conn->out);
	*conn = (struct conn){.fd = -1};
}

int conn_release(struct conn *conn)
{
	const int fd = conn->fd;

	free(conn->in);
	free(conn->out);
	*conn = (struct conn){.fd = -1};
	return fd;
}

int conn_over(const struct conn *conn, struct deadline deadline)
{
	if (stop_requested() && !conn->ignores_stop)
		return -EINTR;
	return deadline_passed(deadline) ? -ETIMEDOUT : 0;
}

/* The number of bytes that a carrier reports, of most bytes. */
static ssize_t conn_moved(ssize_t moved, size_t most)
{
	return moved > 0 && (size_t)moved > most ? -EPROTO : moved;
}

/* --- sending --- */

static ssize_t conn_send_now(struct conn *conn, const void *bytes, size_t length)
{
	return conn_moved(conn->carrier->send_now(conn, bytes, length), length);
}

bool conn_has_output(const struct conn *conn)
{
	return conn->out_start < conn->out_used;
}

int conn_flush(struct conn *conn)
{
	if (conn->out_broken)
		return -ECONNRESET;
	while (conn_has_output(conn)) {
		const ssize_t sent = conn_send_now(conn, conn->out + conn->out_start, conn->out_used - conn->out_start);

		if (sent <= 0)
			return (int)sent;
		conn->out_start += (size_t)sent;
	}
	conn->out_start = conn->out_used = 0;
	return 0;
}

/* Moves what waits to the front of out[]. */
static void compact_out(struct conn *conn)
{
	if (!conn->out_start)
		return;
	conn->out_used -= conn->out_start;
	memmove(conn->out, conn->out + conn->out_start, conn->out_used);
	conn->out_start = 0;
}

int conn_reserve(struct conn *conn, size_t length, uint8_t **bytes)
{
	uint8_t *grown;
	size_t size;

	if (length > CONN_MOST_OUT - (conn->out_used - conn->out_start))
		return -ENOBUFS;
	if (length > conn->out_size - conn->out_used)
		compact_out(conn);
	if (length > conn->out_size - conn->out_used) {
		size = conn->out_used + length;
		size += size / 2;
		grown = realloc(conn->out, size);
		if (!grown)
			return -ENOMEM;
		conn->out = grown;
		conn->out_size = size;
	}
	*bytes = conn->out + conn->out_used;
	conn->out_used += length;
	return 0;
}

int conn_drain(struct conn *conn, size_t length, struct deadline deadline)
{
	int rc = conn_flush(conn);

	while (!rc && conn_has_output(conn)) {
		rc = conn_wait(conn, POLLOUT, deadline);
		/* A peer that always accepts a little makes no single wait long. */
		if (!rc)
			rc = conn_over(conn, deadline);
		if (!rc)
			rc = conn_flush(conn);
	}
	if (!rc)
		return 0;
	if (conn->out_used - conn->out_start >= length)
		conn->out_used -= length;
	else
		conn->out_broken = true;
	return rc;
}

int conn_send(struct conn *conn, const void *bytes, size_t length, struct deadline deadline)
{
	uint8_t *room;
	int rc = conn_reserve(conn, length, &room);

	if (rc)
		return rc;
	memcpy(room, bytes, length);
	return conn_drain(conn, length, deadline);
}

int conn_post(struct conn *conn, const void *bytes, size_t length, bool droppable)
{
	ssize_t sent = 0;
	int rc = conn_flush(conn);

	if (rc)
		return rc;
	if (conn_has_output(conn) && droppable)
		return 0;
	if (!conn_has_output(conn)) {
		sent = conn_send_now(conn, bytes, length);
		if (sent < 0)
			return (int)sent;
	}
	length -= (size_t)sent;
	compact_out(conn);
	if (length > CONN_POST - (conn->out_used < CONN_POST ? conn->out_used : CONN_POST))
		return -EAGAIN;
	memcpy(conn->out + conn->out_used, (const uint8_t *)bytes + sent, length);
	conn->out_used += length;
	return 0;
}

void conn_post_last(struct conn *conn, const void *bytes, size_t length)
{
	if (!conn_flush(conn) && !conn_has_output(conn))
		(void)conn->carrier->send_now(conn, bytes, length);
	conn->out_broken = true;
}

void conn_finish(struct conn *conn)
{
	(void)conn_flush(conn);
	conn->out_broken = true;
	if (conn->carrier->finish)
		conn->carrier->finish(conn);
}

/* --- receiving --- */

/* For want bytes in total, at least CONN_ROOM. */
static int conn_make_room(struct conn *conn, size_t want)
{
	uint8_t *grown;

	if (want <= conn->in_size)
		return 0;
	grown = realloc(conn->in, want);
	if (!grown)
		return -ENOMEM;
	conn->in = grown;
	conn->in_size = want;
	return 0;
}

/* Moves what is pending to the front of in[], if there is not enough room after it. */
static void compact_in(struct conn *conn, size_t most)
{
	if (!conn->in_start || conn->in_size - conn->in_start >= most)
		return;
	conn->in_used -= conn->in_start;
	memmove(conn->in, conn->in + conn->in_start, conn->in_used);
	conn->in_start = 0;
}

/* Up to most bytes in total, for which there is room. Number of bytes, or an error. */
static ssize_t conn_receive_bytes(struct conn *conn, size_t most)
{
	ssize_t received;

	if (conn_pending(conn) >= most)
		return 0;
	compact_in(conn, most);
	most -= conn_pending(conn);
	received = conn_moved(conn->carrier->receive_now(conn, conn->in + conn->in_used, most), most);
	if (received > 0)
		conn->in_used += (size_t)received;
	return received;
}

int conn_fill_now(struct conn *conn, size_t want)
{
	ssize_t received;
	int rc = conn_make_room(conn, want);

	if (rc)
		return rc;
	/* If this fails, the receive reports why, and the peer's last message is not lost. */
	if (conn_has_output(conn))
		(void)conn_flush(conn);
	received = conn_receive_bytes(conn, want > CONN_ROOM || conn->is_exact ? want : CONN_ROOM);
	return received < 0 ? (int)received : 0;
}

bool conn_is_full(const struct conn *conn)
{
	return conn_pending(conn) >= CONN_ROOM;
}

/* One receive for most bytes in total; the buffer stays small as long as little has arrived. */
static ssize_t receive_some(struct conn *conn, size_t most)
{
	size_t want = 2 * conn_pending(conn);
	int rc;

	want = want < CONN_ROOM ? CONN_ROOM : want;
	want = want < most ? want : most;
	rc = conn_make_room(conn, want);
	return rc ? rc : conn_receive_bytes(conn, want);
}

int conn_fill_some(struct conn *conn, size_t most)
{
	const ssize_t received = receive_some(conn, most);

	return received < 0 ? (int)received : 0;
}

int conn_fill_all(struct conn *conn, size_t most)
{
	while (conn_pending(conn) < most) {
		const ssize_t received = receive_some(conn, most);

		if (received <= 0)
			return (int)received;
	}
	return 0;
}

int conn_fill(struct conn *conn, size_t want, struct deadline deadline)
{
	const size_t before = conn_pending(conn);
	int rc;

	for (;;) {
		rc = conn_fill_now(conn, want);
		if (rc || conn_pending(conn) > before)
			return rc;
		rc = conn_wait(conn, conn_has_output(conn) ? POLLIN | POLLOUT : POLLIN, deadline);
		if (rc)
			return rc;
	}
}

void conn_consume(struct conn *conn, size_t length)
{
	conn->in_start += length;
	if (conn->in_start == conn->in_used)
		conn->in_start = conn->in_used = 0;
}

/* --- waiting --- */

int conn_wait(struct conn *conn, short events, struct deadline deadline)
{
	const struct carrier *carrier = conn->carrier;

	for (;;) {
		struct pollfd fds[CARRIER_FDS];
		int rc = carrier->poll_fds(conn, events, fds);

		if (rc <= 0)
			return rc;
		rc = conn->ignores_stop ? wait_fds_after_stop(fds, (unsigned)rc, deadline)
					: wait_fds(fds, (unsigned)rc, deadline);
		if (rc || !carrier->wake)
			return rc;
		carrier->wake(conn, fds);
		if (deadline_passed(deadline))
			return -ETIMEDOUT;
	}
}

void conn_addresses(const struct conn *conn, struct addresses *addresses)
{
	*addresses = (struct addresses){0};
	if (conn->carrier)
		conn->carrier->addresses(conn, addresses);
}

int conn_error(const struct conn *conn, int error, const char *format, ...)
{
	char text[LOG_TEXT_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return log_fail(error, "the %s (%s) %s", conn->role, conn->peer, text);
}

int conn_report(const struct conn *conn, int error, const char *noun, int64_t timeout_ms)
{
	switch (error) {
	case -EINTR:
		return error;
	case -ENOMEM:
		return log_fail(error, "out of memory for the %s of the %s (%s)", noun, conn->role, conn->peer);
	case -ETIMEDOUT:
		return conn_error(conn, error, "was silent for %g s while this side waited for its %s",
				  (double)timeout_ms / 1e3, noun);
	case -ECONNRESET:
		return conn_error(conn, error,
				  "closed the connection while this side waited for its %s and gave no reason: it may "
				  "have been killed or have crashed; see its own output",
				  noun);
	default:
		return log_fail(-ECONNRESET,
				"the connection to the %s (%s) broke while this side waited for its %s: %s", conn->role,
				conn->peer, noun, strerror(-error));
	}
}
