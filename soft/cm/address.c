// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which device does an IP address mean? The addresses in the devices' own GID tables, 192.0.2.1 and 192.0.2.2,
 * name one each. Every other address of this host (and network namespace) belongs to both: a connection from
 * such a one begins at soft0, and one to it ends at the device where it began. No other host is reachable.
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "abi/abi.h"
#include "cm/cm.h"
#include "cm/link.h"
#include "host/core.h"

#define GID_INDEX_LINK_LOCAL 0 /* device.c's table */
#define GID_INDEX_IPV4	     1
#define HOP_LIMIT	     64
#define PATH_EXACTLY	     2	/* selector of mtu, rate and life time: IBTA 15.2.5.16 */
#define PATH_RATE	     18 /* enum ibv_rate: 200 Gb/s, the fastest that the one byte's older readers know */
#define PATH_LIFE_TIME	     16 /* 4.096 us * 2^16 */

size_t cm_address_size(const union cm_address *address)
{
	switch (address->any.sa_family) {
	case AF_INET:
		return sizeof(address->in);
	case AF_INET6:
		return sizeof(address->in6);
	default:
		return 0;
	}
}

bool cm_address_is_any(const union cm_address *address)
{
	if (address->any.sa_family == AF_INET)
		return address->in.sin_addr.s_addr == INADDR_ANY;
	return IN6_IS_ADDR_UNSPECIFIED(&address->in6.sin6_addr);
}

bool cm_address_is_multicast(const union cm_address *address)
{
	if (address->any.sa_family == AF_INET)
		return IN_MULTICAST(ntohl(address->in.sin_addr.s_addr));
	return IN6_IS_ADDR_MULTICAST(&address->in6.sin6_addr);
}

static in_port_t *cm_address_port(union cm_address *address)
{
	return address->any.sa_family == AF_INET ? &address->in.sin_port : &address->in6.sin6_port;
}

/* The number of the device whose GID table has that address, -1: none. */
static int named_device(const union cm_address *address)
{
	union ibv_gid gid = {0};

	if (address->any.sa_family == AF_INET) {
		gid.raw[10] = gid.raw[11] = 0xff;
		memcpy(gid.raw + 12, &address->in.sin_addr, sizeof(address->in.sin_addr));
	} else {
		memcpy(gid.raw, &address->in6.sin6_addr, sizeof(gid.raw));
	}
	for (int device = 0; device < SOFT_DEVICE_COUNT; device++) {
		struct ibv_context context = {.device = &soft_devices[device].base};
		union ibv_gid theirs;

		for (int index = 0; soft_query_gid(&context, SOFT_PORT, index, &theirs) == 0; index++) {
			if (memcmp(&gid, &theirs, sizeof(gid)) == 0)
				return device;
		}
	}
	return -1;
}

int cm_device_of(const union cm_address *address, int otherwise)
{
	int device = named_device(address);

	return device < 0 ? otherwise : device;
}

/* The kernel lets a socket be bound to what is an address of this host, and to nothing else. */
static bool is_of_this_host(const union cm_address *address)
{
	union cm_address copy = *address;
	bool is_ours;
	int fd;

	if (named_device(address) >= 0)
		return true;
	fd = socket(address->any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	*cm_address_port(&copy) = 0;
	is_ours = bind(fd, &copy.any, (socklen_t)cm_address_size(&copy)) == 0;
	close(fd);
	return is_ours;
}

/* The ABI has both families in a structure of IPv6's size. */
int cm_address_read(const struct sockaddr_in6 *from, union cm_address *address)
{
	memset(address, 0, sizeof(*address));
	if (from->sin6_family == AF_INET)
		memcpy(&address->in, from, sizeof(address->in));
	else if (from->sin6_family == AF_INET6)
		address->in6 = *from;
	else
		return -EINVAL;
	return 0;
}

int cm_bind(struct cm_id *id, const struct sockaddr_in6 *given)
{
	union cm_address address;
	int err;

	if (id->state != CM_IDLE)
		return -EINVAL;
	err = cm_address_read(given, &address);
	if (err)
		return err;
	if (!cm_address_is_any(&address) && !is_of_this_host(&address))
		return -EADDRNOTAVAIL;
	id->source = address;
	err = cm_link_listen(id);
	if (err) {
		id->source = (union cm_address){0};
		return err;
	}
	if (!cm_address_is_any(&address))
		id->device = cm_device_of(&address, 0);
	id->state = CM_BOUND;
	return 0;
}

/* The device's own address, of the same family. */
static void address_of_device(int device, union cm_address *address)
{
	struct ibv_context context = {.device = &soft_devices[device].base};
	union ibv_gid gid;

	if (address->any.sa_family == AF_INET) {
		soft_query_gid(&context, SOFT_PORT, GID_INDEX_IPV4, &gid);
		memcpy(&address->in.sin_addr, gid.raw + 12, sizeof(address->in.sin_addr));
	} else {
		soft_query_gid(&context, SOFT_PORT, GID_INDEX_LINK_LOCAL, &gid);
		memcpy(&address->in6.sin6_addr, gid.raw, sizeof(gid.raw));
	}
}

/* What a socket connected to that address would be bound to: of this host, so the address itself, unless it is a
 * group's. */
static void source_choose(struct cm_id *id)
{
	in_port_t port = id->source.any.sa_family ? *cm_address_port(&id->source) : cm_link_some_port();

	if (id->source.any.sa_family && !cm_address_is_any(&id->source))
		return;
	id->source = id->destination;
	if (cm_address_is_multicast(&id->destination))
		address_of_device(id->device < 0 ? 0 : id->device, &id->source);
	*cm_address_port(&id->source) = port;
}

int cm_resolve_address(struct cm_id *id, const struct sockaddr_in6 *source, const struct sockaddr_in6 *destination)
{
	union cm_address to;
	char text[INET6_ADDRSTRLEN];
	int err;

	if (id->state != CM_IDLE && id->state != CM_BOUND)
		return -EINVAL;
	err = cm_address_read(destination, &to);
	if (!err && id->state == CM_IDLE && source->sin6_family != AF_UNSPEC)
		err = cm_bind(id, source);
	if (err)
		return err;
	if (!cm_address_is_multicast(&to) && !is_of_this_host(&to)) {
		inet_ntop(to.any.sa_family,
			  to.any.sa_family == AF_INET ? (const void *)&to.in.sin_addr : &to.in6.sin6_addr, text,
			  sizeof(text));
		soft_error("rdma_resolve_addr(): %s is not an address of this host, and soft0 reaches no other; "
			   "between hosts use an RDMA adapter or rdma_rxe",
			   text);
		/* No kernel's answer: it stays so, and the program need not ask again, as it may with -EHOSTUNREACH. */
		return cm_event_raise(id, CM_ADDR_ERROR, -ENONET, NULL);
	}
	id->destination = to;
	source_choose(id);
	if (id->device < 0)
		id->device = cm_device_of(&id->source, 0);
	id->peer_device = cm_device_of(&to, id->device);
	id->is_active = true;
	id->state = CM_ADDRESS;
	cm_refuse_waiting(id);
	return cm_event_raise(id, CM_ADDR_RESOLVED, 0, NULL);
}

int cm_resolve_route(struct cm_id *id)
{
	if (id->state != CM_ADDRESS)
		return -EINVAL;
	id->state = CM_ROUTE;
	return cm_event_raise(id, CM_ROUTE_RESOLVED, 0, NULL);
}

static void gid_write(int device, uint8_t raw[16])
{
	struct ibv_context context = {.device = &soft_devices[device].base};
	union ibv_gid gid;

	soft_query_gid(&context, SOFT_PORT, GID_INDEX_IPV4, &gid);
	memcpy(raw, gid.raw, sizeof(gid.raw));
}

/* The GIDs of both ends; on RoCE the kernel tells them as soon as there is a device, before there is a route. */
void cm_query_route(const struct cm_id *id, struct rdma_ucm_query_route_resp *route)
{
	struct ib_user_path_rec *path = &route->ib_route[0];

	memset(route, 0, sizeof(*route));
	memcpy(&route->src_addr, &id->source, cm_address_size(&id->source));
	memcpy(&route->dst_addr, &id->destination, cm_address_size(&id->destination));
	route->ibdev_index = UINT32_MAX;
	if (id->device < 0)
		return;
	route->node_guid = soft_get_device_guid(&soft_devices[id->device].base);
	route->port_num = SOFT_PORT;
	gid_write(id->device, path->sgid);
	gid_write(id->peer_device, path->dgid);
	path->pkey = htons(SOFT_PKEY);
	if (id->state < CM_ROUTE || id->state == CM_LISTENS)
		return;
	route->num_paths = 1;
	path->reversible = 1;
	path->hop_limit = HOP_LIMIT;
	path->mtu = CM_MTU;
	path->mtu_selector = PATH_EXACTLY;
	path->rate = PATH_RATE;
	path->rate_selector = PATH_EXACTLY;
	path->packet_life_time = PATH_LIFE_TIME;
	path->packet_life_time_selector = PATH_EXACTLY;
}

void cm_fill_path(const struct cm_id *id, struct ib_uverbs_ah_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	gid_write(id->peer_device, attr->grh.dgid);
	attr->grh.sgid_index = GID_INDEX_IPV4;
	attr->grh.hop_limit = HOP_LIMIT;
	attr->is_global = 1;
	attr->port_num = SOFT_PORT;
}
