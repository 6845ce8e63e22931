// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * TCP connections. See tcp.h.
 *
 * Upstream reads and writes with single blocking calls: a message that arrives in two pieces is an error there, and a
 * silent peer makes it hang. Here sockets are non-blocking and callers loop.
 */
#include "net/tcp.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/log.h"
#include "util/wait.h"

/* --- sockets --- */

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

/* --- client --- */

static int bind_source(int fd, int family, const char *bind_ip)
{
	struct addrinfo *found;
	int rc;

	if (address_resolve(bind_ip, 0, family, AI_NUMERICHOST, &found))
		return -EAFNOSUPPORT;
	rc = bind(fd, found->ai_addr, found->ai_addrlen) ? -errno : 0;
	freeaddrinfo(found);
	return rc;
}

static int tcp_socket_connect(const struct addrinfo *to, const char *bind_ip, struct deadline deadline,
			      bool reports_silence, int *connected)
{
	char name[ADDRESS_TEXT_SIZE], what[160];
	int fd, rc;

	fd = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	rc = bind_ip ? bind_source(fd, to->ai_family, bind_ip) : 0;
	snprintf(what, sizeof(what), "%s does not answer yet", address_text(to->ai_addr, name));
	if (!rc)
		rc = socket_connect(fd, to->ai_addr, to->ai_addrlen, deadline, reports_silence ? what : NULL);
	if (rc) {
		close(fd);
		return rc;
	}
	socket_tune(fd);
	*connected = fd;
	return 0;
}

static void tcp_report_connect(const struct address *address, int64_t timeout_ms, int error)
{
	if (error != -EINTR && address->unreached)
		address->unreached(address);
	switch (error) {
	case -EINTR:
		break;
	case -ECONNREFUSED:
		log_error("no server listens on %s port %u: start the same program there first, without a host name%s",
			  address->host, address->port, address->refused ? address->refused : "");
		break;
	case -ETIMEDOUT:
		log_error("no answer from %s port %u within %g s: is the host up, does a firewall block the port?",
			  address->host, address->port, (double)timeout_ms / 1e3);
		break;
	case -EAFNOSUPPORT:
		log_error("%s has no address that can be reached from %s", address->host,
			  address->bind_ip ? address->bind_ip : "this host");
		break;
	case -EADDRNOTAVAIL:
		log_error("cannot connect to %s port %u from %s: %s", address->host, address->port,
			  address->bind_ip ? address->bind_ip : "this host", address_error(address->bind_ip, error));
		break;
	default:
		log_error("cannot connect to %s port %u: %s%s", address->host, address->port,
			  address_error(address->host, error),
			  error == -EMFILE || error == -ENFILE ? "; see ulimit -n" : "");
	}
}

struct tcp_attempt {
	struct conn *conn;    /* opened by the attempt that succeeds */
	const char *bind_ip;  /* NULL: any */
	bool reports_silence; /* to the user, while the server does not answer */
};

static int tcp_attempt_connect(const struct addrinfo *at, struct deadline deadline, void *context)
{
	const struct tcp_attempt *attempt = context;
	struct conn made;
	int fd = -1, rc = tcp_socket_connect(at, attempt->bind_ip, deadline, attempt->reports_silence, &fd);

	if (!rc)
		rc = conn_open_fd(&made, fd, "server");
	if (rc)
		return rc;
	address_text(at->ai_addr, made.peer);
	*attempt->conn = made;
	return 0;
}

int tcp_connect_any(struct conn *conn, const struct addrinfo *found, struct deadline deadline)
{
	return address_try_each(found, deadline, tcp_attempt_connect, &(struct tcp_attempt){.conn = conn});
}

int tcp_connect(struct conn *conn, const struct address *address, int64_t timeout_ms)
{
	struct tcp_attempt attempt = {conn, address->bind_ip, .reports_silence = !address->retry_ms};
	struct addrinfo *found;
	int rc = address_resolve_server(address, &found);

	if (rc)
		return rc;
	rc = address_try_until(found, timeout_ms, address->retry_ms, tcp_attempt_connect, &attempt);
	freeaddrinfo(found);
	if (rc)
		tcp_report_connect(address, timeout_ms < address->retry_ms ? address->retry_ms : timeout_ms, rc);
	return rc;
}

/* --- both --- */

/* -ETIMEDOUT is reserved for our own limits; the kernel's means that keepalive or retransmission gave up. */
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

static ssize_t tcp_send_now(struct conn *conn, const void *bytes, size_t length)
{
	ssize_t sent = send(conn->fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);

	return sent >= 0 ? sent : stream_error(errno);
}

static ssize_t tcp_receive_now(struct conn *conn, void *bytes, size_t size)
{
	ssize_t received = recv(conn->fd, bytes, size, MSG_DONTWAIT);

	if (received == 0)
		return -ECONNRESET;
	return received > 0 ? received : stream_error(errno);
}

static int tcp_poll_fds(struct conn *conn, short events, struct pollfd *fds)
{
	*fds = (struct pollfd){.fd = conn->fd, .events = events};
	return 1;
}

static void tcp_find_addresses(const struct conn *conn, struct addresses *addresses)
{
	socklen_t length = sizeof(addresses->local);

	if (getsockname(conn->fd, (struct sockaddr *)&addresses->local, &length))
		addresses->local.ss_family = AF_UNSPEC;
	length = sizeof(addresses->peer);
	if (getpeername(conn->fd, (struct sockaddr *)&addresses->peer, &length))
		addresses->peer.ss_family = AF_UNSPEC;
}

static void tcp_finish(struct conn *conn)
{
	shutdown(conn->fd, SHUT_WR);
}

static void close_connection(struct conn *conn)
{
	uint8_t rest[4096];

	/*
	 * Closing with unread bytes resets the connection and can destroy our last message in flight. At most 256 KiB
	 * are read, and without waiting, so a peer that keeps sending cannot delay us.
	 */
	tcp_finish(conn);
	for (unsigned i = 0; i < 64 && tcp_receive_now(conn, rest, sizeof(rest)) > 0; i++)
		;
	close(conn->fd);
}

const struct carrier carrier_tcp = {
	.name = "Ethernet",
	.send_now = tcp_send_now,
	.receive_now = tcp_receive_now,
	.poll_fds = tcp_poll_fds,
	.addresses = tcp_find_addresses,
	.finish = tcp_finish,
	.close = close_connection,
};

int conn_open_fd(struct conn *conn, int fd, const char *role)
{
	*conn = (struct conn){.carrier = &carrier_tcp, .fd = fd, .role = role};
	return conn_open(conn);
}

uint32_t tcp_round_trip_us(const struct conn *conn)
{
	struct tcp_info info = {0};
	socklen_t size = sizeof(info);

	if (conn->carrier != &carrier_tcp || getsockopt(conn->fd, IPPROTO_TCP, TCP_INFO, &info, &size))
		return 0;
	return info.tcpi_rtt;
}
