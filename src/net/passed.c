// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See passed.h. */
#include "net/passed.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/log.h"
#include "util/units.h"

/* The number in a variable of the environment; 0: there is none. */
static uint64_t read_number(const char *name)
{
	const char *text = getenv(name);
	uint64_t number = 0;

	return text && !units_parse_u64(text, 1, INT32_MAX, &number) ? number : 0;
}

bool passed_has(void)
{
	return read_number("LISTEN_FDS") && read_number("LISTEN_PID") == (uint64_t)getpid();
}

static int read_option(int fd, int option)
{
	socklen_t length = sizeof(int);
	int value;

	return getsockopt(fd, SOL_SOCKET, option, &value, &length) ? -errno : value;
}

int passed_take(int *fds, unsigned most, bool *connected)
{
	const uint64_t count = read_number("LISTEN_FDS");

	if (!passed_has())
		return 0;
	/* Those who start a process of their own later must not find it. */
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDNAMES");
	if (count > most) {
		log_error("%u sockets were passed on (LISTEN_FDS): there must be one for IPv4, one for IPv6, or one "
			  "for both",
			  (unsigned)count);
		return -E2BIG;
	}
	for (unsigned i = 0; i < count; i++) {
		const int fd = PASSED_FIRST_FD + (int)i, domain = read_option(fd, SO_DOMAIN);
		const int listens = read_option(fd, SO_ACCEPTCONN);

		if (read_option(fd, SO_TYPE) != SOCK_STREAM || (domain != AF_INET && domain != AF_INET6) ||
		    (!listens && count > 1))
			return log_fail(
				-ENOTSOCK,
				"descriptor %d, which was passed on (LISTEN_FDS), is no TCP socket that listens", fd);
		if (fcntl(fd, F_SETFD, FD_CLOEXEC) || fcntl(fd, F_SETFL, O_NONBLOCK))
			return log_fail(-EBADF, "descriptor %d, which was passed on (LISTEN_FDS), cannot be used", fd);
		fds[i] = fd;
		*connected = !listens;
	}
	return (int)count;
}
