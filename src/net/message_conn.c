// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Messages over a connection. See message.h. */
#include <errno.h>

#include "net/message.h"

/* Behind what waits to be sent. */
static int put_message(struct conn *conn, const struct message_protocol *protocol, unsigned type, const void *from,
		       size_t size)
{
	uint8_t *bytes;
	int ret = conn->carrier ? conn_reserve(conn, size, &bytes) : -ENOTCONN;

	if (!ret)
		message_encode(protocol, type, from, bytes, size);
	return ret;
}

int message_send(struct conn *conn, const struct message_protocol *protocol, unsigned type, const void *from)
{
	const int ret = put_message(conn, protocol, type, from, message_encode(protocol, type, from, NULL, 0));

	return ret ? ret : conn_flush(conn);
}

int message_transmit(struct conn *conn, const struct message_protocol *protocol, unsigned type, const void *from,
		     struct deadline deadline)
{
	const size_t size = message_encode(protocol, type, from, NULL, 0);
	const int ret = put_message(conn, protocol, type, from, size);

	return ret ? ret : conn_drain(conn, size, deadline);
}

int message_post(struct conn *conn, const struct message_protocol *protocol, unsigned type, const void *from,
		 bool droppable)
{
	uint8_t bytes[CONN_POST];

	return conn_post(conn, bytes, message_encode(protocol, type, from, bytes, sizeof(bytes)), droppable);
}

void message_post_end(struct conn *conn, const struct message_protocol *protocol, unsigned type, const char *reason)
{
	uint8_t bytes[MESSAGE_END_SIZE];

	if (conn->carrier)
		conn_post_last(conn, bytes, message_encode_end(protocol, type, reason, bytes));
}

int message_front(const struct conn *conn, const struct message_protocol *protocol, struct message_header *header,
		  const char **fault)
{
	return message_peek(protocol, conn_data(conn), conn_pending(conn), header, fault);
}
