// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads, scores, prints and chooses GIDs. See gid.h. */
#include "verbs/device/gid.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/log.h"
#include "util/sysfs.h"
#include "util/terminal.h"
#include "verbs/device/route.h"

#define ENTRIES_AT_MOST 1024 /* of 32 bytes: the kernel returns less than 64 KiB */
#define INDEX_AT_MOST	255  /* tables may be longer, but a path has 8 bits for the index */

const char *gid_kind_text(enum gid_kind kind)
{
	static const char *const texts[] = {
		[GID_IB] = "InfiniBand", [GID_ROCE_V1] = "RoCE v1", [GID_ROCE_V2] = "RoCE v2"};

	return kind < sizeof(texts) / sizeof(texts[0]) && texts[kind] ? texts[kind] : "unknown type";
}

/* --- the score --- */

static bool same(const union ibv_gid *a, const union ibv_gid *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

struct criterion {
	int weight;
	bool holds;
	const char *yes; /* NULL: not mentioned */
	const char *no;
};

#define NUM_CRITERIA 12

/*
 * Each outweighs the sum of those below, except "foreign": it cancels "routable", so that the criteria below decide
 * between a foreign address and a link-local one of this namespace. Both ends know the family of the side channel:
 * their choices agree even if they know nothing else.
 */
static void judge(const struct gid_entry *entry, const struct gid_request *requested,
		  struct criterion criteria[NUM_CRITERIA])
{
	const struct route *route = requested->route;
	const bool has_route = route->known && !entry->foreign;
	const bool ipv4 = gid_is_ipv4(&entry->gid);
	const bool is_of_group = requested->group && ipv4 == gid_is_ipv4(requested->group);
	const struct criterion judged[NUM_CRITERIA] = {
		{-8000, entry->down, "its interface is down", NULL},
		{4000, is_of_group, "has the multicast group's address family", NULL},
		{2000, requested->ipv6 && !ipv4, "IPv6, because of --ipv6", NULL},
		{800, has_route && same(&entry->gid, &route->local), "the side channel starts from it", NULL},
		{400, has_route && same(&entry->gid, &route->source), "packets to the peer start from it", NULL},
		{200, entry->ifindex && entry->ifindex == route->ifindex, "its interface leads to the peer", NULL},
		{100, !gid_is_link_local(&entry->gid), NULL, "link-local"},
		{-100, entry->foreign, "of another network namespace", NULL}, /* whose routes are unknown here */
		{50, ipv4 != (requested->ipv6 || route->ipv6), NULL, "of the other address family"},
		{20, has_route && route_in_subnet(route, &entry->gid), "the peer is in its subnet", NULL},
		{2, entry->kind == GID_ROCE_V2, NULL, "not RoCE v2"},
		{1, entry->kind == GID_ROCE_V1, NULL, NULL},
	};

	memcpy(criteria, judged, sizeof(judged));
}

int gid_score(const struct gid_entry *entry, const struct gid_request *requested)
{
	struct criterion criteria[NUM_CRITERIA];
	int score = 0;

	judge(entry, requested, criteria);
	for (size_t i = 0; i < NUM_CRITERIA; i++) {
		if (criteria[i].holds)
			score += criteria[i].weight;
	}
	return score;
}

const char *gid_reasons(const struct gid_entry *entry, const struct gid_request *requested, char *text, size_t size)
{
	struct criterion criteria[NUM_CRITERIA];

	judge(entry, requested, criteria);
	text[0] = '\0';
	for (size_t i = 0; i < NUM_CRITERIA; i++) {
		const char *words = criteria[i].holds ? criteria[i].yes : criteria[i].no;

		if (words)
			text_list_add(text, size, words);
	}
	return text;
}

/* --- the table --- */

struct gid_table {
	struct gid_entry entries[ENTRIES_AT_MOST];
	unsigned count;
};

static enum gid_kind gid_kind_of_type(uint32_t type)
{
	return type == IBV_GID_TYPE_ROCE_V2 ? GID_ROCE_V2 : type == IBV_GID_TYPE_ROCE_V1 ? GID_ROCE_V1 : GID_IB;
}

static void gid_table_add(struct gid_table *table, const struct gid_entry *entry)
{
	if (!gid_is_zero(&entry->gid) && table->count < ENTRIES_AT_MOST)
		table->entries[table->count++] = *entry;
}

static void gid_table_add_read(struct gid_table *table, int index, const struct ibv_gid_entry *read)
{
	gid_table_add(table, &(struct gid_entry){.index = index,
						 .gid = read->gid,
						 .kind = gid_kind_of_type(read->gid_type),
						 .ifindex = read->ndev_ifindex});
}

ssize_t gid_query_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t room)
{
	const ssize_t found = ibv_query_gid_table(context, entries, room, 0 /* flags */);

	return found > (ssize_t)room ? -EPROTO : found;
}

/*
 * Reads all entries in one call: individually, the 1024 entries of a RoCE port cost a system call each, and empty ones
 * two. The result has the nonempty entries of all ports. False if the call is not supported, or fails with this much
 * room.
 */
static bool read_at_once(struct ibv_context *context, uint8_t port, struct gid_table *table)
{
	struct ibv_gid_entry entries[ENTRIES_AT_MOST];
	ssize_t found = gid_query_table(context, entries, ENTRIES_AT_MOST);

	for (ssize_t i = 0; i < found; i++) {
		if (entries[i].port_num == port)
			gid_table_add_read(table, (int)entries[i].gid_index, &entries[i]);
	}
	return found >= 0;
}

/* For an empty entry ibv_query_gid_ex() fails, and ibv_query_gid() returns a zero GID. */
static void read_each(struct ibv_context *context, uint8_t port, int length, struct gid_table *table)
{
	for (int i = 0; i < length && i < ENTRIES_AT_MOST; i++) {
		struct ibv_gid_entry entry;
		union ibv_gid gid;

		if (ibv_query_gid_ex(context, port, (uint32_t)i, &entry, 0 /* flags */) == 0)
			gid_table_add_read(table, i, &entry);
		else if (ibv_query_gid(context, port, i, &gid) == 0)
			gid_table_add(table, &(struct gid_entry){.index = i, .gid = gid});
	}
}

/* An index from another namespace means nothing here. */
static void look_at_interfaces(struct gid_table *table, const char *device, uint8_t port)
{
	struct gid_netdevs netdevs;
	struct gid_netdev netdev;

	gid_netdevs_open(&netdevs, device, port);
	for (unsigned i = 0; i < table->count; i++) {
		struct gid_entry *entry = &table->entries[i];

		if (!entry->ifindex)
			continue;
		gid_netdevs_find(&netdevs, entry->index, entry->ifindex, &entry->gid, entry->kind != GID_IB, &netdev);
		memcpy(entry->netdev, netdev.name, sizeof(entry->netdev));
		entry->down = netdev.down;
		entry->foreign = netdev.foreign;
		if (entry->foreign)
			entry->ifindex = 0;
	}
	gid_netdevs_close(&netdevs);
}

static void read_table(struct ibv_context *context, const char *device, uint8_t port, int length,
		       struct gid_table *table)
{
	table->count = 0;
	/* Some drivers answer with no entry, although each can be queried. */
	if (!read_at_once(context, port, table) || !table->count) {
		table->count = 0;
		read_each(context, port, length, table);
	}
	look_at_interfaces(table, device, port);
}

static const struct gid_entry *best(const struct gid_table *table, const struct gid_request *requested)
{
	const struct gid_entry *found = NULL;

	for (unsigned i = 0; i < table->count; i++) {
		const struct gid_entry *entry = &table->entries[i];
		int lead = found ? gid_score(entry, requested) - gid_score(found, requested) : 1;

		if (entry->index > INDEX_AT_MOST)
			continue;
		if (lead > 0 || (lead == 0 && entry->index < found->index))
			found = entry;
	}
	return found;
}

static const struct gid_entry *at_index(const struct gid_table *table, int index)
{
	for (unsigned i = 0; i < table->count; i++) {
		if (table->entries[i].index == index)
			return &table->entries[i];
	}
	return NULL;
}

/* taken NULL: no entry is chosen. */
static void show_table(const char *device, uint8_t port, const struct gid_table *table,
		       const struct gid_request *requested, const struct gid_entry *taken)
{
	char gid[INET6_ADDRSTRLEN], reasons[256];
	int width = (int)strlen("netdev");

	if (!log_is_verbose())
		return;
	for (unsigned i = 0; i < table->count; i++)
		if ((int)strlen(table->entries[i].netdev) > width)
			width = (int)strlen(table->entries[i].netdev);
	log_detail("GID table of %s port %u, %u entr%s in use:", device, port, table->count,
		   table->count == 1 ? "y" : "ies");
	log_detail("  index type         %-*s score GID", width, "netdev");
	for (unsigned i = 0; i < table->count; i++) {
		const struct gid_entry *entry = &table->entries[i];

		gid_reasons(entry, requested, reasons, sizeof(reasons));
		log_detail("%c %5d %-12s %-*s %5d %s%s%s%s", entry == taken ? '*' : ' ', entry->index,
			   gid_kind_text(entry->kind), width, entry->netdev[0] ? entry->netdev : "-",
			   gid_score(entry, requested), gid_text(&entry->gid, gid, sizeof(gid)),
			   entry == taken && requested->index >= 0 ? " (--gid-index)" : "", reasons[0] ? ":\n" : "",
			   reasons);
	}
	if (taken)
		log_detail("GID: index %d %s, %s", taken->index, gid_text(&taken->gid, gid, sizeof(gid)),
			   requested->index >= 0     ? "as --gid-index says"
			   : requested->route->known ? "the highest score"
						     : "the highest score; the side channel says nothing of the route");
}

/* --- the choice --- */

static const struct gid_entry *find_wanted(const char *device, uint8_t port, int length, const struct gid_table *table,
					   int wanted)
{
	const struct gid_entry *entry = at_index(table, wanted);

	if (wanted >= length)
		log_error("%s port %u has %d GIDs: --gid-index %d does not exist", device, port, length, wanted);
	else if (!entry)
		log_error("%s port %u: GID %d is empty; choose another --gid-index (--verbose shows the table)", device,
			  port, wanted);
	else
		return entry;
	return NULL;
}

static int choose_from(const struct gid_table *table, const char *device, uint8_t port, int table_length,
		       const struct gid_request *requested, bool show, struct gid_entry *chosen)
{
	const struct gid_entry *found;
	char text[INET6_ADDRSTRLEN];
	int err = 0;

	if (requested->index >= 0) {
		found = find_wanted(device, port, table_length, table, requested->index);
		if (!found)
			err = -EINVAL;
	} else {
		found = best(table, requested);
		if (!found && !table_length) {
			log_error("%s port %u has no GIDs, and can only send raw Ethernet frames: it has no RoCE, as a "
				  "representor of a switch in the adapter, or its driver does not enable it (devlink "
				  "dev param show, enable_roce)",
				  device, port);
			err = -ENOENT;
		} else if (!found) {
			log_error("%s port %u has no GID%s; give its network interface an address; a container needs "
				  "one of its own on this adapter (macvlan, SR-IOV)",
				  device, port,
				  table->count ? " up to index 255, the highest that a path can use" : "");
			err = -ENOENT;
		}
	}
	if (found && found->down) {
		log_error(
			"%s port %u: GID %d, %s, belongs to the network interface %s, which is down; ip link set %s up",
			device, port, found->index, gid_text(&found->gid, text, sizeof(text)), found->netdev,
			found->netdev);
		err = -ENETDOWN;
	}
	if (show || err)
		show_table(device, port, table, requested, found);
	if (!err)
		*chosen = *found;
	return err;
}

int gid_choose(struct ibv_context *context, const char *device, uint8_t port, int table_length,
	       const struct gid_request *requested, bool show, struct gid_entry *chosen)
{
	/* Too large for a small stack. */
	struct gid_table *table = malloc(sizeof(*table));
	int err;

	if (!table)
		return log_fail(-ENOMEM, "no memory for the GID table of %s", device);
	read_table(context, device, port, table_length, table);
	err = choose_from(table, device, port, table_length, requested, show, chosen);
	free(table);
	return err;
}

/* --- network interfaces --- */

void gid_netdevs_open(struct gid_netdevs *netdevs, const char *device, uint8_t port)
{
	*netdevs = (struct gid_netdevs){
		.device = device, .port = port, .fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
	if (getifaddrs(&netdevs->addresses))
		netdevs->addresses = NULL;
}

void gid_netdevs_close(struct gid_netdevs *netdevs)
{
	if (netdevs->addresses)
		freeifaddrs(netdevs->addresses);
	if (netdevs->fd >= 0)
		close(netdevs->fd);
}

static bool is_address_here(const struct gid_netdevs *netdevs, const union ibv_gid *gid)
{
	for (const struct ifaddrs *at = netdevs->addresses; at; at = at->ifa_next) {
		const struct sockaddr *address = at->ifa_addr;

		if (!address)
			continue;
		if (address->sa_family == AF_INET && gid_is_ipv4(gid) &&
		    memcmp(&((const struct sockaddr_in *)address)->sin_addr, gid->raw + 12, 4) == 0)
			return true;
		if (address->sa_family == AF_INET6 &&
		    memcmp(&((const struct sockaddr_in6 *)address)->sin6_addr, gid->raw, sizeof(gid->raw)) == 0)
			return true;
	}
	return false;
}

static bool is_down_here(const struct gid_netdevs *netdevs, const char *name)
{
	struct ifreq request = {0};

	memcpy(request.ifr_name, name, sizeof(request.ifr_name));
	return netdevs->fd >= 0 && !ioctl(netdevs->fd, SIOCGIFFLAGS, &request) && !(request.ifr_flags & IFF_UP);
}

void gid_netdevs_find(const struct gid_netdevs *netdevs, int index, unsigned ifindex, const union ibv_gid *gid,
		      bool is_address, struct gid_netdev *found)
{
	char here[IF_NAMESIZE];

	*found = (struct gid_netdev){.name = ""};
	sysfs_line(found->name, sizeof(found->name), "%s/class/infiniband/%s/ports/%u/gid_attrs/ndevs/%d", sysfs_root(),
		   netdevs->device, netdevs->port, index);
	if (!if_indextoname(ifindex, here)) {
		found->foreign = true;
		return;
	}
	found->foreign = found->name[0] && strcmp(found->name, here) != 0;
	/* Many namespaces have an eth0 with index 2; and a link-local GID need not be an address of it. */
	if (!found->foreign && is_address && netdevs->addresses && !gid_is_link_local(gid))
		found->foreign = !is_address_here(netdevs, gid);
	if (found->foreign)
		return;
	memcpy(found->name, here, sizeof(found->name));
	found->down = is_down_here(netdevs, here);
}
