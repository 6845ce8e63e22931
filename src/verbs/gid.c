// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Chooses and prints GIDs; device.c calls it. */
#include "verbs/gid.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "util/log.h"
#include "verbs/perftest_resources.h"

#define ENTRIES_AT_MOST 1024 /* of 32 bytes: the kernel takes no answer of 64 KiB */

bool gid_is_ipv4(const union ibv_gid *gid)
{
	static const uint8_t prefix[12] = {[10] = 0xff, [11] = 0xff};

	return memcmp(gid->raw, prefix, sizeof(prefix)) == 0;
}

bool gid_is_zero(const union ibv_gid *gid)
{
	static const union ibv_gid zero;

	return memcmp(gid, &zero, sizeof(zero)) == 0;
}

/* fe80::/10, or 169.254.0.0/16 in its mapped form. */
static bool is_link_local(const union ibv_gid *gid)
{
	if (gid_is_ipv4(gid))
		return gid->raw[12] == 169 && gid->raw[13] == 254;
	return gid->raw[0] == 0xfe && (gid->raw[1] & 0xc0) == 0x80;
}

int gid_score(const union ibv_gid *gid, enum gid_kind kind, bool want_ipv6)
{
	int score = 0;

	if (gid_is_zero(gid))
		return -1;
	if (gid_is_ipv4(gid) != want_ipv6)
		score += 100;
	if (!is_link_local(gid))
		score += 10;
	return score + (kind == GID_ROCE_V2 ? 2 : kind == GID_ROCE_V1 ? 1 : 0);
}

const char *gid_text(const union ibv_gid *gid, char *buffer, size_t size)
{
	if (!inet_ntop(AF_INET6, gid->raw, buffer, (socklen_t)size) && size > 0)
		buffer[0] = '\0';
	return buffer;
}

static enum gid_kind kind_of(uint32_t type)
{
	switch (type) {
	case IBV_GID_TYPE_ROCE_V2:
		return GID_ROCE_V2;
	case IBV_GID_TYPE_ROCE_V1:
		return GID_ROCE_V1;
	default:
		return GID_IB;
	}
}

/* An empty entry is an error of ibv_query_gid_ex() and a zero GID of ibv_query_gid(); here it is a zero GID. */
static void read_entry(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid, enum gid_kind *kind)
{
	struct ibv_gid_entry entry;

	memset(gid, 0, sizeof(*gid));
	*kind = GID_IB;
	if (ibv_query_gid_ex(context, port, (uint32_t)index, &entry, 0 /* flags */) == 0) {
		*gid = entry.gid;
		*kind = kind_of(entry.gid_type);
	} else if (ibv_query_gid(context, port, index, gid)) {
		memset(gid, 0, sizeof(*gid));
	}
}

static int choose_wanted(struct ibv_context *context, const char *device, uint8_t port, int table_length, int wanted,
			 int *index, union ibv_gid *gid)
{
	enum gid_kind kind;
	union ibv_gid entry;

	if (wanted >= table_length) {
		log_error("%s port %u has %d GIDs: --gid-index %d does not exist", device, port, table_length, wanted);
		return -EINVAL;
	}
	read_entry(context, port, wanted, &entry, &kind);
	if (gid_is_zero(&entry)) {
		log_error("%s port %u: GID %d is empty; choose another --gid-index", device, port, wanted);
		return -EINVAL;
	}
	*index = wanted;
	*gid = entry;
	return 0;
}

struct choice {
	bool want_ipv6;
	int score;
	int index;
	union ibv_gid gid;
};

static void consider(struct choice *choice, int index, const union ibv_gid *gid, enum gid_kind kind)
{
	int score = gid_score(gid, kind, choice->want_ipv6);

	if (score > choice->score) {
		choice->score = score;
		choice->index = index;
		choice->gid = *gid;
	}
}

/*
 * All in one call: asked for one by one, the 1024 entries of a RoCE port cost a system call each, and
 * two where they are empty. The answer has the entries of all ports that are not empty. False where the
 * call is not to be had, or not with so many.
 */
static bool consider_table(struct ibv_context *context, uint8_t port, struct choice *choice)
{
	struct ibv_gid_entry entries[ENTRIES_AT_MOST];
	ssize_t found = ibv_query_gid_table(context, entries, ENTRIES_AT_MOST, 0 /* flags */);

	for (ssize_t i = 0; i < found; i++) {
		if (entries[i].port_num == port)
			consider(choice, (int)entries[i].gid_index, &entries[i].gid, kind_of(entries[i].gid_type));
	}
	return found >= 0;
}

static void consider_each(struct ibv_context *context, uint8_t port, int table_length, struct choice *choice)
{
	for (int i = 0; i < table_length; i++) {
		enum gid_kind kind;
		union ibv_gid entry;

		read_entry(context, port, i, &entry, &kind);
		consider(choice, i, &entry, kind);
	}
}

int gid_choose(struct ibv_context *context, const char *device, uint8_t port, int table_length, int wanted,
	       bool want_ipv6, int *index, union ibv_gid *gid)
{
	struct choice choice = {.want_ipv6 = want_ipv6, .score = -1};

	if (wanted >= 0)
		return choose_wanted(context, device, port, table_length, wanted, index, gid);
	if (!consider_table(context, port, &choice))
		consider_each(context, port, table_length, &choice);
	if (choice.score < 0) {
		log_error("%s port %u has no GID; give its network interface an address", device, port);
		return -ENOENT;
	}
	*index = choice.index;
	*gid = choice.gid;
	return 0;
}
