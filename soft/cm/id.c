// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The cm ids of this process, by their numbers. The smallest free number is used first, as in the kernel: librdmacm
 * indexes a table with it.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "cm/cm.h"
#include "host/descriptor.h"

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

/* The other end sees the socket close: a refusal, or the end of the connection. */
void cm_id_destroy(struct cm_id *id)
{
	uint32_t i;

	cm_event_drop(id, NULL);
	cm_group_leave_all(id);
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
		cm_group_leave_all(ids[i]);
		free(ids[i]);
		ids[i] = NULL;
	}
	first_free = 1;
}
