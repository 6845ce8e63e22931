// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * TCP sockets through the same steps: what connecting costs without RDMA. There is nothing to resolve and
 * there are no queue pairs, so those steps are none. Sockets do not block: as with rdma_cm, a call begins a
 * step and an event ends it, so that the baseline differs in nothing but what is connected.
 */
#include "config.h" /* accept4(), SOCK_NONBLOCK */

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmtime/address.h"
#include "cmtime/engine.h"

#define EVENTS_AT_ONCE 64
#define BACKLOG	       65535 /* cut by net.core.somaxconn */

struct sockets {
	int epoll;
	int listener; /* -1 none */
};

static struct sockets *sockets_of(const struct engine *engine)
{
	return engine->transport_data;
}

/* A descriptor for every connection: as many as this user may have. */
static void raise_limit(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static int sockets_open(struct engine *engine)
{
	struct sockets *sockets = calloc(1, sizeof(*sockets));

	if (!sockets) {
		engine_fail(engine, "there is no memory for sockets");
		return -ENOMEM;
	}
	raise_limit();
	sockets->listener = -1;
	sockets->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (sockets->epoll < 0) {
		engine_fail(engine, "epoll_create1: %s", strerror(errno));
		free(sockets);
		return -EIO;
	}
	engine->transport_data = sockets;
	return 0;
}

/*
 * One event, and no more until the next call: a connection that was closed, and whose place another one has
 * taken, must not be told of again. conn NULL: the listener, which may ring as often as it likes.
 */
static int watch(const struct sockets *sockets, int operation, int fd, uint32_t events, struct conn *conn)
{
	struct epoll_event event = {.events = events | (conn ? EPOLLONESHOT : 0), .data.ptr = conn};

	return epoll_ctl(sockets->epoll, operation, fd, &event) ? -errno : 0;
}

static int sockets_listen(struct engine *engine, struct sockaddr_storage *address)
{
	struct sockets *sockets = sockets_of(engine);
	socklen_t length = sizeof(*address);
	int ret = 0;

	*address = engine->local;
	sockets->listener = socket(address->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (sockets->listener < 0 ||
	    bind(sockets->listener, (struct sockaddr *)address, address_size(&engine->local)) ||
	    listen(sockets->listener, BACKLOG) || getsockname(sockets->listener, (struct sockaddr *)address, &length))
		ret = -errno;
	if (!ret)
		ret = watch(sockets, EPOLL_CTL_ADD, sockets->listener, EPOLLIN, NULL);
	if (ret)
		engine_fail(engine, "cannot listen for connections: %s", strerror(-ret));
	return ret;
}

static void sockets_close(struct engine *engine)
{
	struct sockets *sockets = sockets_of(engine);

	if (!sockets)
		return;
	if (sockets->listener >= 0)
		close(sockets->listener);
	close(sockets->epoll);
	free(sockets);
	engine->transport_data = NULL;
}

static int sockets_event_fd(const struct engine *engine)
{
	return sockets_of(engine)->epoll;
}

static void accept_all(struct engine *engine)
{
	struct sockets *sockets = sockets_of(engine);
	struct conn *conn;
	int fd, ret;

	while ((fd = accept4(sockets->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		conn = server_on_request(engine);
		if (!conn) {
			close(fd);
			return;
		}
		conn->fd = fd;
		server_on_established(conn);
		ret = watch(sockets, EPOLL_CTL_ADD, fd, EPOLLRDHUP, conn);
		if (ret)
			conn_fail(conn, STEP_CM_CONNECT, "epoll_ctl: %s", strerror(-ret));
	}
	if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
		engine_fail(engine, "%s: accept: %s: %s", step_name(STEP_CM_CONNECT), strerror(errno),
			    "-c is more than this process may have open; \"ulimit -n\" says how many");
}

/* A client's socket: first that it is connected, then that the server hung up. */
static void on_client_socket(struct conn *conn)
{
	socklen_t length = sizeof(int);
	int error = 0;

	if (conn->connected) {
		conn_on_disconnected(conn);
		return;
	}
	if (getsockopt(conn->fd, SOL_SOCKET, SO_ERROR, &error, &length))
		error = errno;
	if (error) {
		engine_doubt(conn->engine); /* a server that ends refuses, too */
		conn_fail(conn, STEP_CM_CONNECT, "%s", strerror(error));
		return;
	}
	conn->connected = true;
	error = -watch(sockets_of(conn->engine), EPOLL_CTL_MOD, conn->fd, EPOLLRDHUP, conn);
	if (error)
		conn_fail(conn, STEP_CM_CONNECT, "epoll_ctl: %s", strerror(error));
	else
		client_on_answer(conn);
}

static void sockets_read_events(struct engine *engine)
{
	struct epoll_event events[EVENTS_AT_ONCE];
	const int count = epoll_wait(sockets_of(engine)->epoll, events, EVENTS_AT_ONCE, 0 /* it is ready */);

	for (int i = 0; i < count; i++) {
		struct conn *conn = events[i].data.ptr;

		if (!conn)
			accept_all(engine);
		else if (engine->params->listen)
			conn_on_disconnected(conn);
		else
			on_client_socket(conn);
	}
}

static int sockets_create_id(struct conn *conn)
{
	const int on = 1;

	conn->fd = socket(conn->engine->local.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (conn->fd < 0)
		return -errno;
	/* The port is chosen when the other end is known: it need not be free for all of them. */
	(void)setsockopt(conn->fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on));
	return 0;
}

static int sockets_bind_addr(struct conn *conn)
{
	const struct sockaddr_storage *local = &conn->engine->local;

	return bind(conn->fd, (const struct sockaddr *)local, address_size(local)) ? -errno : 0;
}

static int sockets_connect(struct conn *conn)
{
	if (connect(conn->fd, (const struct sockaddr *)conn->remote, address_size(conn->remote)) &&
	    errno != EINPROGRESS)
		return -errno;
	/* The last look at conn: a socket that is connected already tells so at once. */
	return watch(sockets_of(conn->engine), EPOLL_CTL_ADD, conn->fd, EPOLLOUT, conn);
}

static int sockets_disconnect(struct conn *conn)
{
	/* Whose peer was faster is not connected any more. */
	return shutdown(conn->fd, SHUT_WR) && errno != ENOTCONN ? -errno : 0;
}

static void sockets_destroy_id(struct conn *conn)
{
	if (conn->fd >= 0)
		close(conn->fd);
	conn->fd = -1;
}

static const char *sockets_hint(const struct engine *engine, int error)
{
	(void)engine;
	switch (error) {
	case EMFILE:
	case ENFILE:
		return "-c is more than this process may have open; \"ulimit -n\" says how many";
	case EADDRNOTAVAIL:
	case EADDRINUSE:
		return "all local ports are taken, or rest for a minute after they were used "
		       "(net.ipv4.ip_local_port_range)";
	default:
		return NULL;
	}
}

const struct transport transport_sockets = {
	.open = sockets_open,
	.listen = sockets_listen,
	.close = sockets_close,
	.event_fd = sockets_event_fd,
	.read_events = sockets_read_events,
	.create_id = sockets_create_id,
	.bind_addr = sockets_bind_addr,
	.connect = sockets_connect,
	.disconnect = sockets_disconnect,
	.destroy_id = sockets_destroy_id,
	.hint = sockets_hint,
};
