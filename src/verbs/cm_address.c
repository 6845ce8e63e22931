// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Devices and addresses: rdma_cm chooses the device by the address that a connection starts from, users
 * choose it by name. On RoCE the GID table says which addresses are a device's own.
 */
#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>

#include "verbs/cm.h"
#include "verbs/gid.h"
#include "verbs/perftest_resources.h"

#define ENTRIES_AT_MOST 1024

static bool is_usable(const struct ibv_gid_entry *entry, bool ipv6)
{
	const struct in6_addr *address = (const struct in6_addr *)entry->gid.raw;

	if (entry->gid_type != IBV_GID_TYPE_ROCE_V2 || gid_is_ipv4(&entry->gid) == ipv6)
		return false;
	return !IN6_IS_ADDR_LINKLOCAL(address);
}

static const char *ip_text(const union ibv_gid *gid, bool ipv6, char *text, size_t size)
{
	return inet_ntop(ipv6 ? AF_INET6 : AF_INET, ipv6 ? gid->raw : gid->raw + 12, text, (socklen_t)size);
}

const char *cm_source_ip(const struct device *device, int wanted_index, bool ipv6, char *text, size_t size)
{
	struct ibv_gid_entry entries[ENTRIES_AT_MOST];
	ssize_t found = ibv_query_gid_table(device->context, entries, ENTRIES_AT_MOST, 0 /* flags */);

	for (ssize_t i = 0; i < found; i++) {
		if (entries[i].port_num != device->port || !is_usable(&entries[i], ipv6))
			continue;
		if (wanted_index < 0 || entries[i].gid_index == (uint32_t)wanted_index)
			return ip_text(&entries[i].gid, ipv6, text, size);
	}
	return NULL;
}
