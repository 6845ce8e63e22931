// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * TCP sockets with the same steps: the cost of connecting without RDMA. There are no addresses to resolve and no QPs,
 * so those steps are omitted. Sockets are nonblocking: as with rdma_cm, a call starts a step and an event completes it,
 * so that the baseline only differs in what is connected.
 *
 * Any program may connect to a server's port. A connection is pending until it has sent the cluster's token, and
 * belongs to the run from then on. net/pending.h is for few connections, which it scans at each turn; here all
 * connections of a run may be pending at once, and each is timed from when it was accepted. What an event is about: a
 * connection; with the lowest bit set, a pending one; or NULL, the listener.
 */
#include "config.h" /* accept4(), SOCK_NONBLOCK */

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmtime/engine.h"
#include "util/deadline.h"
#include "util/process.h"

#define EVENTS_AT_ONCE 64
#define PENDING_MIN_MS 1000  /* without the token by then, a connection is closed if descriptors are scarce */
#define BACKLOG	       65535 /* limited by net.core.somaxconn */
#define IS_PENDING     1

struct pending_socket {
	int fd;
	uint8_t bytes[FRAME_TOKEN_SIZE]; /* `used` of them have arrived */
	size_t used;
	uint64_t accepted; /* cycles */
	struct deadline deadline, minimum;
	struct sockaddr_storage address;
	struct pending_socket *older, *newer;
};

struct sockets {
	int epoll;
	int listener; /* -1: none */
	struct pending_socket *oldest, *newest;
};

static struct sockets *sockets_of(const struct engine *engine)
{
	return engine->transport_data;
}

static int sockets_open(struct engine *engine)
{
	struct sockets *sockets = calloc(1, sizeof(*sockets));

	if (!sockets)
		return engine_error(engine, -ENOMEM, "no memory for sockets");
	descriptors_raise();
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

/* One-shot: a connection that was closed, and whose memory is used for another one, must not be reported again. */
static int epoll_change(const struct sockets *sockets, int operation, int fd, uint32_t events, struct timed_conn *conn)
{
	struct epoll_event event = {.events = events | EPOLLONESHOT, .data.ptr = conn};

	return epoll_ctl(sockets->epoll, operation, fd, &event) ? -errno : 0;
}

/* Level-triggered. pending NULL: the listener. */
static int epoll_add(const struct sockets *sockets, int fd, struct pending_socket *pending)
{
	void *what = pending ? (char *)pending + IS_PENDING : NULL;
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = what};

	return epoll_ctl(sockets->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static int sockets_listen(struct engine *engine, struct sockaddr_storage *address)
{
	struct sockets *sockets = sockets_of(engine);
	socklen_t length = sizeof(*address);
	int ret = 0;

	*address = engine->local;
	sockets->listener = socket(address->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (sockets->listener < 0 ||
	    bind(sockets->listener, (struct sockaddr *)address,
		 address_length((const struct sockaddr *)&engine->local)) ||
	    listen(sockets->listener, BACKLOG) || getsockname(sockets->listener, (struct sockaddr *)address, &length))
		ret = -errno;
	if (!ret)
		ret = epoll_add(sockets, sockets->listener, NULL);
	if (ret)
		engine_fail(engine, "cannot listen for connections: %s", strerror(-ret));
	return ret;
}

/* Does not close its descriptor. */
static void pending_socket_free(struct sockets *sockets, struct pending_socket *pending)
{
	*(pending->older ? &pending->older->newer : &sockets->oldest) = pending->newer;
	*(pending->newer ? &pending->newer->older : &sockets->newest) = pending->older;
	free(pending);
}

static void pending_socket_close(struct sockets *sockets, struct pending_socket *pending)
{
	close(pending->fd);
	pending_socket_free(sockets, pending);
}

static void sockets_close(struct engine *engine)
{
	struct sockets *sockets = sockets_of(engine);

	if (!sockets)
		return;
	while (sockets->oldest)
		pending_socket_close(sockets, sockets->oldest);
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

static bool pending_socket_send_away(struct engine *engine, struct pending_socket *pending)
{
	server_on_unknown(engine, &pending->address);
	pending_socket_close(sockets_of(engine), pending);
	return true;
}

/* Drops the oldest pending connection if it has been silent for too long; sooner if descriptors are scarce. */
static bool drop_silent(struct engine *engine, bool is_short)
{
	struct pending_socket *oldest = sockets_of(engine)->oldest;

	return oldest && deadline_passed(is_short ? oldest->minimum : oldest->deadline) &&
	       pending_socket_send_away(engine, oldest);
}

static int pending_socket_open(struct engine *engine, int fd, const struct sockaddr_storage *address)
{
	struct sockets *sockets = sockets_of(engine);
	struct pending_socket *pending = calloc(1, sizeof(*pending));
	int ret;

	if (!pending)
		return -ENOMEM;
	pending->fd = fd;
	pending->accepted = clock_cycles();
	pending->deadline = deadline_in_ms(1000LL * engine->params->timeout_s);
	pending->minimum = deadline_in_ms(PENDING_MIN_MS);
	pending->address = *address;
	pending->older = sockets->newest;
	*(sockets->newest ? &sockets->newest->newer : &sockets->oldest) = pending;
	sockets->newest = pending;
	ret = epoll_add(sockets, fd, pending);
	if (ret)
		pending_socket_free(sockets, pending);
	return ret;
}

/* In batches, so that established connections are served however many arrive. */
static void accept_some(struct engine *engine)
{
	struct sockets *sockets = sockets_of(engine);
	struct sockaddr_storage address;
	socklen_t length;
	int fd = -1, ret;

	while (drop_silent(engine, false))
		;
	for (unsigned i = 0; i < EVENTS_AT_ONCE; i++) {
		length = sizeof(address);
		fd = accept4(sockets->listener, (struct sockaddr *)&address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0)
			break;
		ret = pending_socket_open(engine, fd, &address);
		if (ret) {
			close(fd);
			engine_fail(engine, "%s: %s", step_name(STEP_CM_CONNECT), strerror(-ret));
			return;
		}
	}
	if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
		ret = errno;
		if (!drop_silent(engine, true))
			engine_fail(engine, "%s: accept: %s: %s", step_name(STEP_CM_CONNECT), strerror(ret),
				    "-c exceeds the number of files that this process may open; see \"ulimit -n\"");
	}
}

/* It belongs to the cluster; it was connected when it was accepted. */
static void pending_socket_join(struct engine *engine, struct pending_socket *pending)
{
	struct sockets *sockets = sockets_of(engine);
	struct timed_conn *conn = server_on_request(engine);
	int ret;

	if (!conn) {
		pending_socket_close(sockets, pending);
		return;
	}
	/* From here on no event is about what is freed below. */
	ret = epoll_change(sockets, EPOLL_CTL_MOD, pending->fd, EPOLLRDHUP, conn);
	if (ret) {
		conn_fail(conn, STEP_CM_CONNECT, "epoll_ctl: %s", strerror(-ret));
		pending_socket_close(sockets, pending);
		return;
	}
	conn->fd = pending->fd;
	conn->times[STEP_CM_CONNECT].begin = pending->accepted;
	pending_socket_free(sockets, pending);
	server_on_established(conn);
}

static void on_pending(struct engine *engine, struct pending_socket *pending)
{
	const ssize_t got =
		recv(pending->fd, pending->bytes + pending->used, sizeof(pending->bytes) - pending->used, MSG_DONTWAIT);

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	pending->used += got > 0 ? (size_t)got : 0;
	if (got <= 0 || memcmp(pending->bytes, engine->token, pending->used) != 0)
		pending_socket_send_away(engine, pending);
	else if (pending->used == sizeof(pending->bytes))
		pending_socket_join(engine, pending);
}

/* A client's socket: the first event reports the connection, the next one the server's disconnection. */
static void on_client_socket(struct timed_conn *conn)
{
	socklen_t length = sizeof(int);
	int error = 0;

	if (conn->connected) {
		conn->engine->side->on_disconnected(conn);
		return;
	}
	if (getsockopt(conn->fd, SOL_SOCKET, SO_ERROR, &error, &length))
		error = errno;
	if (error) {
		engine_doubt(conn->engine); /* a server that ends also refuses */
		conn_fail(conn, STEP_CM_CONNECT, "%s", strerror(error));
		return;
	}
	conn->connected = true;
	error = -epoll_change(sockets_of(conn->engine), EPOLL_CTL_MOD, conn->fd, EPOLLRDHUP, conn);
	if (error)
		conn_fail(conn, STEP_CM_CONNECT, "epoll_ctl: %s", strerror(error));
	else
		client_on_answer(conn, STEP_CM_CONNECT);
}

static void sockets_read_events(struct engine *engine)
{
	struct epoll_event events[EVENTS_AT_ONCE];
	const int count = epoll_wait(sockets_of(engine)->epoll, events, EVENTS_AT_ONCE, 0 /* it is ready */);
	bool accepts = false;

	for (int i = 0; i < count; i++) {
		struct timed_conn *conn = events[i].data.ptr;

		if (!conn)
			accepts = true;
		else if ((uintptr_t)conn & IS_PENDING)
			on_pending(engine, (void *)((char *)conn - IS_PENDING));
		else if (engine->params->listen)
			conn->engine->side->on_disconnected(conn);
		else
			on_client_socket(conn);
	}
	if (accepts) /* last: it may close pending connections that have an event here */
		accept_some(engine);
}

static int sockets_create_id(struct timed_conn *conn)
{
	const int on = 1;

	conn->fd = socket(conn->engine->local.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (conn->fd < 0)
		return -errno;
	/* The port is chosen when the destination is known, so it can be shared by connections to different ones. */
	(void)setsockopt(conn->fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on));
	return 0;
}

static int sockets_bind_addr(struct timed_conn *conn)
{
	const struct sockaddr_storage *local = &conn->engine->local;

	return bind(conn->fd, (const struct sockaddr *)local, address_length((const struct sockaddr *)local)) ? -errno
													      : 0;
}

static int sockets_connect(struct timed_conn *conn)
{
	if (connect(conn->fd, (const struct sockaddr *)conn->remote,
		    address_length((const struct sockaddr *)conn->remote)) &&
	    errno != EINPROGRESS)
		return -errno;
	/* The last access to conn: if the socket is connected already, its event follows at once. */
	return epoll_change(sockets_of(conn->engine), EPOLL_CTL_ADD, conn->fd, EPOLLOUT, conn);
}

static int sockets_introduce(struct timed_conn *conn)
{
	const ssize_t sent = send(conn->fd, conn->engine->token, FRAME_TOKEN_SIZE, MSG_NOSIGNAL);

	/* A new socket has room for these few bytes. */
	return sent == FRAME_TOKEN_SIZE ? 0 : sent < 0 ? -errno : -EIO;
}

static int sockets_disconnect(struct timed_conn *conn)
{
	/* A socket that the peer has already closed is not connected any more. */
	return shutdown(conn->fd, SHUT_WR) && errno != ENOTCONN ? -errno : 0;
}

static void sockets_destroy_id(struct timed_conn *conn)
{
	if (conn->fd >= 0)
		close(conn->fd);
	conn->fd = -1;
}

static const char *sockets_hint(int error)
{
	switch (error) {
	case EMFILE:
	case ENFILE:
		return "-c exceeds the number of files that this process may open; see \"ulimit -n\"";
	case EADDRNOTAVAIL:
	case EADDRINUSE:
		return "all local ports are in use or in TIME_WAIT (net.ipv4.ip_local_port_range)";
	default:
		return NULL;
	}
}

const struct conn_ops transport_sockets = {
	.open = sockets_open,
	.listen = sockets_listen,
	.close = sockets_close,
	.event_fd = sockets_event_fd,
	.read_events = sockets_read_events,
	.calls =
		{
			[STEP_CREATE_ID] = sockets_create_id,
			[STEP_BIND_ADDR] = sockets_bind_addr,
			[STEP_CM_CONNECT] = sockets_connect,
			[STEP_DISCONNECT] = sockets_disconnect,
		},
	.introduce = sockets_introduce,
	.destroy_id = sockets_destroy_id,
	.hint = sockets_hint,
};
