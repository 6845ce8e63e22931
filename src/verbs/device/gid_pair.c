// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Compares and names the ends of a path. See gid.h. */

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "verbs/device/gid.h"
#include "verbs/device/route.h"

#define END_SIZE 96

static union ibv_gid endpoint_gid(const struct endpoint *end)
{
	union ibv_gid gid;

	memcpy(gid.raw, end->gid, sizeof(gid.raw));
	return gid;
}

static bool endpoint_has_gid(const struct endpoint *end)
{
	const union ibv_gid gid = endpoint_gid(end);

	return !gid_is_zero(&gid);
}

static bool is_ipv4(const struct endpoint *end)
{
	const union ibv_gid gid = endpoint_gid(end);

	return gid_is_ipv4(&gid);
}

static bool is_roce(const struct endpoint *end)
{
	return end->gid_kind == GID_ROCE_V1 || end->gid_kind == GID_ROCE_V2;
}

const char *gid_pair_end(const struct endpoint *end, char *text, size_t size)
{
	const union ibv_gid gid = endpoint_gid(end);
	char address[INET6_ADDRSTRLEN];

	if (!endpoint_has_gid(end))
		snprintf(text, size, "LID 0x%x", end->lid);
	else if (end->gid_kind == GID_UNKNOWN)
		snprintf(text, size, "GID %s", gid_text(&gid, address, sizeof(address)));
	else
		snprintf(text, size, "GID %u %s (%s)", end->gid_index, gid_text(&gid, address, sizeof(address)),
			 gid_kind_text(end->gid_kind));
	return text;
}

bool gid_pair_talks(const struct endpoint *local, const struct endpoint *remote, bool ethernet, char *why, size_t size)
{
	char here[END_SIZE], there[END_SIZE];
	const char *reason = NULL;

	/* An unknown GID type is no reason; in all else both sides must get the same result. */
	if (endpoint_has_gid(local) != endpoint_has_gid(remote))
		reason = "one side uses a GID and the other a LID; give --gid-index to the one with the LID";
	else if (!endpoint_has_gid(local))
		return true;
	else if (local->gid_kind && remote->gid_kind && is_roce(local) != is_roce(remote))
		reason = "one is an InfiniBand GID and the other a RoCE GID; select another device (-d) or port (-i)";
	else if (local->gid_kind && remote->gid_kind && local->gid_kind != remote->gid_kind)
		reason = "RoCE v1 and v2 are incompatible; select two GIDs of the same version with --gid-index";
	else if ((ethernet || is_roce(local) || is_roce(remote)) && is_ipv4(local) != is_ipv4(remote))
		reason =
			"their address families differ; select two GIDs of the same family with --gid-index, or --ipv6";
	else
		return true;
	snprintf(why, size, "%s here and %s on the peer cannot communicate: %s",
		 gid_pair_end(local, here, sizeof(here)), gid_pair_end(remote, there, sizeof(there)), reason);
	return false;
}

const char *gid_pair_hint(const struct endpoint *local, const struct endpoint *remote, unsigned ifindex, char *text,
			  size_t size)
{
	const union ibv_gid from = endpoint_gid(local), to = endpoint_gid(remote);
	int err;

	text[0] = '\0';
	if (!endpoint_has_gid(local) || !endpoint_has_gid(remote))
		return text;
	if (local->gid_kind == GID_IB) {
		if (memcmp(&from, &to, 8) != 0)
			snprintf(text, size, "they are in different subnets, so a router must connect them");
		return text;
	}
	if (gid_is_link_local(&from) != gid_is_link_local(&to)) {
		snprintf(text, size,
			 "one is link-local and the other is not: they reach each other only on the same link");
		return text;
	}
	/* RoCE v1 is not routable. */
	if (local->gid_kind == GID_ROCE_V1)
		return text;
	err = route_check(&from, &to, ifindex);
	if (err == -EADDRNOTAVAIL)
		return text;
	if (err)
		snprintf(text, size, "this host has no route from one to the other (%s)", strerror(-err));
	else if (gid_is_link_local(&from))
		snprintf(text, size, "both are link-local: they must be on the same link");
	return text;
}
