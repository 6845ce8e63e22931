// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Preloaded into both ends if the kernel has no RDS: its sockets become UDP ones, whose messages between two processes
 * of one host also arrive. This tests the conversation around them. RDS_LATE_MS: delays listening on a socket by this
 * time for one connection, although a qperf 0.4.11 has told its client the port before. Built by qperf.bats.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef AF_RDS
#define AF_RDS 21
#endif

int socket(int family, int type, int protocol)
{
	static int (*next)(int, int, int);

	if (!next)
		next = (int (*)(int, int, int))dlsym(RTLD_NEXT, "socket");
	if (family != AF_RDS)
		return next(family, type, protocol);
	return next(AF_INET, SOCK_DGRAM | (type & SOCK_CLOEXEC), 0);
}

int listen(int fd, int backlog)
{
	static int (*next)(int, int);
	const char *late = getenv("RDS_LATE_MS");

	if (!next)
		next = (int (*)(int, int))dlsym(RTLD_NEXT, "listen");
	if (late && backlog == 1)
		usleep((unsigned)atoi(late) * 1000);
	return next(fd, backlog);
}
