// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The cm ids of this process, by their numbers. The smallest free number is used first, as in the kernel: librdmacm
 * indexes a table with it.
 *
 * And the multicast groups that they join. On RoCE no subnet manager is involved: the group's GID is derived from its
 * IP address and reported by an event, and librdmacm attaches the id's queue pair to it (ibv_attach_mcast()) when it
 * returns that event.
 */
#include "config.h"

#include "cm/cm.h"

#define MULTICAST_QPN 0xffffffu
#define HOP_LIMIT     1 /* as in the kernel's cma_iboe_join_multicast() */

static struct cm_id **ids; /* [room]; number 0 is none */
static uint32_t room;
static uint32_t first_free = 1; /* no lower number is free */

static bool id_make_room(void)
{
	uint32_t larger = room ? room * 2 : 64;
	struct cm_id **table;

	if (first_free < room)
		return true;
	if (first_free > CM_MAX_IDS)
		return false;
	table = realloc(ids, larger * sizeof(*ids));
	if (!table)
		return false;
	for (uint32_t i = room; i < larger; i++)
		table[i] = NULL;
	ids = table;
	room = larger;
	return true;
}

struct cm_id *cm_id_create(struct cm_channel *channel)
{
	struct cm_id *id;

	while (first_free < room && ids[first_free])
		first_free++;
	if (!id_make_room())
		return NULL;
	id = calloc(1, sizeof(*id));
	if (!id)
		return NULL;
	id->number = first_free++;
	id->channel = channel;
	id->device = -1;
	id->fd = -1;
	ids[id->number] = id;
	return id;
}

static void groups_leave(struct cm_id *id)
{
	while (id->groups) {
		struct cm_group *group = id->groups;

		id->groups = group->next;
		free(group);
	}
}

/* The other end sees the socket close: a refusal, or the end of the connection. */
void cm_id_destroy(struct cm_id *id)
{
	uint32_t i;

	cm_event_drop(id, NULL);
	groups_leave(id);
	/* Requests that the program has not seen, and connections without a request yet. */
	for (i = 1; i < room; i++) {
		if (ids[i] && ids[i]->listener == id)
			cm_id_destroy(ids[i]);
	}
	descriptor_close(&id->fd);
	ids[id->number] = NULL;
	if (id->number < first_free)
		first_free = id->number;
	free(id);
}

void cm_id_move(struct cm_id *id, struct cm_channel *to)
{
	cm_event_move(id, to);
	id->channel = to;
	/* Later events also come from that channel, and are answered there. */
	for (uint32_t i = 1; i < room; i++) {
		if (ids[i] && ids[i]->listener == id)
			ids[i]->channel = to;
	}
}

struct cm_id *cm_id_at(uint32_t number)
{
	return number < room ? ids[number] : NULL;
}

int cm_id_find(const struct cm_channel *channel, uint32_t number, struct cm_id **found)
{
	struct cm_id *id = cm_id_at(number);

	if (!id)
		return -ENOENT;
	if (id->channel != channel)
		return -EINVAL;
	*found = id;
	return 0;
}

struct cm_id *cm_id_next(uint32_t after)
{
	while (++after < room) {
		if (ids[after])
			return ids[after];
	}
	return NULL;
}

/* The sockets are the parent's; our copies must not keep its connections open. */
void cm_id_forget_all(void)
{
	for (uint32_t i = 1; i < room; i++) {
		if (!ids[i])
			continue;
		descriptor_close(&ids[i]->fd);
		groups_leave(ids[i]);
		free(ids[i]);
		ids[i] = NULL;
	}
	first_free = 1;
}

/* --- groups --- */

static uint32_t last_number;

int cm_group_join(struct cm_id *id, const union cm_address *address, uint64_t uid, uint32_t *number)
{
	struct rdma_ucm_event_resp details = {.param = {{0}}};
	struct ib_uverbs_ah_attr *path = &details.param.ud.ah_attr;
	struct cm_group *group;
	int err;

	if (!cm_id_is_datagram(id) || id->device < 0 || !cm_address_is_multicast(address) ||
	    (id->state != CM_BOUND && id->state != CM_ADDRESS && id->state != CM_ROUTE))
		return -EINVAL;
	group = calloc(1, sizeof(*group));
	if (!group)
		return -ENOMEM;
	group->number = ++last_number ? last_number : ++last_number;
	group->uid = uid;
	cm_fill_path(id, path);
	path->grh.hop_limit = HOP_LIMIT;
	memcpy(path->grh.dgid, cm_address_gid(address).raw, sizeof(path->grh.dgid));
	details.param.ud.qp_num = MULTICAST_QPN;
	details.param.ud.qkey = id->qkey ? id->qkey : CM_UDP_QKEY;
	err = cm_event_raise_join(id, group, &details);
	if (err) {
		free(group);
		return err;
	}
	group->next = id->groups;
	id->groups = group;
	*number = group->number;
	return 0;
}

static void group_end(struct cm_id *id, struct cm_group **link)
{
	struct cm_group *group = *link;

	cm_event_drop(id, group);
	*link = group->next;
	free(group);
}

int cm_group_leave(struct cm_id *id, uint32_t number, uint32_t *events_reported)
{
	for (struct cm_group **link = &id->groups; *link; link = &(*link)->next) {
		if ((*link)->number != number)
			continue;
		*events_reported = (*link)->events_reported;
		group_end(id, link);
		return 0;
	}
	return -ENOENT;
}
