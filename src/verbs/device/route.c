// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Queries the kernel's routing with sockets that send nothing: connecting a datagram socket only looks up the route.
 * See route.h.
 */
#include "verbs/device/route.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "verbs/device/gid_form.h"

#define ANY_PORT 9 /* the discard service; no packet is sent to it */

bool gid_of_address(const struct sockaddr *address, union ibv_gid *gid)
{
	*gid = (union ibv_gid){0};
	if (address->sa_family == AF_INET6) {
		memcpy(gid->raw, &((const struct sockaddr_in6 *)address)->sin6_addr, sizeof(gid->raw));
		return true;
	}
	if (address->sa_family != AF_INET)
		return false;
	gid->raw[10] = 0xff;
	gid->raw[11] = 0xff;
	memcpy(gid->raw + 12, &((const struct sockaddr_in *)address)->sin_addr, 4);
	return true;
}

socklen_t gid_to_address(const union ibv_gid *gid, unsigned ifindex, uint16_t port, struct sockaddr_storage *address)
{
	*address = (struct sockaddr_storage){0};
	if (gid_is_ipv4(gid)) {
		struct sockaddr_in *ipv4 = (struct sockaddr_in *)address;

		ipv4->sin_family = AF_INET;
		ipv4->sin_port = htons(port);
		memcpy(&ipv4->sin_addr, gid->raw + 12, 4);
		return sizeof(*ipv4);
	}

	struct sockaddr_in6 *ipv6 = (struct sockaddr_in6 *)address;

	ipv6->sin6_family = AF_INET6;
	ipv6->sin6_port = htons(port);
	memcpy(&ipv6->sin6_addr, gid->raw, sizeof(gid->raw));
	if (gid_is_link_local(gid))
		ipv6->sin6_scope_id = ifindex;
	return sizeof(*ipv6);
}

static bool gid_is_loopback(const union ibv_gid *gid)
{
	static const union ibv_gid ipv6_loopback = {.raw = {[15] = 1}};

	return gid_is_ipv4(gid) ? gid->raw[12] == 127 : memcmp(gid, &ipv6_loopback, sizeof(*gid)) == 0;
}

/* The source address that the kernel chooses for a packet to the peer. False: no route. */
static bool route_find_source(const struct sockaddr_storage *peer, union ibv_gid *source)
{
	struct sockaddr_storage to = *peer, from;
	socklen_t length = sizeof(from);
	int fd = socket(peer->ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool found;

	if (fd < 0)
		return false;
	if (to.ss_family == AF_INET6)
		((struct sockaddr_in6 *)&to)->sin6_port = htons(ANY_PORT);
	else
		((struct sockaddr_in *)&to)->sin_port = htons(ANY_PORT);
	found = !connect(fd, (struct sockaddr *)&to,
			 to.ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in)) &&
		!getsockname(fd, (struct sockaddr *)&from, &length) && gid_of_address((struct sockaddr *)&from, source);
	close(fd);
	return found;
}

static unsigned prefix_of(const struct sockaddr *address, const struct sockaddr *mask)
{
	const bool ipv4 = address->sa_family == AF_INET;
	const uint8_t *bytes = ipv4 ? (const uint8_t *)&((const struct sockaddr_in *)mask)->sin_addr
				    : (const uint8_t *)&((const struct sockaddr_in6 *)mask)->sin6_addr;
	unsigned bits = 0;

	while (bits < (ipv4 ? 32 : 128) && bytes[bits / 8] & (0x80 >> bits % 8))
		bits++;
	return ipv4 ? 96 + bits : bits;
}

/* All addresses of the host, and the interface of the one that packets start from. */
static void read_nets(struct route *route)
{
	const union ibv_gid *start = gid_is_zero(&route->source) ? &route->local : &route->source;
	struct ifaddrs *list;

	if (getifaddrs(&list))
		return;
	for (const struct ifaddrs *at = list; at && route->num_nets < ROUTE_MAX_NETS; at = at->ifa_next) {
		struct route_net *net = &route->nets[route->num_nets];

		if (!at->ifa_addr || !at->ifa_netmask || !gid_of_address(at->ifa_addr, &net->address))
			continue;
		net->prefix = prefix_of(at->ifa_addr, at->ifa_netmask);
		route->num_nets++;
		if (memcmp(&net->address, start, sizeof(*start)) == 0 && !route->ifindex)
			route->ifindex = if_nametoindex(at->ifa_name);
	}
	freeifaddrs(list);
}

unsigned route_scope(const struct sockaddr_storage *address)
{
	const struct sockaddr_in6 *ipv6 = (const struct sockaddr_in6 *)address;

	return address->ss_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&ipv6->sin6_addr) ? ipv6->sin6_scope_id : 0;
}

void route_find(struct route *route, const struct addresses *met)
{
	*route = (struct route){0};
	if (!met || !gid_of_address((const struct sockaddr *)&met->peer, &route->peer) ||
	    !gid_of_address((const struct sockaddr *)&met->local, &route->local) || gid_is_loopback(&route->peer)) {
		*route = (struct route){0};
		return;
	}
	route->known = true;
	route->ipv6 = !gid_is_ipv4(&route->peer);
	route->ifindex = route_scope(&met->local);
	if (!route_find_source(&met->peer, &route->source))
		route->source = (union ibv_gid){0};
	read_nets(route);
}

bool route_in_subnet(const struct route *route, const union ibv_gid *address)
{
	for (unsigned i = 0; i < route->num_nets; i++) {
		const struct route_net *net = &route->nets[i];
		unsigned bit = 0;

		if (memcmp(&net->address, address, sizeof(*address)) != 0)
			continue;
		while (bit < net->prefix && !((address->raw[bit / 8] ^ route->peer.raw[bit / 8]) & (0x80 >> bit % 8)))
			bit++;
		return bit == net->prefix;
	}
	return false;
}

int route_check(const union ibv_gid *from, const union ibv_gid *to, unsigned ifindex)
{
	struct sockaddr_storage local, remote;
	const socklen_t local_length = gid_to_address(from, ifindex, 0, &local);
	const socklen_t remote_length = gid_to_address(to, ifindex, ANY_PORT, &remote);
	int fd = socket(local.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int ret = 0;

	if (fd < 0)
		return -EADDRNOTAVAIL;
	if (bind(fd, (struct sockaddr *)&local, local_length))
		ret = -EADDRNOTAVAIL;
	else if (connect(fd, (struct sockaddr *)&remote, remote_length))
		ret = -errno;
	close(fd);
	return ret;
}
