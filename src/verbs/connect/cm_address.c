// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Devices and addresses: rdma_cm selects the device by the source address of a connection, users select it by name. On
 * RoCE the GID table has the addresses of a device. See cm.h.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/ethernet.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <netpacket/packet.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "util/log.h"
#include "verbs/connect/cm.h"
#include "verbs/device/device.h"
#include "verbs/device/gid.h"
#include "verbs/device/route.h"

#define ENTRIES_AT_MOST 1024
#define IPOIB_GID_AT	4 /* in its hardware address: RFC 4391, 9.1.1 */

static bool is_usable(const struct ibv_gid_entry *entry, bool ipv6)
{
	const struct in6_addr *address = (const struct in6_addr *)entry->gid.raw;

	if (entry->gid_type != IBV_GID_TYPE_ROCE_V2 || gid_is_ipv4(&entry->gid) == ipv6)
		return false;
	return !IN6_IS_ADDR_LINKLOCAL(address);
}

/* rdma_cm can only bind to addresses of this network namespace. */
static bool is_elsewhere(const struct gid_netdevs *netdevs, const struct ibv_gid_entry *entry)
{
	struct gid_netdev netdev;

	if (!entry->ndev_ifindex)
		return false;
	gid_netdevs_find(netdevs, (int)entry->gid_index, entry->ndev_ifindex, &entry->gid, true /* RoCE */, &netdev);
	return netdev.foreign;
}

static const char *ip_text(const union ibv_gid *gid, bool ipv6, char *text, size_t size)
{
	return inet_ntop(ipv6 ? AF_INET6 : AF_INET, ipv6 ? gid->raw : gid->raw + 12, text, (socklen_t)size);
}

/* A card may have an address in each of several VLANs, of which few lead to the peer. */
static int nearness(const struct route *route, const union ibv_gid *gid)
{
	return memcmp(gid, &route->source, sizeof(*gid)) == 0 ? 2 : route_in_subnet(route, gid);
}

const char *cm_source_ip(const struct device *device, int wanted_index, const struct sockaddr *peer, char *text,
			 size_t size)
{
	struct ibv_gid_entry entries[ENTRIES_AT_MOST];
	ssize_t found = gid_query_table(device->context, entries, ENTRIES_AT_MOST);
	const bool ipv6 = peer->sa_family == AF_INET6;
	struct addresses met = {.local = {.ss_family = peer->sa_family}};
	const union ibv_gid *taken = NULL;
	struct gid_netdevs netdevs;
	struct route route;
	int nearest = -1;

	memcpy(&met.peer, peer, ipv6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in));
	route_find(&route, &met);
	gid_netdevs_open(&netdevs, device->name, device->port);
	for (ssize_t i = 0; i < found; i++) {
		const union ibv_gid *gid = &entries[i].gid;

		if (entries[i].port_num != device->port || !is_usable(&entries[i], ipv6) ||
		    (wanted_index >= 0 && entries[i].gid_index != (uint32_t)wanted_index) ||
		    nearness(&route, gid) <= nearest || is_elsewhere(&netdevs, &entries[i]))
			continue;
		nearest = nearness(&route, gid);
		taken = gid;
	}
	gid_netdevs_close(&netdevs);
	return taken ? ip_text(taken, ipv6, text, size) : NULL;
}

/*
 * Does the kernel's cma.c find a port with this GID by the interface? InfiniBand's is behind 4 bytes of IPoIB's
 * hardware address, and iWARP's is the MAC.
 */
static bool has_gid(const struct ifaddrs *interface, const union ibv_gid *gid)
{
	const struct sockaddr_ll *link = (const struct sockaddr_ll *)interface->ifa_addr;
	const uint8_t *bytes = (const uint8_t *)link + offsetof(struct sockaddr_ll, sll_addr); /* may be longer */
	const unsigned behind = link->sll_hatype == ARPHRD_INFINIBAND ? IPOIB_GID_AT : 0;
	const unsigned length = behind ? sizeof(gid->raw) : ETH_ALEN;
	union ibv_gid named = {.raw = {0}};

	if (link->sll_halen != behind + length)
		return false;
	memcpy(named.raw, bytes + behind, length);
	return memcmp(&named, gid, sizeof(named)) == 0;
}

/* name: of an address; one of IPv4 may have a label in place of the interface's name: "eth0:1". */
static bool leads_to(const struct ifaddrs *list, const char *name, const union ibv_gid *gid)
{
	const size_t length = strcspn(name, ":");

	for (const struct ifaddrs *at = list; at; at = at->ifa_next)
		if (at->ifa_addr && at->ifa_addr->sa_family == AF_PACKET && strncmp(at->ifa_name, name, length) == 0 &&
		    !at->ifa_name[length])
			return has_gid(at, gid);
	return false;
}

const char *cm_own_ip(const struct device *device, int family, char *text, size_t size)
{
	struct ibv_gid_entry entries[ENTRIES_AT_MOST];
	const ssize_t found = gid_query_table(device->context, entries, ENTRIES_AT_MOST);
	const char *taken = NULL;
	struct ifaddrs *list;

	if (family == AF_UNSPEC) {
		taken = cm_own_ip(device, AF_INET, text, size);
		return taken ? taken : cm_own_ip(device, AF_INET6, text, size);
	}
	if (getifaddrs(&list))
		return NULL;
	for (const struct ifaddrs *at = list; at && !taken; at = at->ifa_next) {
		const struct sockaddr *address = at->ifa_addr;
		union ibv_gid own;

		if (!address || address->sa_family != family)
			continue;
		gid_of_address(address, &own);
		for (ssize_t i = 0; i < found && !taken && !gid_is_link_local(&own); i++)
			if (entries[i].port_num == device->port && (memcmp(&own, &entries[i].gid, sizeof(own)) == 0 ||
								    leads_to(list, at->ifa_name, &entries[i].gid)))
				taken = ip_text(&own, family == AF_INET6, text, size);
	}
	freeifaddrs(list);
	return taken;
}

const char *cm_own_host(const struct device *device, const char *server, int family, char *text, size_t size)
{
	const char *own = family < 0 || device->is_software ? NULL : cm_own_ip(device, family, text, size);

	if (own)
		log_detail("server: %s, an address of %s, since rdma_cm does not find it at %s", own, device->name,
			   server);
	return own ? own : server;
}

/* rdma_cm uses the address's RoCE v2 entry unless the system is configured otherwise. */
static void take_gid_of(struct device *device, const struct sockaddr_storage *address)
{
	struct ibv_gid_entry entries[ENTRIES_AT_MOST];
	const unsigned scope = route_scope(address);
	ssize_t found = gid_query_table(device->context, entries, ENTRIES_AT_MOST);
	union ibv_gid gid;

	gid_of_address((const struct sockaddr *)address, &gid);
	for (ssize_t i = 0; i < found; i++) {
		if (entries[i].port_num != device->port || entries[i].gid_type != IBV_GID_TYPE_ROCE_V2 ||
		    memcmp(entries[i].gid.raw, gid.raw, sizeof(gid.raw)) != 0 ||
		    (scope && entries[i].ndev_ifindex && entries[i].ndev_ifindex != scope))
			continue;
		device->gid_index = (int)entries[i].gid_index;
		device->gid = gid;
		device->gid_kind = GID_ROCE_V2;
		device->gid_ifindex = entries[i].ndev_ifindex;
		return;
	}
}

int cm_choose_address(struct device *device, const struct verbs_config *config, const struct addresses *met)
{
	struct verbs_config wanted = *config;
	int err;

	if (!config->rdma_cm)
		return device_choose_address(device, config, met);
	wanted.rdma_cm = false; /* choose as without rdma_cm, with the device and the address that are set here */
	wanted.gid_index = CONFIG_AUTO;
	wanted.ipv6 = false; /* which would change the choice of the other side */
	if (!met->device[0])
		return log_fail(
			-EPROTO,
			"-R needs the addresses of a connection with rdma_cm, but this client connected over TCP");
	if (strcmp(device->name, met->device) != 0 || device->port != met->port) {
		if (config->device_name[0] || config->port_is_given)
			return log_fail(-EINVAL,
					"rdma_cm connects both sides over port %u of %s, but %s select port %u of %s: "
					"omit them, or use an address of that device",
					met->port, met->device, verbs_config_names(config)->device_and_port,
					device->port, device->name);
		snprintf(wanted.device_name, sizeof(wanted.device_name), "%s", met->device);
		wanted.port = met->port;
		err = device_open(device, &wanted);
		if (err)
			return err;
	}
	err = device_choose_address(device, &wanted, met);
	if (!err && device->gid_index >= 0)
		take_gid_of(device, &met->local);
	return err;
}
