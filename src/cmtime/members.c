// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The members of a cluster. See members.h. */
#include "cmtime/members.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define MAX_QPN 0xffffff /* 24 bits */

const char *member_name(uint32_t rank, bool listens, const char *host, char text[OPTION_MERGE_NAME_SIZE])
{
	snprintf(text, OPTION_MERGE_NAME_SIZE, "%s %" PRIu32 " (%.60s)", listens ? "server" : "client", rank, host);
	return text;
}

void member_host(char host[FRAME_HOST_SIZE])
{
	if (gethostname(host, FRAME_HOST_SIZE - 1))
		snprintf(host, FRAME_HOST_SIZE, "unknown");
	host[FRAME_HOST_SIZE - 1] = '\0';
}

void member_describe(const struct cmtime_params *params, struct frame_join *join)
{
	join->listens = params->listen;
	join->families = params->families;
	join->base_qpn = params->base_qpn;
	member_host(join->host);
	option_merge_export(params, join->config);
}

/* The lowest free range from first on. */
static uint64_t range_find(const struct member *members, uint32_t num_members, uint64_t first, uint32_t count)
{
	bool moved;

	do {
		moved = false;
		for (uint32_t i = 0; i < num_members; i++) {
			const uint64_t begin = members[i].place.qpn_first, end = begin + members[i].place.qpn_count;

			if (first >= end || first + count <= begin)
				continue;
			first = end;
			moved = true;
		}
	} while (moved);
	return first;
}

int members_share_qpns(struct member *members, uint32_t num_members, uint32_t count)
{
	for (uint32_t i = 0; i < num_members; i++) {
		uint64_t first = range_find(members, i, members[i].join.base_qpn, count);

		if (first + count > MAX_QPN + 1)
			first = range_find(members, i, 1, count);
		if (first + count > MAX_QPN + 1)
			return -ERANGE;
		members[i].place.qpn_first = (uint32_t)first;
		members[i].place.qpn_count = count;
	}
	return 0;
}
