// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The data connection of a socket test. See socket.h. Only uses plain libc calls, because libraries that replace
 * sockets may be preloaded.
 */
#define _GNU_SOURCE 1 /* POLLRDHUP */
#include "qperf/sockets/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/address.h"
#include "net/tcp.h"
#include "qperf/options/options.h"
#include "util/log.h"
#include "util/wait.h"

#ifndef AF_RDS
#define AF_RDS 21
#endif
#define AF_SDP		27	   /* only in OFED, never in kernels from kernel.org */
#define MAX_BUFFER	(4U << 20) /* longer messages of a stream are transferred in pieces */
#define LISTEN_PAUSE_MS 10	   /* between attempts to connect to a peer that is about to listen */

const struct protocol_row protocol_rows[NUM_PROTOCOLS] = {
	[PROTOCOL_TCP] = {"TCP", 0, SOCK_STREAM, IPPROTO_TCP, true, true},
	[PROTOCOL_UDP] = {"UDP", 0, SOCK_DGRAM, IPPROTO_UDP, false, false},
	[PROTOCOL_SCTP] = {"SCTP", 0, SOCK_STREAM, IPPROTO_SCTP, true, false},
	[PROTOCOL_SDP] = {"SDP", AF_SDP, SOCK_STREAM, 0, true, false},
	[PROTOCOL_RDS] = {"RDS", AF_RDS, SOCK_SEQPACKET, 0, false, false},
};

static void close_sockets(struct link *link)
{
	if (link->fd >= 0)
		close(link->fd);
	if (link->listener >= 0)
		close(link->listener);
	link->fd = link->listener = -1;
}

/* --- sockets --- */

static int set_buffer(int fd, int option, const char *name, uint64_t size)
{
	const int value = (int)size;

	if (!size || !setsockopt(fd, SOL_SOCKET, option, &value, sizeof(value)))
		return 0;
	return log_fail(-errno, "cannot set the %s buffer to %d bytes: %s", name, value, strerror(errno));
}

/* Returns the descriptor, or -errno, reported. family: used if the protocol has none of its own. */
static int new_socket(const struct protocol_row *protocol, int family)
{
	const int fd =
		socket(protocol->family ? protocol->family : family, protocol->type | SOCK_CLOEXEC, protocol->number);
	const int err = errno;

	if (fd >= 0)
		return fd;
	if (err == EAFNOSUPPORT || err == EPROTONOSUPPORT || err == ESOCKTNOSUPPORT)
		log_error("unable to make %s socket: this kernel has no %s", protocol->name, protocol->name);
	else
		log_error("unable to make %s socket: %s", protocol->name, strerror(err));
	return -err;
}

int socket_look_for(const struct test_row *test)
{
	const struct protocol_row *protocol = test->group == GROUP_SOCKET ? &protocol_rows[test->kind] : NULL;
	int fd;

	/* For other protocols it depends on the server's address. */
	if (!protocol || !protocol->family)
		return 0;
	fd = new_socket(protocol, protocol->family);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int socket_make(const struct qperf_session *session, int *made)
{
	struct link *link = session->own;
	const struct qperf_side *side = &session->side;
	const int family = link->protocol->family ? link->protocol->family : session->control->local.ss_family;
	const int fd = new_socket(link->protocol, family), one = 1;
	int ret;

	if (fd < 0)
		return fd;
	*made = fd;
	if (link->protocol->is_stream)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &(int){0}, sizeof(int));
	ret = set_buffer(fd, SO_SNDBUF, "send", side->number[PARAM_SOCK_BUF_SIZE]);
	if (!ret)
		ret = set_buffer(fd, SO_RCVBUF, "receive", side->number[PARAM_SOCK_BUF_SIZE]);
	if (!ret && side->congestion[0] &&
	    setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, side->congestion, (socklen_t)strlen(side->congestion))) {
		ret = -errno;
		log_error("cannot use the congestion control \"%s\": %s; "
			  "/proc/sys/net/ipv4/tcp_available_congestion_control lists the available ones",
			  side->congestion, strerror(errno));
	}
	return ret;
}

/*
 * Binds to the local address of the control connection: the peer would not accept datagrams from another address of
 * this host. port 0: any. Returns the port in *bound.
 */
static int bind_socket(const struct qperf_session *session, int fd, uint32_t port, uint32_t *bound)
{
	const struct link *link = session->own;
	struct sockaddr_storage address = session->control->local;
	socklen_t size = sizeof(address);

	if (link->protocol->family == AF_RDS)
		address_unmap(&address);
	address_set_port((struct sockaddr *)&address, (uint16_t)port);
	if (bind(fd, (struct sockaddr *)&address, address_length((struct sockaddr *)&address)) ||
	    getsockname(fd, (struct sockaddr *)&address, &size))
		return log_fail(-errno, "cannot bind the %s socket to port %u: %s", link->protocol->name, port,
				strerror(errno));
	*bound = address_port((struct sockaddr *)&address);
	return 0;
}

static struct deadline limit_of(const struct qperf_session *session)
{
	return deadline_in_ms(session->control->channel.timeout_ms);
}

/* With a timeout; the test then uses the socket without one. 0 or -errno, not reported. */
static int try_connect(int fd, const struct sockaddr_storage *address, struct deadline deadline)
{
	const struct sockaddr *to = (const struct sockaddr *)address;
	const int flags = fcntl(fd, F_GETFL);
	int ret;

	fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	ret = socket_connect(fd, to, address_length(to), deadline, NULL /* no retries: the server is listening */);
	fcntl(fd, F_SETFL, flags);
	return ret;
}

static void report_connect(const struct qperf_session *session, uint32_t port, int ret)
{
	const struct link *link = session->own;

	if (ret == -ETIMEDOUT)
		log_error(
			"the server does not answer on %s port %u within %.1f s (--timeout): does a firewall block it? "
			"-ip chooses another",
			link->protocol->name, port, (double)session->control->channel.timeout_ms / 1e3);
	else if (ret && ret != -EINTR)
		log_error("cannot connect the data connection (%s port %u): %s", link->protocol->name, port,
			  strerror(-ret));
}

static int connect_socket(const struct qperf_session *session, int fd, uint32_t port)
{
	struct link *link = session->own;
	int ret;

	link->peer = session->control->peer;
	if (link->protocol->family == AF_RDS)
		address_unmap(&link->peer);
	address_set_port((struct sockaddr *)&link->peer, (uint16_t)port);
	ret = try_connect(fd, &link->peer, limit_of(session));
	report_connect(session, port, ret);
	return ret;
}

/* Accepts the peer's connection, which must come from the host that asked for the test; others are closed. */
static int accept_peer(const struct qperf_session *session)
{
	struct link *link = session->own;
	const struct deadline deadline = limit_of(session);

	for (;;) {
		struct pollfd fds[] = {{.fd = link->listener, .events = POLLIN},
				       {.fd = channel_fd(&session->control->channel), .events = POLLRDHUP}};
		struct sockaddr_storage from;
		socklen_t size = sizeof(from);
		int fd, ret = wait_fds(fds, 2, deadline);

		if (!ret && fds[1].revents)
			ret = -ECONNRESET;
		if (ret) {
			if (ret != -EINTR)
				log_error("the data connection was not established: %s", strerror(-ret));
			return ret;
		}
		fd = accept(link->listener, (struct sockaddr *)&from, &size);
		if (fd < 0)
			continue; /* closed already */
		if (!session->control->dialect->has_one_address || link->protocol->family ||
		    control_is_of_peer(session->control, &from)) {
			link->fd = fd;
			return 0;
		}
		close(fd);
	}
}

/* --- RDS with a qperf 0.4.11 --- */

/*
 * 0.4.11 binds its RDS socket to the address at which the other side reaches it, which both send. The TCP connection
 * for that only serves to find out these addresses; here they are those of the control connection.
 */
static int send_addresses(struct qperf_session *session)
{
	char text[RDS_ADDRESS_SIZE] = "";
	int ret;

	address_host_text(&session->control->peer, text);
	ret = control_send(session->control, text, sizeof(text), "address of the other side");
	return ret ? ret : control_receive(session->control, text, sizeof(text), "address of this side");
}

static int make_tcp(struct sockaddr_storage *address, uint32_t port)
{
	address_set_port((struct sockaddr *)address, (uint16_t)port);
	return socket(address->ss_family, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);
}

static int meet_classic_client(struct qperf_session *session)
{
	struct link *link = session->own;
	struct sockaddr_storage address = {.ss_family = AF_INET};
	socklen_t size = sizeof(address);
	uint32_t port;
	int ret = 0;

	link->listener = make_tcp(&address, 0);
	if (link->listener < 0 ||
	    bind(link->listener, (struct sockaddr *)&address, address_length((struct sockaddr *)&address)) ||
	    listen(link->listener, 1) || getsockname(link->listener, (struct sockaddr *)&address, &size)) {
		ret = -errno;
		log_error("cannot listen for the client of an RDS test: %s", strerror(errno));
	}
	port = address_port((struct sockaddr *)&address);
	if (!ret)
		ret = control_send_frame(session->control, FRAME_READY, &port);
	if (!ret)
		ret = accept_peer(session);
	return ret ? ret : send_addresses(session);
}

static int meet_classic_server(struct qperf_session *session)
{
	struct link *link = session->own;
	const struct deadline deadline = limit_of(session);
	struct sockaddr_storage address = session->control->peer;
	uint32_t port;
	int ret = control_receive_frame(session->control, FRAME_READY, &port);

	if (ret)
		return ret;
	/* That version sends the port before it listens on it. */
	do {
		close_sockets(link);
		link->fd = make_tcp(&address, port);
		if (link->fd < 0) {
			ret = -errno;
			return log_fail(ret, "cannot create a socket for an RDS test: %s", strerror(errno));
		}
		ret = try_connect(link->fd, &address, deadline);
	} while (ret == -ECONNREFUSED && !deadline_passed(deadline) &&
		 wait_fds(NULL, 0, deadline_in_ms(LISTEN_PAUSE_MS)) == -ETIMEDOUT);
	report_connect(session, port, ret);
	return ret ? ret : send_addresses(session);
}

static int open_classic_rds(struct qperf_session *session)
{
	struct link *link = session->own;
	uint32_t port, own_port;
	int ret = session->client ? meet_classic_server(session) : meet_classic_client(session);

	close_sockets(link);
	if (!ret)
		ret = socket_make(session, &link->fd);
	if (!ret)
		ret = bind_socket(session, link->fd, session->client ? 0 : (uint32_t)session->side.number[PARAM_PORT],
				  &own_port);
	if (!ret)
		ret = control_send_frame(session->control, FRAME_READY, &own_port);
	if (!ret)
		ret = control_receive_frame(session->control, FRAME_READY, &port);
	if (!ret)
		ret = connect_socket(session, link->fd, port);
	link->connected = !ret;
	return ret;
}

/* --- both ends --- */

static int open_server(struct qperf_session *session)
{
	struct link *link = session->own;
	int *fd = link->protocol->is_stream ? &link->listener : &link->fd;
	uint32_t port, peer_port;
	int ret = socket_make(session, fd);

	if (!ret)
		ret = bind_socket(session, *fd, (uint32_t)session->side.number[PARAM_PORT], &port);
	if (!ret && link->protocol->is_stream && listen(link->listener, 5)) {
		ret = -errno;
		log_error("cannot listen on %s port %u: %s", link->protocol->name, port, strerror(errno));
	}
	if (!ret)
		ret = control_send_frame(session->control, FRAME_READY, &port);
	if (ret)
		return ret;
	if (link->protocol->is_stream)
		return accept_peer(session);
	if (!session->control->dialect->has_one_address)
		return 0; /* the first datagram has the peer's address */
	ret = control_receive_frame(session->control, FRAME_READY, &peer_port);
	/* NAT may change the port of the peer's datagrams: then the first datagram counts, too. */
	if (!ret && (session->sends || link->protocol->family)) {
		ret = connect_socket(session, link->fd, peer_port);
		link->connected = !ret;
	}
	return ret;
}

static int open_client(struct qperf_session *session)
{
	struct link *link = session->own;
	uint32_t port, own_port;
	int ret = control_receive_frame(session->control, FRAME_READY, &port);

	if (!ret)
		ret = socket_make(session, &link->fd);
	if (!ret && !link->protocol->is_stream)
		ret = bind_socket(session, link->fd, 0, &own_port);
	if (!ret)
		ret = connect_socket(session, link->fd, port);
	link->connected = !ret;
	if (!ret && session->control->dialect->has_one_address && !link->protocol->is_stream)
		ret = control_send_frame(session->control, FRAME_READY, &own_port);
	return ret;
}

int socket_link_open(struct qperf_session *session)
{
	static struct link only; /* a process runs one test at a time */
	struct link *link = &only;

	*link = (struct link){
		.protocol = &protocol_rows[session->test->kind],
		.fd = -1,
		.listener = -1,
		.size = session->side.number[PARAM_MSG_SIZE],
		.spins = session->side.number[PARAM_SPIN] != 0,
		.access = session->side.number[PARAM_ACCESS_RECV] != 0,
	};
	session->own = link;
	session->account.spins = link->spins;
	link->capacity = link->protocol->is_stream && link->size > MAX_BUFFER ? MAX_BUFFER : (size_t)link->size;
	link->buffer = mmap(NULL, link->capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (link->buffer == MAP_FAILED) {
		link->buffer = NULL;
		return log_fail(-ENOMEM, "no memory for a message of %zu bytes", link->capacity);
	}
	memset(link->buffer, 0x5a, link->capacity); /* allocates pages, instead of the shared zero page */
	if (link->protocol->family == AF_RDS && !session->control->dialect->has_one_address)
		return open_classic_rds(session);
	return session->client ? open_client(session) : open_server(session);
}

void socket_link_close(struct qperf_session *session)
{
	struct link *link = session->own;

	if (!link)
		return;
	close_sockets(link);
	if (link->buffer)
		munmap(link->buffer, link->capacity);
	session->own = NULL;
}

/* --- other --- */

/* Stores TCP's information about the connection in the account. */
static void link_ask_tcp(struct qperf_session *session)
{
	const struct link *link = session->own;
	struct account *account = &session->account;
	struct tcp_info info;
	socklen_t size = sizeof(info), name_size = sizeof(account->congestion) - 1;

	memset(&info, 0, sizeof(info));
	if (!link->protocol->has_tcp_info || getsockopt(link->fd, IPPROTO_TCP, TCP_INFO, &info, &size))
		return;
	if (getsockopt(link->fd, IPPROTO_TCP, TCP_CONGESTION, account->congestion, &name_size))
		account->congestion[0] = '\0';
	session->data_fd = link->fd;
	account->retransmits = info.tcpi_total_retrans;
	account->rtt_s = info.tcpi_rtt / 1e6;
	account->cwnd = info.tcpi_snd_cwnd;
}

/* --- the tests --- */

static int open_bandwidth(struct qperf_session *session)
{
	const int ret = socket_link_open(session);

	if (!ret && session->client)
		socket_find_path(session);
	return ret;
}

static int run_bandwidth(struct qperf_session *session)
{
	const struct link *link = session->own;
	static int (*const senders[NUM_SEND_MODES])(struct qperf_session *) = {
		[SEND_BATCH] = modes_send_batch,
		[SEND_SEGMENT] = modes_send_segments,
		[SEND_ZEROCOPY] = modes_send_zerocopy,
		[SEND_FILE] = modes_send_file,
	};
	static int (*const receivers[NUM_RECEIVE_MODES])(struct qperf_session *) = {
		[RECEIVE_BATCH] = modes_receive_batch,
		[RECEIVE_COALESCE] = modes_receive_coalesced,
		[RECEIVE_TRUNC] = stream_receive,
	};
	int (*body)(struct qperf_session *) = session->sends ? senders[session->side.number[PARAM_SEND]]
							     : receivers[session->side.number[PARAM_RECEIVE]];
	int ret;

	if (!body && session->sends)
		body = link->protocol->is_stream ? stream_send : datagram_send;
	else if (!body)
		body = link->protocol->is_stream ? stream_receive : datagram_receive;
	ret = body(session);
	link_ask_tcp(session);
	if (session->control->dialect->announces_done && session->sends && link->protocol->is_stream)
		shutdown(link->fd, SHUT_WR);
	return ret;
}

static int run_latency(struct qperf_session *session)
{
	const struct link *link = session->own;
	const int ret = link->protocol->is_stream ? stream_ping(session) : datagram_ping(session);

	link_ask_tcp(session);
	return ret;
}

const struct test_ops socket_bandwidth_ops = {modes_check, open_bandwidth, run_bandwidth, socket_link_close};
const struct test_ops socket_latency_ops = {modes_check, socket_link_open, run_latency, socket_link_close};
