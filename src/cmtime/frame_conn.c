// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Frames over a byte stream. See frame_conn.h. */
#include "cmtime/frame_conn.h"

#include <errno.h>
#include <string.h>

int frame_send(struct conn *conn, const struct frame *frame)
{
	const size_t size = frame_encode(frame, NULL, 0);
	uint8_t *bytes;
	int ret;

	if (!conn->carrier)
		return -ENOTCONN;
	ret = conn_reserve(conn, size, &bytes);
	if (ret)
		return ret;
	frame_encode(frame, bytes, size);
	return conn_flush(conn);
}

int frame_fill(struct conn *conn)
{
	return conn_fill_all(conn, FRAME_HEADER_SIZE + FRAME_MAX_PAYLOAD);
}

int frame_peek(const struct conn *conn, struct frame_header *header, const uint8_t **payload, const char **fault)
{
	static const uint8_t magic[] = "PFTC";
	const size_t pending = conn_pending(conn);
	const uint8_t *begin;
	int ret;

	if (!pending)
		return 0;
	begin = conn_data(conn);
	/* The first bytes reveal another program, however few arrive. */
	if (memcmp(begin, magic, pending < 4 ? pending : 4) != 0) {
		*fault = "it does not begin like a cmtime message";
		return -EPROTO;
	}
	if (pending < FRAME_HEADER_SIZE)
		return 0;
	ret = frame_decode_header(begin, header, fault);
	*payload = begin + FRAME_HEADER_SIZE;
	if (ret)
		return ret;
	return pending - FRAME_HEADER_SIZE >= header->length;
}

void frame_drop(struct conn *conn, const struct frame_header *header)
{
	conn_consume(conn, FRAME_HEADER_SIZE + header->length);
}
