// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How do queue pairs of iWARP meet, which only rdma_cm connects, and the kernel moves to RTS? A stand-in for the calls
 * of librdmacm that the programs make then; tests/provider/run preloads it for such devices. A port is an abstract
 * UNIX socket, a connection is one between the two processes. The descriptor of a channel is an epoll of those of its
 * ids, which are looked at when the program asks for an event: no thread is needed.
 */
#define _GNU_SOURCE 1 /* accept4() */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <rdma/rdma_cma.h>

#include "rig.h"

#define DEVICE_FILE "/dev/infiniband/rdma_cm"
#define FIRST_PORT  40000 /* of those that nobody names */

struct cm_packet {
	enum { CM_REQUEST, CM_REPLY, CM_REJECTION } kind;
	uint32_t qpn;
	uint8_t initiates, responds, private_bytes;
	uint8_t private_data[UINT8_MAX];
	struct sockaddr_storage from, to; /* of a request */
};

struct cm_id {
	struct rdma_cm_id id; /* the first member */
	enum cm_state { CM_IDLE, CM_LISTENS, CM_ARRIVES, CM_ANSWERS, CM_ASKED, CM_CONNECTED, CM_ENDED } state;
	int socket; /* -1: none */
	uint32_t qpn, peer_qpn;
	struct rdma_cm_id *listener; /* of an id that arrives */
};

struct cm_event {
	struct rdma_cm_event event; /* the first member */
	struct cm_event *next;
	uint8_t private_data[UINT8_MAX];
};

struct cm_channel {
	struct rdma_event_channel channel; /* the first member */
	int wake;			   /* an eventfd: not 0 while there are events */
	struct cm_event *first;
};

static struct cm_id *cm_id(struct rdma_cm_id *id)
{
	return (struct cm_id *)id;
}

static struct cm_channel *cm_channel(struct rdma_event_channel *channel)
{
	return (struct cm_channel *)channel;
}

static int fails_with(int err)
{
	errno = err;
	return -1;
}

int access(const char *path, int mode)
{
	return strcmp(path, DEVICE_FILE) == 0 ? 0 : (int)syscall(SYS_faccessat, AT_FDCWD, path, mode);
}

/* --- events --- */

static void append(struct cm_channel *channel, struct cm_event *event)
{
	struct cm_event **end = &channel->first;
	const uint64_t one = 1;

	while (*end)
		end = &(*end)->next;
	event->next = NULL;
	*end = event;
	(void)!write(channel->wake, &one, sizeof(one));
}

static struct rdma_cm_event *push(struct cm_id *id, enum rdma_cm_event_type type, int status,
				  const struct cm_packet *packet)
{
	struct cm_event *event = calloc(1, sizeof(*event));

	if (!event)
		abort();
	event->event = (struct rdma_cm_event){.id = &id->id, .event = type, .status = status};
	if (packet) {
		memcpy(event->private_data, packet->private_data, packet->private_bytes);
		event->event.param.conn = (struct rdma_conn_param){
			.private_data = event->private_data,
			.private_data_len = packet->private_bytes,
			.responder_resources = packet->initiates,
			.initiator_depth = packet->responds,
		};
	}
	append(cm_channel(id->id.channel), event);
	return &event->event;
}

/* The events of an id go to another channel, or with NULL away. */
static void move_events(struct cm_channel *from, const struct rdma_cm_id *id, struct cm_channel *to)
{
	struct cm_event **at = &from->first, *event;

	while ((event = *at)) {
		if (event->event.id != id) {
			at = &event->next;
			continue;
		}
		*at = event->next;
		if (to)
			append(to, event);
		else
			free(event);
	}
}

static int watch(struct cm_id *id, int operation)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = id};

	return id->socket < 0 || id->state == CM_ENDED ? 0
						       : epoll_ctl(id->id.channel->fd, operation, id->socket, &event);
}

struct rdma_event_channel *rdma_create_event_channel(void)
{
	struct cm_channel *channel = calloc(1, sizeof(*channel));
	struct epoll_event event = {.events = EPOLLIN};

	if (!channel)
		return NULL;
	channel->channel.fd = epoll_create1(EPOLL_CLOEXEC);
	channel->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (epoll_ctl(channel->channel.fd, EPOLL_CTL_ADD, channel->wake, &event) == 0)
		return &channel->channel;
	free(channel);
	return NULL;
}

void rdma_destroy_event_channel(struct rdma_event_channel *channel)
{
	close(cm_channel(channel)->wake);
	close(channel->fd);
	free(channel);
}

/* --- ids --- */

/* As librdmacm, with a context of its own. */
static bool take_device(struct rdma_cm_id *id)
{
	static struct ibv_context *context;
	static struct ibv_pd *pd;

	if (!context) {
		struct ibv_device **list = ibv_get_device_list(NULL);

		context = list && list[0] ? ibv_open_device(list[0]) : NULL;
		pd = context ? ibv_alloc_pd(context) : NULL;
		if (list)
			ibv_free_device_list(list);
	}
	id->verbs = context;
	id->pd = pd;
	id->port_num = 1;
	return pd;
}

int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context, enum rdma_port_space ps)
{
	struct cm_id *created = channel ? calloc(1, sizeof(*created)) : NULL;

	if (!created)
		return fails_with(channel ? ENOMEM : EINVAL);
	created->id.channel = channel;
	created->id.context = context;
	created->id.ps = ps;
	created->id.qp_type = IBV_QPT_RC;
	created->socket = -1;
	*id = &created->id;
	return 0;
}

int rdma_destroy_id(struct rdma_cm_id *id)
{
	move_events(cm_channel(id->channel), id, NULL);
	if (cm_id(id)->socket >= 0)
		close(cm_id(id)->socket); // which the epoll forgets
	free(id);
	return 0;
}

int rdma_migrate_id(struct rdma_cm_id *id, struct rdma_event_channel *channel)
{
	watch(cm_id(id), EPOLL_CTL_DEL);
	move_events(cm_channel(id->channel), id, cm_channel(channel));
	id->channel = channel;
	return watch(cm_id(id), EPOLL_CTL_ADD);
}

int rdma_set_option(struct rdma_cm_id *id, int level, int option, void *value, size_t bytes)
{
	(void)id;
	(void)level;
	(void)option;
	(void)value;
	(void)bytes;
	return 0;
}

/* --- addresses --- */

static in_port_t *port_of(struct sockaddr_storage *address)
{
	return address->ss_family == AF_INET6 ? &((struct sockaddr_in6 *)address)->sin6_port
					      : &((struct sockaddr_in *)address)->sin_port;
}

static void copy_address(struct sockaddr_storage *to, const struct sockaddr *from)
{
	memcpy(to, from, from->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in));
}

static socklen_t socket_name(struct sockaddr_un *name, struct sockaddr_storage *address)
{
	return rig_socket_name(name, address->ss_family == AF_INET6 ? "cm6" : "cm4", ntohs(*port_of(address)));
}

static bool is_any(const struct sockaddr_storage *address)
{
	return address->ss_family == AF_INET6
		       ? IN6_IS_ADDR_UNSPECIFIED(&((const struct sockaddr_in6 *)address)->sin6_addr)
		       : ((const struct sockaddr_in *)address)->sin_addr.s_addr == INADDR_ANY;
}

int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *address)
{
	struct sockaddr_storage *own = &id->route.addr.src_storage;
	const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	unsigned port = FIRST_PORT;
	struct sockaddr_un name;
	bool names_none;
	int err;

	copy_address(own, address);
	names_none = !*port_of(own);
	do {
		if (names_none)
			*port_of(own) = htons((uint16_t)port++);
		err = bind(fd, (struct sockaddr *)&name, socket_name(&name, own)) ? errno : 0;
	} while (names_none && err == EADDRINUSE && port <= UINT16_MAX);
	if (!err && !is_any(own) && !take_device(id))
		err = ENODEV;
	if (err) {
		close(fd);
		return fails_with(err);
	}
	cm_id(id)->socket = fd;
	return 0;
}

int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *from, struct sockaddr *to, int timeout_ms)
{
	(void)timeout_ms;
	copy_address(&id->route.addr.dst_storage, to);
	copy_address(&id->route.addr.src_storage, from ? from : to); // of the same host
	if (!take_device(id))
		return fails_with(ENODEV);
	push(cm_id(id), RDMA_CM_EVENT_ADDR_RESOLVED, 0, NULL);
	return 0;
}

int rdma_resolve_route(struct rdma_cm_id *id, int timeout_ms)
{
	(void)timeout_ms;
	push(cm_id(id), RDMA_CM_EVENT_ROUTE_RESOLVED, 0, NULL);
	return 0;
}

/* --- queue pairs --- */

/* Only for INIT: the kernel moves them to RTR and RTS itself. */
int rdma_init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *attr, int *mask)
{
	(void)id;
	*mask = attr->qp_state == IBV_QPS_INIT ? IBV_QP_STATE | IBV_QP_ACCESS_FLAGS : 0;
	attr->qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
	return 0;
}

int rdma_create_qp(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp_attr init = {.qp_state = IBV_QPS_INIT};
	int mask, err;

	id->qp = ibv_create_qp(pd ? pd : id->pd, attr);
	if (!id->qp)
		return -1;
	rdma_init_qp_attr(id, &init, &mask);
	err = ibv_modify_qp(id->qp, &init, mask);
	return err ? fails_with(err) : 0;
}

void rdma_destroy_qp(struct rdma_cm_id *id)
{
	ibv_destroy_qp(id->qp);
	id->qp = NULL;
}

int rdma_get_remote_ece(struct rdma_cm_id *id, struct ibv_ece *ece)
{
	(void)id;
	*ece = (struct ibv_ece){.vendor_id = 0}; // there is none
	return 0;
}

/* --- connections --- */

static bool transmit(const struct cm_id *id, const struct cm_packet *packet)
{
	return send(id->socket, packet, sizeof(*packet), MSG_NOSIGNAL) == sizeof(*packet);
}

static struct cm_packet fill(struct cm_id *id, const struct rdma_conn_param *param)
{
	struct cm_packet packet = {
		.qpn = id->id.qp ? id->id.qp->qp_num : param->qp_num,
		.initiates = param->initiator_depth,
		.responds = param->responder_resources,
		.private_bytes = param->private_data ? param->private_data_len : 0,
		.from = id->id.route.addr.src_storage,
		.to = id->id.route.addr.dst_storage,
	};

	if (packet.private_bytes)
		memcpy(packet.private_data, param->private_data, packet.private_bytes);
	id->qpn = packet.qpn;
	return packet;
}

int rdma_listen(struct rdma_cm_id *id, int backlog)
{
	cm_id(id)->state = CM_LISTENS;
	return listen(cm_id(id)->socket, backlog) || watch(cm_id(id), EPOLL_CTL_ADD) ? -1 : 0;
}

int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
	struct cm_id *own = cm_id(id);
	struct cm_packet packet = fill(own, param);
	struct sockaddr_un name;
	const socklen_t length = socket_name(&name, &packet.to);

	own->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	own->state = CM_ASKED;
	if (connect(own->socket, (struct sockaddr *)&name, length) || !transmit(own, &packet))
		push(own, RDMA_CM_EVENT_REJECTED, -ECONNREFUSED, NULL);
	else
		watch(own, EPOLL_CTL_ADD);
	return 0;
}

int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
	struct cm_id *own = cm_id(id);
	struct cm_packet packet = fill(own, param);

	packet.kind = CM_REPLY;
	rig_connect(own->qpn, own->peer_qpn); // before the other side can send
	if (!transmit(own, &packet))
		return fails_with(ECONNRESET);
	own->state = CM_CONNECTED;
	push(own, RDMA_CM_EVENT_ESTABLISHED, 0, NULL);
	return 0;
}

int rdma_reject(struct rdma_cm_id *id, const void *private_data, uint8_t bytes)
{
	const struct cm_packet packet = {.kind = CM_REJECTION};

	(void)private_data;
	(void)bytes;
	return transmit(cm_id(id), &packet) ? 0 : -1;
}

/* Both sides get an event. */
int rdma_disconnect(struct rdma_cm_id *id)
{
	return cm_id(id)->state == CM_CONNECTED ? shutdown(cm_id(id)->socket, SHUT_RDWR) : fails_with(EINVAL);
}

static void take_connection(struct cm_id *listener)
{
	const int fd = accept4(listener->socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct rdma_cm_id *id;

	if (fd < 0 || rdma_create_id(listener->id.channel, &id, NULL, listener->id.ps) || !take_device(id))
		return;
	cm_id(id)->socket = fd;
	cm_id(id)->state = CM_ARRIVES;
	cm_id(id)->listener = &listener->id;
	watch(cm_id(id), EPOLL_CTL_ADD);
}

static void take_packet(struct cm_id *id, const struct cm_packet *packet)
{
	id->peer_qpn = packet->qpn;
	switch (packet->kind) {
	case CM_REQUEST:
		id->state = CM_ANSWERS;
		id->id.route.addr.src_storage = packet->to;
		id->id.route.addr.dst_storage = packet->from;
		push(id, RDMA_CM_EVENT_CONNECT_REQUEST, 0, packet)->listen_id = id->listener;
		break;
	case CM_REPLY:
		id->state = CM_CONNECTED;
		rig_connect(id->qpn, id->peer_qpn);
		push(id, RDMA_CM_EVENT_ESTABLISHED, 0, packet);
		break;
	case CM_REJECTION:
		push(id, RDMA_CM_EVENT_REJECTED, -ECONNREFUSED, NULL);
		watch(id, EPOLL_CTL_DEL);
		id->state = CM_ENDED;
		break;
	}
}

static void look_at(struct cm_id *id)
{
	struct cm_packet packet;
	ssize_t bytes;

	if (id->state == CM_LISTENS) {
		take_connection(id);
		return;
	}
	bytes = recv(id->socket, &packet, sizeof(packet), 0);
	if (bytes == sizeof(packet)) {
		take_packet(id, &packet);
		return;
	}
	if (id->state == CM_CONNECTED)
		push(id, RDMA_CM_EVENT_DISCONNECTED, 0, NULL);
	else if (id->state == CM_ASKED)
		push(id, RDMA_CM_EVENT_REJECTED, -ECONNRESET, NULL);
	watch(id, EPOLL_CTL_DEL);
	id->state = CM_ENDED;
}

int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event)
{
	struct cm_channel *own = cm_channel(channel);
	struct epoll_event ready;
	uint64_t count;

	while (!own->first) {
		const int limit = fcntl(channel->fd, F_GETFL) & O_NONBLOCK ? 0 : -1;
		const int found = epoll_wait(channel->fd, &ready, 1, limit);

		if (found <= 0)
			return fails_with(found ? errno : EAGAIN);
		if (ready.data.ptr)
			look_at(ready.data.ptr);
		else
			(void)!read(own->wake, &count, sizeof(count));
	}
	*event = &own->first->event;
	own->first = own->first->next;
	if (!own->first)
		(void)!read(own->wake, &count, sizeof(count));
	return 0;
}

int rdma_ack_cm_event(struct rdma_cm_event *event)
{
	free(event);
	return 0;
}
