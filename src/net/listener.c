// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Listening for clients. See listener.h. */
#include "config.h" /* accept4() */

#include "net/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/tcp.h"
#include "util/log.h"
#include "util/units.h"

/* --- sockets that were passed on --- */

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

/*
 * TCP sockets that listen, or one that is connected. They no longer block, and end with an exec. Returns their number,
 * 0: there are none, or -errno, reported.
 */
static int passed_take(int *fds, unsigned most, bool *connected)
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

static uint16_t bound_port(int fd)
{
	struct sockaddr_storage address = {0};
	socklen_t length = sizeof(address);

	if (getsockname(fd, (struct sockaddr *)&address, &length))
		return 0;
	return address_port((struct sockaddr *)&address);
}

static int listen_at(const struct sockaddr *address, socklen_t length, int backlog, int *listening)
{
	const int on = 1;
	int fd, rc;

	fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	/* IPv4 has its own socket: addresses then look the same, whatever the host's settings. */
	if (address->sa_family == AF_INET6)
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	/* If two processes bind at once, one fails here when the other listens. */
	if (bind(fd, address, length) || listen(fd, backlog)) {
		rc = -errno;
		close(fd);
		return rc;
	}
	*listening = fd;
	return 0;
}

int listener_open_found(struct listener *listener, const struct addrinfo *found, int backlog)
{
	struct listener made = {.fd = {-1, -1}};
	int rc, error = -EADDRNOTAVAIL;

	for (const struct addrinfo *at = found; at && made.num_fds < LISTENER_FDS; at = at->ai_next) {
		struct sockaddr_storage address;

		memcpy(&address, at->ai_addr, at->ai_addrlen);
		/* 0 requests any free port; both families then have the same */
		if (made.port)
			address_set_port((struct sockaddr *)&address, made.port);
		rc = listen_at((struct sockaddr *)&address, at->ai_addrlen, backlog, &made.fd[made.num_fds]);
		if (!rc) {
			if (!made.port)
				made.port = bound_port(made.fd[made.num_fds]);
			made.num_fds++;
			continue;
		}
		error = rc;
		/* a host without IPv6 (or IPv4) listens on the other */
		if (rc != -EAFNOSUPPORT && rc != -EADDRNOTAVAIL) {
			listener_close(&made);
			return rc;
		}
	}
	if (!made.num_fds)
		return error;
	*listener = made;
	return 0;
}

/* 1: there are some; 0: there are none; or -errno, reported. */
static int take_passed(struct listener *listener)
{
	struct listener made = {.fd = {-1, -1}};
	const int count = passed_take(made.fd, LISTENER_FDS, &made.connected);

	if (count <= 0)
		return count;
	made.num_fds = (unsigned)count;
	made.port = bound_port(made.fd[0]);
	*listener = made;
	return 1;
}

int listener_open(struct listener *listener, const struct address *address, int backlog)
{
	struct addrinfo *found;
	int rc;

	rc = take_passed(listener);
	if (rc)
		return rc < 0 ? rc : 0;
	rc = address_resolve(address->bind_ip, address->port, address->family, AI_PASSIVE, &found);
	if (rc)
		return log_fail(-EHOSTUNREACH, "cannot listen on %s: %s",
				address->bind_ip ? address->bind_ip : "any address", address_resolve_error(rc));
	rc = listener_open_found(listener, found, backlog);
	freeaddrinfo(found);
	if (rc == -EADDRINUSE && address->may_be_in_use) {
		*listener = (struct listener){.fd = {-1, -1}, .port = address->port};
		return 0;
	}
	if (rc)
		address_report_listen(address, "", rc, address_error(address->bind_ip, rc));
	return rc;
}

void listener_close(struct listener *listener)
{
	for (unsigned i = 0; i < listener->num_fds; i++)
		close(listener->fd[i]);
	*listener = (struct listener){.fd = {-1, -1}};
}

unsigned listener_poll_fds(const struct listener *listener, struct pollfd *fds)
{
	for (unsigned i = 0; i < listener->num_fds; i++)
		fds[i] = (struct pollfd){.fd = listener->fd[i], .events = listener->connected ? POLLOUT : POLLIN};
	return listener->num_fds;
}

/* The client gave up between its SYN and our accept(), or the network lost it: the next one may succeed. */
static bool accept_error_passes(int error)
{
	switch (error) {
	case EAGAIN:
	case EINTR:
	case ECONNABORTED:
	case EPROTO:
	case ENETDOWN:
	case ENETUNREACH:
	case EHOSTDOWN:
	case EHOSTUNREACH:
	case ENOPROTOOPT:
	case ENONET:
		return true;
	default:
		return false;
	}
}

static int open_client(struct conn *conn, int fd, struct sockaddr_storage *address)
{
	struct conn made;
	int rc;

	socket_tune(fd);
	rc = conn_open_fd(&made, fd, "client");
	if (rc)
		return rc;
	address_unmap(address); /* of a socket for both families, which was passed on */
	address_text((struct sockaddr *)address, made.peer);
	*conn = made;
	return 0;
}

static int accept_passed(struct listener *listener, struct conn *conn)
{
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);
	const int fd = listener->fd[0];

	listener->fd[0] = -1;
	listener->num_fds = 0;
	listener->connected = false;
	if (!getpeername(fd, (struct sockaddr *)&address, &length))
		return open_client(conn, fd, &address);
	log_info("the client left before it was served");
	close(fd);
	return -EAGAIN;
}

int listener_accept(struct listener *listener, struct conn *conn)
{
	if (listener->connected)
		return accept_passed(listener, conn);
	for (unsigned i = 0; i < listener->num_fds; i++) {
		struct sockaddr_storage address;
		socklen_t length = sizeof(address);
		const int fd =
			accept4(listener->fd[i], (struct sockaddr *)&address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0)
			return open_client(conn, fd, &address);
		if (!accept_error_passes(errno))
			return -errno;
	}
	return -EAGAIN;
}
