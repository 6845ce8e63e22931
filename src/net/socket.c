// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options of TCP connections. See socket.h. */
#include "net/socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <sys/socket.h>

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
