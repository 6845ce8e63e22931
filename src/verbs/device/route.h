/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The source address and interface of packets to the peer, by the kernel's IP routing. device.c queries it once the
 * side channel is connected; gid.c scores GIDs by it. Addresses have the form of GIDs, IPv4 as ::ffff:a.b.c.d.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>

#include "util/endpoint.h"

#define ROUTE_MAX_NETS 128 /* of this host */

struct route_net {
	union ibv_gid address;
	unsigned prefix; /* length in bits, of 128 */
};

struct route {
	bool known; /* false: the rest is zero; the side channel is on loopback, or does not use IP */
	bool ipv6;
	union ibv_gid peer;
	union ibv_gid local;  /* local address of the side channel */
	union ibv_gid source; /* source address of unbound packets to the peer; zero: no route */
	unsigned ifindex;     /* interface of source, or else of local; 0: unknown */
	struct route_net nets[ROUTE_MAX_NETS];
	unsigned num_nets;
};

/* An IP address as a GID. False: its family has none, and the GID is zero. */
bool gid_of_address(const struct sockaddr *address, union ibv_gid *gid);
/* ... and back. ifindex: of a link-local one. Returns the length of the address. */
socklen_t gid_to_address(const union ibv_gid *gid, unsigned ifindex, uint16_t port, struct sockaddr_storage *address);
/* The interface of a link-local address, which those of a card's VLANs have all alike; 0: another address. */
unsigned route_scope(const struct sockaddr_storage *address);
/* met NULL: no peer is connected yet. Never fails: what cannot be found out stays unknown. */
void route_find(struct route *route, const struct addresses *met);
/* Is the peer's address in the subnet of this local address? */
bool route_in_subnet(const struct route *route, const union ibv_gid *address);
/*
 * Does the kernel have a route from one address to another? 0: yes; -ENETUNREACH and the like: no; -EADDRNOTAVAIL:
 * unknown, because `from` is not an address of this host. ifindex: for link-local addresses.
 */
int route_check(const union ibv_gid *from, const union ibv_gid *to, unsigned ifindex);
