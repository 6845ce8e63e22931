// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Connections of sockets, and their options. See socket.h. */
#include "net/socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>

#include "util/wait.h"

int socket_connect(int fd, const struct sockaddr *to, socklen_t length, struct deadline deadline, const char *waits_for)
{
	struct pollfd wait = {.fd = fd, .events = POLLOUT};
	socklen_t size = sizeof(int);
	int error = 0, rc;

	if (!connect(fd, to, length))
		return 0;
	/* An interrupted connect continues, too. */
	if (errno != EINPROGRESS && errno != EINTR)
		return -errno;
	rc = waits_for ? wait_fds_reporting(&wait, 1, deadline, waits_for) : wait_fds(&wait, 1, deadline);
	if (rc)
		return rc;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size))
		error = errno;
	return -error;
}

void socket_tune(int fd)
{
	static const struct {
		int level, option, value;
	} settings[] = {
		{IPPROTO_TCP, TCP_NODELAY, 1},	 {SOL_SOCKET, SO_KEEPALIVE, 1}, {IPPROTO_TCP, TCP_KEEPIDLE, 10 /* s */},
		{IPPROTO_TCP, TCP_KEEPINTVL, 5}, {IPPROTO_TCP, TCP_KEEPCNT, 3},
	};

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		(void)setsockopt(fd, settings[i].level, settings[i].option, &settings[i].value, sizeof(int));
}
