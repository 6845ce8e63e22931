// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See qperf.h. */
#include "qperf/qperf.h"

#include <string.h>
#include <sys/socket.h>

#include "qperf/control/wire.h"

#define ERROR_MARK "?"

/* Decodes what has arrived so far; the rest is zero. -EPROTO: another version. */
static int read_request(const uint8_t *arrived, size_t length, struct request *request)
{
	uint8_t bytes[REQUEST_SIZE] = {0};

	memcpy(bytes, arrived, length < sizeof(bytes) ? length : sizeof(bytes));
	return wire_read_request(bytes, request);
}

bool refusal_knows(const uint8_t *bytes, size_t length)
{
	struct request request;

	return length >= REQUEST_HEAD && !read_request(bytes, length, &request);
}

void refusal_send(int fd, const uint8_t *bytes, size_t length, const char *text)
{
	uint8_t answer[HELLO_SIZE + MESSAGE_END_SIZE];
	struct request request;

	if (!read_request(bytes, length, &request) && request.increment == REQUEST_MARK) {
		memcpy(answer, wire_hello, HELLO_SIZE);
		length = HELLO_SIZE + message_encode_end(&qperf_messages, MESSAGE_REFUSE, text, answer + HELLO_SIZE);
		(void)!send(fd, answer, length, MSG_NOSIGNAL | MSG_DONTWAIT);
	} else if (send(fd, ERROR_MARK, 1, MSG_OOB | MSG_NOSIGNAL | MSG_DONTWAIT) == 1) {
		(void)!send(fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
	} else {
		return;
	}
	shutdown(fd, SHUT_WR);
}
