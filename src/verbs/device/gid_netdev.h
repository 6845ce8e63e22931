/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which network interface does a GID belong to, and is that in our network namespace? In a container that shares the
 * host's RDMA devices (rdma system: netns shared) the GID table has the entries of all namespaces. The kernel gives
 * each with the index of its interface in the interface's own namespace, which may be that of another interface here.
 */
#pragma once

#include <ifaddrs.h>
#include <infiniband/verbs.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

/* Of one port: what sysfs says about its GIDs, and the interfaces of this namespace. */
struct gid_netdevs {
	const char *device;
	uint8_t port;
	int fd;			   /* a socket for querying flags; -1: none */
	struct ifaddrs *addresses; /* NULL: not known */
};

struct gid_netdev {
	char name[IF_NAMESIZE]; /* in its own namespace; "": unknown */
	bool foreign;		/* of another namespace */
	bool down;		/* in this namespace, and down */
};

/* Keeps the pointer device. Never fails: what cannot be read stays unknown. */
void gid_netdevs_open(struct gid_netdevs *netdevs, const char *device, uint8_t port);
/*
 * For entry index, whose interface has the index ifindex, not 0. is_address: the GID is an IP address, as on RoCE; if
 * it is global and belongs to this namespace, an interface here has that address.
 */
void gid_netdevs_find(const struct gid_netdevs *netdevs, int index, unsigned ifindex, const union ibv_gid *gid,
		      bool is_address, struct gid_netdev *found);
void gid_netdevs_close(struct gid_netdevs *netdevs);
