// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How do bytes get from one end to the other? See tcp.h.
 *
 * Upstream reads and writes with single blocking calls: a message that arrives in two pieces is
 * an error there, and a silent peer a hang. Here sockets are non-blocking and callers loop.
 */
#include "config.h" /* ppoll(), accept4() */

#include "comm/tcp.h"

#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "util/log.h"
#include "util/stop.h"

/* Clients that wait while another one is served. */
#define BACKLOG 16

int tcp_wait(struct pollfd *fds, unsigned num_fds, struct deadline deadline)
{
	sigset_t stops, before;
	int rc;

	/* Signals are let in only inside ppoll(), so none falls between the look at the flag and the wait. */
	sigemptyset(&stops);
	sigaddset(&stops, SIGINT);
	sigaddset(&stops, SIGTERM);
	sigprocmask(SIG_BLOCK, &stops, &before);
	for (;;) {
		if (stop_requested()) {
			rc = -EINTR;
			break;
		}

		int ms = deadline_poll_ms(deadline);
		struct timespec limit = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
		int ready = ppoll(fds, num_fds, ms < 0 ? NULL : &limit, &before);

		if (ready > 0) {
			rc = 0;
			break;
		}
		if (ready == 0 && deadline_passed(deadline)) {
			rc = -ETIMEDOUT;
			break;
		}
		if (ready < 0 && errno != EINTR) {
			rc = -errno;
			break;
		}
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return rc;
}

/* "10.0.0.1:43210" or "[fe80::1%eth0]:43210". */
static void address_text(const struct sockaddr *address, socklen_t length, char *text, size_t size)
{
	char host[NI_MAXHOST], port[NI_MAXSERV];

	if (getnameinfo(address, length, host, sizeof(host), port, sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV))
		snprintf(text, size, "unknown address");
	else if (strchr(host, ':'))
		snprintf(text, size, "[%s]:%s", host, port);
	else
		snprintf(text, size, "%s:%s", host, port);
}

/* What every connection has; none of it is worth failing for. */
static void connection_tune(int fd)
{
	static const struct {
		int level, option, value;
	} settings[] = {
		{IPPROTO_TCP, TCP_NODELAY, 1},	 /* barriers are small and waited for */
		{SOL_SOCKET, SO_KEEPALIVE, 1},	 /* a peer whose power went is noticed ... */
		{IPPROTO_TCP, TCP_KEEPIDLE, 10}, /* seconds; ... after 10 + 3 * 5 */
		{IPPROTO_TCP, TCP_KEEPINTVL, 5}, {IPPROTO_TCP, TCP_KEEPCNT, 3},
	};

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		(void)setsockopt(fd, settings[i].level, settings[i].option, &settings[i].value, sizeof(int));
}

static int resolve(const char *host, uint16_t port, int family, int flags, struct addrinfo **found)
{
	struct addrinfo hints = {.ai_family = family, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV | flags};
	char service[8];

	snprintf(service, sizeof(service), "%" PRIu16, port);
	return getaddrinfo(host, service, &hints, found);
}

/* --- server --- */

static void set_port(struct sockaddr *address, uint16_t port)
{
	if (address->sa_family == AF_INET6)
		((struct sockaddr_in6 *)address)->sin6_port = htons(port);
	else
		((struct sockaddr_in *)address)->sin_port = htons(port);
}

static uint16_t bound_port(int fd)
{
	struct sockaddr_storage address = {0};
	socklen_t length = sizeof(address);

	if (getsockname(fd, (struct sockaddr *)&address, &length))
		return 0;
	if (address.ss_family == AF_INET6)
		return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
	return ntohs(((struct sockaddr_in *)&address)->sin_port);
}

static int listen_at(const struct sockaddr *address, socklen_t length, int *listening)
{
	const int on = 1;
	int fd, rc;

	fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	/* IPv4 has its own socket: addresses then look the same however the host is set up. */
	if (address->sa_family == AF_INET6)
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if (bind(fd, address, length) || listen(fd, BACKLOG)) {
		rc = -errno;
		close(fd);
		return rc;
	}
	*listening = fd;
	return 0;
}

int tcp_listen(struct comm_listener *listener, const struct comm_address *address)
{
	const int family = address->ipv6 ? AF_INET6 : AF_UNSPEC;
	struct comm_listener made = {.fd = {-1, -1}, .port = address->port};
	struct addrinfo *found;
	int rc, first_error = -EADDRNOTAVAIL;

	rc = resolve(address->bind_ip, address->port, family, AI_PASSIVE, &found);
	if (rc) {
		log_error("cannot listen on %s: %s", address->bind_ip ? address->bind_ip : "any address",
			  gai_strerror(rc));
		return -EHOSTUNREACH;
	}
	for (struct addrinfo *at = found; at && made.num_fds < 2; at = at->ai_next) {
		set_port(at->ai_addr, made.port);
		rc = listen_at(at->ai_addr, at->ai_addrlen, &made.fd[made.num_fds]);
		if (rc == -EAFNOSUPPORT || rc == -EADDRNOTAVAIL) {
			first_error = rc; /* a host without IPv6 (or IPv4) listens on the other */
			continue;
		}
		if (rc) {
			first_error = rc;
			tcp_unlisten(&made);
			break;
		}
		if (!made.port) /* 0 asks for any free port; both families then have the same */
			made.port = bound_port(made.fd[made.num_fds]);
		made.num_fds++;
	}
	freeaddrinfo(found);
	if (!made.num_fds) {
		if (first_error == -EADDRINUSE)
			log_error("port %u is in use; choose another with -p", address->port);
		else
			log_error("cannot listen on %s port %u: %s",
				  address->bind_ip ? address->bind_ip : "any address", address->port,
				  strerror(-first_error));
		return first_error;
	}
	*listener = made;
	return 0;
}

void tcp_unlisten(struct comm_listener *listener)
{
	for (unsigned i = 0; i < listener->num_fds; i++)
		close(listener->fd[i]);
	*listener = (struct comm_listener){.fd = {-1, -1}};
}

/* The client gave up between its SYN and our accept(), or the network lost it: the next one may do better. */
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

int tcp_accept(const struct comm_listener *listener, int *fd, char *peer, size_t peer_size)
{
	struct pollfd fds[2];

	for (unsigned i = 0; i < listener->num_fds; i++)
		fds[i] = (struct pollfd){.fd = listener->fd[i], .events = POLLIN};
	for (;;) {
		int rc = tcp_wait(fds, listener->num_fds, deadline_in_ms(-1));

		if (rc)
			return rc;
		for (unsigned i = 0; i < listener->num_fds; i++) {
			struct sockaddr_storage address;
			socklen_t length = sizeof(address);
			int accepted;

			if (!fds[i].revents)
				continue;
			accepted =
				accept4(fds[i].fd, (struct sockaddr *)&address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
			if (accepted >= 0) {
				connection_tune(accepted);
				address_text((struct sockaddr *)&address, length, peer, peer_size);
				*fd = accepted;
				return 0;
			}
			if (!accept_error_passes(errno))
				return -errno;
		}
	}
}

/* --- client --- */

static int bind_source(int fd, int family, const char *bind_ip)
{
	struct addrinfo *found;
	int rc;

	if (resolve(bind_ip, 0, family, AI_NUMERICHOST, &found))
		return -EAFNOSUPPORT;
	rc = bind(fd, found->ai_addr, found->ai_addrlen) ? -errno : 0;
	freeaddrinfo(found);
	return rc;
}

static int connect_to(const struct addrinfo *to, const char *bind_ip, struct deadline deadline, int *connected)
{
	struct pollfd wait;
	socklen_t length = sizeof(int);
	int fd, rc, error = 0;

	fd = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	rc = bind_ip ? bind_source(fd, to->ai_family, bind_ip) : 0;
	if (rc)
		goto err_close;
	if (connect(fd, to->ai_addr, to->ai_addrlen)) {
		rc = -errno;
		if (rc != -EINPROGRESS)
			goto err_close;
		wait = (struct pollfd){.fd = fd, .events = POLLOUT};
		rc = tcp_wait(&wait, 1, deadline);
		if (rc)
			goto err_close;
		if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length))
			error = errno;
		rc = -error;
		if (rc)
			goto err_close;
	}
	connection_tune(fd);
	*connected = fd;
	return 0;

err_close:
	close(fd);
	return rc;
}

static void report_connect(const struct comm_address *address, int timeout_ms, int rc)
{
	switch (rc) {
	case -EINTR:
		break;
	case -ECONNREFUSED:
		log_error("no server listens on %s port %u: start the same program there first, without a host name",
			  address->host, address->port);
		break;
	case -ETIMEDOUT:
		if (timeout_ms >= 0)
			log_error("no answer from %s port %u within %g s: is the host up, does a firewall block the "
				  "port?",
				  address->host, address->port, timeout_ms / 1e3);
		else
			log_error("no answer from %s port %u: is the host up, does a firewall block the port?",
				  address->host, address->port);
		break;
	case -EAFNOSUPPORT:
		log_error("%s has no address that can be reached from %s", address->host,
			  address->bind_ip ? address->bind_ip : "this host");
		break;
	case -EADDRNOTAVAIL:
		log_error("cannot connect to %s port %u from %s: %s", address->host, address->port,
			  address->bind_ip ? address->bind_ip : "this host", strerror(-rc));
		break;
	default:
		log_error("cannot connect to %s port %u: %s", address->host, address->port, strerror(-rc));
	}
}

/* The k-th address in the order of trying: IPv4 first, else as the resolver sorted them. */
static const struct addrinfo *nth_address(const struct addrinfo *found, unsigned k)
{
	static const bool passes[] = {true /* IPv4 */, false /* the others */};

	for (size_t pass = 0; pass < 2; pass++) {
		for (const struct addrinfo *at = found; at; at = at->ai_next) {
			if ((at->ai_family == AF_INET) == passes[pass] && k-- == 0)
				return at;
		}
	}
	return NULL;
}

int tcp_connect(const struct comm_address *address, int timeout_ms, int *fd, char *peer, size_t peer_size)
{
	const struct deadline deadline = deadline_in_ms(timeout_ms);
	const struct addrinfo *at;
	struct addrinfo *found;
	unsigned count = 0;
	int rc, worst = -EAFNOSUPPORT;

	/* The resolver has limits of its own (resolv.conf); it can't be interrupted. */
	rc = resolve(address->host, address->port, address->ipv6 ? AF_INET6 : AF_UNSPEC, 0, &found);
	if (rc) {
		log_error("cannot resolve the server's name \"%s\"%s: %s", address->host,
			  address->ipv6 ? " to an IPv6 address" : "",
			  rc == EAI_SYSTEM ? strerror(errno) : gai_strerror(rc));
		return -EHOSTUNREACH;
	}
	while (nth_address(found, count))
		count++;
	for (unsigned k = 0; (at = nth_address(found, k)); k++) {
		/* Each address gets an even share of what is left, so that a dead one does not use it up. */
		int left = deadline_poll_ms(deadline);
		int share = left < 0 ? -1 : left / (int)(count - k);

		rc = connect_to(at, address->bind_ip, deadline_in_ms(share), fd);
		if (!rc) {
			address_text(at->ai_addr, at->ai_addrlen, peer, peer_size);
			break;
		}
		/* An address of a family that this host lacks says nothing; any other reason does. */
		if (worst == -EAFNOSUPPORT || rc == -EINTR)
			worst = rc;
		if (rc == -EINTR)
			break;
	}
	freeaddrinfo(found);
	if (rc) {
		report_connect(address, timeout_ms, worst);
		return worst;
	}
	return 0;
}

/* --- both --- */

/* -ETIMEDOUT is left to mean our own limits; the kernel's says that keepalive or retransmission gave up. */
static ssize_t stream_error(int error)
{
	switch (error) {
	case EAGAIN:
	case EINTR:
		return 0;
	case EPIPE:
		return -ECONNRESET;
	case ETIMEDOUT:
		return -EHOSTDOWN;
	default:
		return -error;
	}
}

ssize_t tcp_send_now(int fd, const void *bytes, size_t length)
{
	ssize_t sent = send(fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);

	return sent >= 0 ? sent : stream_error(errno);
}

ssize_t tcp_receive_now(int fd, void *bytes, size_t size)
{
	ssize_t received = recv(fd, bytes, size, MSG_DONTWAIT);

	if (received == 0)
		return -ECONNRESET;
	return received > 0 ? received : stream_error(errno);
}

void tcp_close(int fd)
{
	uint8_t rest[4096];

	/*
	 * Closing with bytes unread resets the connection and can destroy our last message on its way.
	 * At most 256 KiB are read, and without waiting, so a peer that goes on sending can't hold us.
	 */
	shutdown(fd, SHUT_WR);
	for (unsigned i = 0; i < 64 && tcp_receive_now(fd, rest, sizeof(rest)) > 0; i++)
		;
	close(fd);
}
