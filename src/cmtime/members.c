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

static bool range_is_free(const struct member *members, uint32_t num_members, uint64_t first, uint64_t count)
{
	for (uint32_t i = 0; i < num_members; i++)
		if (first < (uint64_t)members[i].qpn_first + members[i].qpn_count &&
		    members[i].qpn_first < first + count)
			return false;
	return first + count <= (uint64_t)MAX_QPN + 1;
}

/* Candidates are the requested number, the one after each range, and 1. */
static int range_find(const struct member *members, uint32_t num_members, uint32_t request, uint32_t count,
		      uint32_t *found)
{
	uint64_t best = UINT64_MAX, lowest = UINT64_MAX;

	for (uint32_t i = 0; i < num_members + 2; i++) {
		const uint64_t first = i == 0	? request
				       : i == 1 ? 1
						: (uint64_t)members[i - 2].qpn_first + members[i - 2].qpn_count;

		if (!range_is_free(members, num_members, first, count))
			continue;
		if (first >= request && first < best)
			best = first;
		if (first < lowest)
			lowest = first;
	}
	if (best == UINT64_MAX)
		best = lowest;
	if (best == UINT64_MAX)
		return -ERANGE;
	*found = (uint32_t)best;
	return 0;
}

int members_share_qpns(struct member *members, uint32_t num_members, uint32_t count)
{
	for (uint32_t i = 0; i < num_members; i++) {
		if (range_find(members, i, members[i].join.base_qpn, count, &members[i].qpn_first))
			return -ERANGE;
		members[i].qpn_count = count;
	}
	return 0;
}
