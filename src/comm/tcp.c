// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How do bytes get from one end to the other? See tcp.h.
 *
 * Upstream reads and writes with single blocking calls: a message that arrives in two pieces is
 * an error there, and a silent peer a hang. Here sockets are non-blocking and callers loop.
 */
#include "config.h" /* accept4() */

#include "comm/tcp.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "comm/address.h"
#include "comm/carrier.h"
#include "util/log.h"
#include "util/socket.h"
#include "util/wait.h"

/* Clients that wait while another one is served. */
#define BACKLOG 16

/* --- server --- */

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

static const char not_ours[] = "it is no address of this host; \"ip address\" lists them";

int tcp_listen(struct comm_listener *listener, const struct comm_address *address)
{
	const int family = address->ipv6 ? AF_INET6 : AF_UNSPEC;
	struct comm_listener made = {.fd = {-1, -1}, .port = address->port};
	struct addrinfo *found;
	int rc, first_error = -EADDRNOTAVAIL;

	rc = address_resolve(address->bind_ip, address->port, family, AI_PASSIVE, &found);
	if (rc) {
		log_error("cannot listen on %s: %s", address->bind_ip ? address->bind_ip : "any address",
			  gai_strerror(rc));
		return -EHOSTUNREACH;
	}
	for (struct addrinfo *at = found; at && made.num_fds < 2; at = at->ai_next) {
		address_set_port(at->ai_addr, made.port);
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
				  first_error == -EADDRNOTAVAIL && address->bind_ip ? not_ours
										    : strerror(-first_error));
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

int tcp_accept(const struct comm_listener *listener, struct comm *comm)
{
	for (unsigned i = 0; i < listener->num_fds; i++) {
		struct sockaddr_storage address;
		socklen_t length = sizeof(address);
		int fd = accept4(listener->fd[i], (struct sockaddr *)&address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0) {
			socket_tune(fd);
			address_text((struct sockaddr *)&address, length, comm->peer, sizeof(comm->peer));
			comm->fd = fd;
			comm->carrier = &carrier_tcp;
			return 0;
		}
		if (!accept_error_passes(errno))
			return -errno;
	}
	return -EAGAIN;
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

static int connect_to(const struct addrinfo *to, const char *bind_ip, struct deadline deadline, int *connected)
{
	struct pollfd wait;
	socklen_t length = sizeof(int);
	char name[128], what[160];
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
		address_text(to->ai_addr, to->ai_addrlen, name, sizeof(name));
		snprintf(what, sizeof(what), "%s does not answer yet", name);
		rc = wait_fds_telling(&wait, 1, deadline, what);
		if (rc)
			goto err_close;
		if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length))
			error = errno;
		rc = -error;
		if (rc)
			goto err_close;
	}
	socket_tune(fd);
	*connected = fd;
	return 0;

err_close:
	close(fd);
	return rc;
}

static bool address_lacks_interface(const char *host)
{
	return strncasecmp(host, "fe80:", 5) == 0 && !strchr(host, '%');
}

static void report_connect(const struct comm_address *address, int64_t timeout_ms, int rc)
{
	if (rc != -EINTR)
		address_report_unreached(address);
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
			  address->bind_ip ? address->bind_ip : "this host",
			  address->bind_ip ? not_ours : strerror(-rc));
		break;
	case -EINVAL:
		log_error("cannot connect to %s port %u: %s", address->host, address->port,
			  address_lacks_interface(address->host)
				  ? "a link-local address needs its interface, such as fe80::1%eth0"
				  : strerror(-rc));
		break;
	default:
		log_error("cannot connect to %s port %u: %s", address->host, address->port, strerror(-rc));
	}
}

struct attempt {
	const struct comm_address *address;
	struct comm *comm; /* made by the attempt that succeeds */
};

static int attempt_connect(const struct addrinfo *at, struct deadline deadline, void *context)
{
	struct attempt *attempt = context;
	struct comm *comm = attempt->comm;
	int rc = connect_to(at, attempt->address->bind_ip, deadline, &comm->fd);

	if (rc)
		return rc;
	address_text(at->ai_addr, at->ai_addrlen, comm->peer, sizeof(comm->peer));
	comm->carrier = &carrier_tcp;
	return 0;
}

int tcp_connect(const struct comm_address *address, int64_t timeout_ms, struct comm *comm)
{
	const struct deadline deadline = deadline_in_ms(timeout_ms);
	struct attempt attempt = {address, comm};
	struct addrinfo *found;
	int rc = address_resolve_server(address, &found);

	if (rc)
		return rc;
	rc = address_try_each(found, deadline, attempt_connect, &attempt);
	freeaddrinfo(found);
	if (rc)
		report_connect(address, timeout_ms, rc);
	return rc;
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

static ssize_t send_now(struct comm *comm, const void *bytes, size_t length)
{
	ssize_t sent = send(comm->fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);

	return sent >= 0 ? sent : stream_error(errno);
}

static ssize_t receive_now(struct comm *comm, void *bytes, size_t size)
{
	ssize_t received = recv(comm->fd, bytes, size, MSG_DONTWAIT);

	if (received == 0)
		return -ECONNRESET;
	return received > 0 ? received : stream_error(errno);
}

static int watch(struct comm *comm, short events, struct pollfd *fds)
{
	*fds = (struct pollfd){.fd = comm->fd, .events = events};
	return 1;
}

static int wait_for(struct comm *comm, short events, struct deadline deadline)
{
	struct pollfd fd;

	return wait_fds(&fd, (unsigned)watch(comm, events, &fd), deadline);
}

static void find_addresses(const struct comm *comm, struct addresses *addresses)
{
	socklen_t length = sizeof(addresses->local);

	if (getsockname(comm->fd, (struct sockaddr *)&addresses->local, &length))
		addresses->local.ss_family = AF_UNSPEC;
	length = sizeof(addresses->peer);
	if (getpeername(comm->fd, (struct sockaddr *)&addresses->peer, &length))
		addresses->peer.ss_family = AF_UNSPEC;
}

static void finish(struct comm *comm)
{
	shutdown(comm->fd, SHUT_WR);
}

static void close_connection(struct comm *comm)
{
	uint8_t rest[4096];

	/*
	 * Closing with bytes unread resets the connection and can destroy our last message on its way.
	 * At most 256 KiB are read, and without waiting, so a peer that goes on sending can't hold us.
	 */
	finish(comm);
	for (unsigned i = 0; i < 64 && receive_now(comm, rest, sizeof(rest)) > 0; i++)
		;
	close(comm->fd);
}

const struct carrier carrier_tcp = {
	.name = "Ethernet",
	.send_now = send_now,
	.receive_now = receive_now,
	.wait = wait_for,
	.watch = watch,
	.addresses = find_addresses,
	.finish = finish,
	.close = close_connection,
};
