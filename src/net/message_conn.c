// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Messages over a connection. See message.h. */
#include <errno.h>

#include "net/message.h"

int message_send(struct conn *conn, const struct message_protocol *protocol, unsigned type, const void *from)
{
	const size_t size = message_encode(protocol, type, from, NULL, 0);
	uint8_t *bytes;
	int ret;

	if (!conn->carrier)
		return -ENOTCONN;
	ret = conn_reserve(conn, size, &bytes);
	if (ret)
		return ret;
	message_encode(protocol, type, from, bytes, size);
	return conn_flush(conn);
}

int message_front(const struct conn *conn, const struct message_protocol *protocol, struct message_header *header,
		  const char **fault)
{
	return message_peek(protocol, conn_data(conn), conn_pending(conn), header, fault);
}
