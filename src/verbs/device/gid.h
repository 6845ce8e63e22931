/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which entry of the port's GID table the QPs use, and why. Called by device.c. */
#pragma once

#include <ifaddrs.h>
#include <infiniband/verbs.h>
#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/endpoint.h"
#include "verbs/device/gid_form.h"

struct route;

/* A nonempty entry. */
struct gid_entry {
	int index;
	union ibv_gid gid;
	enum gid_kind kind;
	unsigned ifindex; /* of its network interface; 0: none, unknown, or foreign */
	char netdev[IF_NAMESIZE];
	bool down;    /* the interface is down */
	bool foreign; /* the interface is of another network namespace */
};

/* What determines the choice. */
struct gid_request {
	int index;		    /* -x; below 0: the entry with the highest score */
	bool ipv6;		    /* --ipv6 */
	const union ibv_gid *group; /* multicast: senders and receivers use the family of the group; NULL: none */
	const struct route *route;
};

/* "RoCE v2" */
const char *gid_kind_text(enum gid_kind kind);

/*
 * The automatic choice takes the highest score, and of equal ones the lowest index. The criteria and their weights are
 * a table in gid.c; each outweighs the sum of those after it.
 */
int gid_score(const struct gid_entry *entry, const struct gid_request *requested);
/* The criteria that the entry meets, in words. Returns text. */
const char *gid_reasons(const struct gid_entry *entry, const struct gid_request *requested, char *text, size_t size);

/*
 * The nonempty entries of all ports. Negative if the call is not supported, fails with that much room, or returns more.
 */
ssize_t gid_query_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t room);

/*
 * 0, or -EINVAL, -ENOENT or -ENETDOWN, reported with the name of the device. *chosen is only written on success. show:
 * print the table, for --verbose; it is always printed if nothing can be chosen.
 */
int gid_choose(struct ibv_context *context, const char *device, uint8_t port, int table_length,
	       const struct gid_request *requested, bool show, struct gid_entry *chosen);

/*
 * --- gid_pair.c: the two ends of a path: can they communicate, and how do messages name them? ---
 *
 * Based only on the exchanged endpoints, so that both sides get the same result.
 */

/*
 * False: why explains, naming both ends. ethernet: this side's port is Ethernet; the types of the GIDs may be unknown.
 */
bool gid_pair_talks(const struct endpoint *local, const struct endpoint *remote, bool ethernet, char *why, size_t size);
/* "GID 3 ::ffff:10.0.0.1 (RoCE v2)" or "LID 0x12". Returns text. */
const char *gid_pair_end(const struct endpoint *end, char *text, size_t size);
/*
 * Why packets between them might get lost, as far as this host can tell; "" if it sees no reason. ifindex: network
 * interface of the local GID. Returns text.
 */
const char *gid_pair_hint(const struct endpoint *local, const struct endpoint *remote, unsigned ifindex, char *text,
			  size_t size);

/*
 * --- network interfaces ---
 *
 * Which one does a GID belong to, and is that in our network namespace? In a container that shares the host's RDMA
 * devices (rdma system: netns shared) the GID table has the entries of all namespaces. The kernel gives each with the
 * index of its interface in the interface's own namespace, which may be that of another interface here.
 */

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
