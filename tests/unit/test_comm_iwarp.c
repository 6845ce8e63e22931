// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How a server listens on a host with an iWARP device, whose connections use TCP. The device is simulated, and its
 * rdma_listen() does what siw's does: it binds a socket to the port.
 */
#include <rdma/rdma_cma.h>

#include "comm_rig.h"

#undef ibv_query_port

static struct ibv_device device = {.name = "iwarp0", .transport_type = IBV_TRANSPORT_IWARP};
static struct ibv_device *devices[] = {&device, NULL};
static struct rdma_event_channel channel;
static unsigned listens, open_ids;

/* An ID of the device, and the socket that it is bound to. */
struct bound_id {
	struct rdma_cm_id id; /* first: it is all that rdma_cm's users know */
	int fd;
	int only; /* its address family */
};

int access(const char *path, int mode)
{
	return strcmp(path, "/dev/infiniband/rdma_cm") == 0 ? 0 : faccessat(AT_FDCWD, path, mode, 0);
}

struct ibv_device **ibv_get_device_list(int *count)
{
	if (count)
		*count = 1;
	return devices;
}

void ibv_free_device_list(struct ibv_device **list)
{
	assert_ptr_equal(list, devices);
}

struct rdma_event_channel *rdma_create_event_channel(void)
{
	channel.fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	return &channel;
}

void rdma_destroy_event_channel(struct rdma_event_channel *of)
{
	close(of->fd);
}

int rdma_create_id(struct rdma_event_channel *of, struct rdma_cm_id **id, void *context, enum rdma_port_space space)
{
	*id = calloc(1, sizeof(struct bound_id));
	assert_non_null(*id);
	(*id)->channel = of;
	((struct bound_id *)*id)->fd = -1;
	open_ids++;
	return 0;
}

int rdma_destroy_id(struct rdma_cm_id *id)
{
	if (((struct bound_id *)id)->fd >= 0)
		close(((struct bound_id *)id)->fd);
	free(id);
	open_ids--;
	return 0;
}

int rdma_set_option(struct rdma_cm_id *id, int level, int name, void *value, size_t size)
{
	assert_true(level == RDMA_OPTION_ID && name == RDMA_OPTION_ID_AFONLY && size == sizeof(int));
	memcpy(&((struct bound_id *)id)->only, value, size);
	return 0;
}

int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *address)
{
	struct bound_id *bound = (struct bound_id *)id;

	bound->fd = socket(address->sa_family, SOCK_STREAM, 0);
	if (address->sa_family == AF_INET6)
		setsockopt(bound->fd, IPPROTO_IPV6, IPV6_V6ONLY, &bound->only, sizeof(bound->only));
	return bind(bound->fd, address,
		    address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in));
}

int rdma_listen(struct rdma_cm_id *id, int backlog)
{
	listens++;
	return listen(((struct bound_id *)id)->fd, backlog);
}

/* One that no other program has; it may be taken again at once, as nobody connects. */
static uint16_t free_port(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&address, length), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &length), 0);
	close(fd);
	return ntohs(address.sin_port);
}

static struct comm_address at_free_port(bool rdma_cm)
{
	struct comm_address address = any_port;

	address.at.port = free_port();
	address.rdma_cm = rdma_cm;
	return address;
}

/* Without -R the clients come by TCP, and rdma_cm is not in their way. */
TEST(tcp_keeps_its_port)
{
	const struct comm_address address = at_free_port(false);
	struct comm_listener listener;
	int fd;

	forget_errors();
	listens = 0;
	assert_int_equal(comm_listen(&listener, &address), 0);
	assert_int_equal(num_errors, 0);
	assert_int_equal(listens, 0);
	assert_null(listener.rdma_cm);
	fd = raw_connect(address.at.port);
	assert_true(fd >= 0);
	close(fd);
	comm_listener_close(&listener);
}

/* With it they come by rdma_cm, which has the port for itself. */
TEST(rdma_cm_has_it_where_it_is_asked_for)
{
	const struct comm_address address = at_free_port(true);
	struct comm_listener listener;

	forget_errors();
	listens = 0;
	assert_int_equal(comm_listen(&listener, &address), 0);
	assert_int_equal(num_errors, 0);
	assert_int_equal(listens, 1);
	assert_non_null(listener.rdma_cm);
	assert_int_equal(listener.tcp.num_fds, 0);
	assert_int_equal(listener.tcp.port, address.at.port);
	comm_listener_close(&listener);
	assert_int_equal(open_ids, 0);
}

/* A device that listens on the wildcard of IPv6 gets no IPv4 connection. */
TEST(each_family_has_an_id)
{
	struct comm_address address = at_free_port(true);
	struct comm_listener listener;

	forget_errors();
	address.at.bind_ip = NULL;
	listens = 0;
	assert_int_equal(comm_listen(&listener, &address), 0);
	assert_in_range(open_ids, 1, 2); /* this host may have no IPv6 */
	assert_int_equal(listens, open_ids);
	close(raw_connect(address.at.port)); /* 127.0.0.1 */
	comm_listener_close(&listener);
	assert_int_equal(open_ids, 0);
}

/* On other hosts both listen, and a port that is in use is an error. */
TEST(elsewhere_both_listen)
{
	const struct comm_address address = at_free_port(false);
	struct comm_listener listener;

	forget_errors();
	device.transport_type = IBV_TRANSPORT_IB;
	listens = 0;
	assert_int_equal(comm_listen(&listener, &address), -EADDRINUSE); /* of this device, which binds it */
	assert_reported("is in use");
	assert_int_equal(listens, 1);
	device.transport_type = IBV_TRANSPORT_IWARP;
}

TEST_MAIN(NULL, NULL)
