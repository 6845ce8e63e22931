// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The members of a cluster. See members.h. What they send comes from the network, so all of it is checked. */
#include "cmtime/members.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "params/engine/opt_exchange.h"

#define MAX_QPN 0xffffff /* 24 bits */

const char *member_name(uint32_t rank, bool listens, const char *host, char text[MEMBER_NAME_SIZE])
{
	snprintf(text, MEMBER_NAME_SIZE, "%s %" PRIu32 " (%.60s)", listens ? "server" : "client", rank, host);
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
	join->base_qpn = params->base_qpn;
	member_host(join->host);
	opt_export(&cmtime_options, CMTIME_PROGRAM, params, NULL /* nothing is marked */, params->given, join->config,
		   FRAME_CONFIG_SIZE);
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

/* --- options --- */

void option_merge_begin(struct option_merge *merge)
{
	memset(merge, 0, sizeof(*merge));
	cmtime_params_init(&merge->values);
}

static void option_copy(const struct opt_row *row, const struct cmtime_params *from, struct cmtime_params *to)
{
	memcpy((char *)to + row->offset, (const char *)from + row->offset, row->width);
}

int option_merge_add(struct option_merge *merge, const char *who, const char *text, char *reason, size_t reason_size)
{
	char first[OPT_TEXT_SIZE], second[OPT_TEXT_SIZE], title[OPT_TEXT_SIZE];
	bool seen[CMTIME_MAX_OPTIONS] = {false};
	struct option_merge merged = *merge;
	struct cmtime_params values;
	int ret;

	cmtime_params_init(&values);
	ret = opt_import(&cmtime_options, CMTIME_PROGRAM, who, text, &values, seen, reason, reason_size);
	for (unsigned i = 0; i < cmtime_options.num_rows && !ret; i++) {
		const struct opt_row *row = &cmtime_options.rows[i];

		if (!seen[i])
			continue;
		opt_value_write(row, &merged.values, true /* as requested */, first, sizeof(first));
		opt_value_write(row, &values, true /* as requested */, second, sizeof(second));
		if (!merged.given[i]) {
			merged.given[i] = true;
			option_copy(row, &values, &merged.values);
			snprintf(merged.who[i], MEMBER_NAME_SIZE, "%s", who);
		} else if (row->reach == OPT_SHARED && strcmp(first, second) != 0) {
			ret = opt_refuse(
				reason, reason_size,
				"%s is %s for %s and %s for %s: give all instances the same value, or only one "
				"of them",
				opt_title(row, title, sizeof(title)), first, merged.who[i], second, who);
		}
	}
	if (!ret)
		*merge = merged;
	return ret;
}

void option_merge_write(const struct option_merge *merge, char text[FRAME_CONFIG_SIZE])
{
	opt_export(&cmtime_options, CMTIME_PROGRAM, &merge->values, NULL /* nothing is marked */, merge->given, text,
		   FRAME_CONFIG_SIZE);
}

int option_merge_adopt(struct cmtime_params *params, const char *text, char *reason, size_t reason_size)
{
	struct cmtime_params adopted = *params, values = *params;
	bool seen[CMTIME_MAX_OPTIONS] = {false};
	const char *broken;
	int ret;

	ret = opt_import(&cmtime_options, CMTIME_PROGRAM, "the controller", text, &values, seen, reason, reason_size);
	if (ret)
		return ret;
	for (unsigned i = 0; i < cmtime_options.num_rows; i++)
		if (seen[i] && (cmtime_options.rows[i].reach == OPT_SHARED || !params->given[i]))
			option_copy(&cmtime_options.rows[i], &values, &adopted);
	broken = cmtime_rules_check(&adopted);
	if (broken)
		return opt_refuse(reason, reason_size, "the instances' options contradict each other: %s", broken);
	*params = adopted;
	return 0;
}
