/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which network interface has a GID, and is it one of this network namespace? In a container that shares the host's
 * RDMA devices (rdma system: netns shared) the GID table has the entries of all namespaces. The kernel tells each with
 * the number of its interface in its own namespace, where this one may have another interface of that number.
 */
#ifndef VERBS_GID_NETDEV_H
#define VERBS_GID_NETDEV_H

#include <ifaddrs.h>
#include <infiniband/verbs.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

/* Of one port: what sysfs tells of its GIDs, and what this namespace has. */
struct gid_netdevs {
	const char *device;
	uint8_t port;
	int fd;			   /* a socket, to ask for flags; -1 none */
	struct ifaddrs *addresses; /* NULL: not known */
};

struct gid_netdev {
	char name[IF_NAMESIZE]; /* in its own namespace; "" not told */
	bool foreign;		/* of another namespace */
	bool down;		/* of this one, and down */
};

/* device is kept. Never fails: what can't be found out stays unknown. */
void gid_netdevs_open(struct gid_netdevs *netdevs, const char *device, uint8_t port);
/*
 * Of the entry of that index, whose interface has the number ifindex, which is not 0. is_address: the GID is an IP
 * address, as RoCE's are, and a global one of this namespace is an address here.
 */
void gid_netdevs_find(const struct gid_netdevs *netdevs, int index, unsigned ifindex, const union ibv_gid *gid,
		      bool is_address, struct gid_netdev *found);
void gid_netdevs_close(struct gid_netdevs *netdevs);

#endif
