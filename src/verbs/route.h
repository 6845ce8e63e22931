/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where do packets to the peer start? Asked of the kernel's IP routing by device.c, once both ends
 * have met; gid.c scores GIDs by it. Addresses are in the form of GIDs, IPv4 as ::ffff:a.b.c.d.
 */
#ifndef VERBS_ROUTE_H
#define VERBS_ROUTE_H

#include <infiniband/verbs.h>
#include <stdbool.h>

#include "util/addresses.h"

#define ROUTE_MAX_NETS 128 /* addresses of this host that are looked at */

struct route_net {
	union ibv_gid address;
	unsigned prefix; /* bits of the 128 */
};

struct route {
	bool known; /* false: the rest is zero; both ends met on one host's loopback, or not by IP */
	bool ipv6;
	union ibv_gid peer;
	union ibv_gid local;  /* where the side channel starts */
	union ibv_gid source; /* where any packet to the peer starts that is bound to no address; zero: no route */
	unsigned ifindex;     /* the interface that has source, else that of local; 0: not known */
	struct route_net nets[ROUTE_MAX_NETS];
	unsigned num_nets;
};

/* met NULL: no peer is connected yet. Never fails: what can't be found out stays unknown. */
void route_find(struct route *route, const struct addresses *met);
/* Is the peer's address in the subnet of this address of the host? */
bool route_in_subnet(const struct route *route, const union ibv_gid *address);
/*
 * What does the kernel say of packets from one address to another? 0: there is a route; -ENETUNREACH and the
 * like: there is none; -EADDRNOTAVAIL: from is none of this host's, so that it can't be said. ifindex: of link-local
 * addresses.
 */
int route_check(const union ibv_gid *from, const union ibv_gid *to, unsigned ifindex);

#endif
