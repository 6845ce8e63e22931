// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Resolves keys whose row has no length: null regions (null_memory.c) and implicit regions, which cover the whole
 * address space of the process that registered them, whatever is mapped there at the time of use. The owner's own
 * requests need only the address. A peer asks the owner, whose service thread shares the pages as a registration would;
 * they stay shared until the region is deregistered. Shared ranges are cached here, so that the next request finds them
 * at once. Called by the data path when a key resolved to nothing.
 */
#include "config.h"

#include "host/demand.h"

#include <stdlib.h>

#include "host/mapping.h"
#include "host/null_memory.h"
#include "host/threads.h"

/* *out: a consistent copy of the row. False: it is not an implicit region that allows this access. */
static bool row_allows(const struct mr_row *rows, uint32_t key, uint64_t addr, uint64_t length, uint32_t access,
		       uint32_t pd, struct mr_row *out)
{
	return soft_mr_row_read(&rows[KEY_INDEX(key)], key, out) && out->kind == MR_IMPLICIT && out->pd == pd &&
	       (out->access & access) == access && addr < LAYOUT_DATA_SIZE - PAGE &&
	       length < LAYOUT_DATA_SIZE - PAGE - addr;
}

/* Checks that the memory is mapped: touching it would kill the process, where an adapter would report a fault. */
static void *own_memory(uint64_t addr, uint64_t length)
{
	uint64_t start = page_down(addr);

	return msync((void *)(uintptr_t)start, addr + length - start, MS_ASYNC) ? NULL : (void *)(uintptr_t)addr;
}

void *soft_demand_local_memory(uint32_t key, uint64_t addr, uint64_t length, uint32_t access, uint32_t pd)
{
	struct mr_row row;

	if (row_allows(soft_self.mrs, key, addr, length, access, pd, &row))
		return own_memory(addr, length);
	return soft_null_memory(soft_self.mrs, key, pd, access & IBV_ACCESS_LOCAL_WRITE);
}

static const struct peer_demanded *demanded_find(const struct soft_peer *peer, uint64_t id, uint64_t start,
						 uint64_t end, bool writes)
{
	for (uint32_t i = 0; peer->demanded && i < DEMANDED_MAX; i++) {
		const struct peer_demanded *known = &peer->demanded[i];

		if (known->id == id && known->start <= start && known->end >= end && (known->writes || !writes))
			return known;
	}
	return NULL;
}

/* Replaces the oldest entry. */
static const struct peer_demanded *demanded_add(struct soft_peer *peer, const struct mr_row *row, uint64_t start,
						uint64_t end, bool writes)
{
	struct peer_demanded *known;
	uint8_t *base;

	if (!peer->demanded)
		peer->demanded = calloc(DEMANDED_MAX, sizeof(*peer->demanded));
	if (!peer->demanded || soft_peer_demand(peer, MR_KEY(row->id), start, end, writes))
		return NULL;
	base = soft_peer_pages(peer, start, end);
	if (!base)
		return NULL;
	known = &peer->demanded[peer->demanded_next++ % DEMANDED_MAX];
	*known = (struct peer_demanded){.id = row->id, .start = start, .end = end, .base = base, .writes = writes};
	return known;
}

static void *peer_memory(struct soft_peer *peer, const struct mr_row *row, uint64_t addr, uint64_t length, bool writes)
{
	uint64_t start = page_down(addr), end = page_up(addr + length);
	const struct peer_demanded *known;
	void *memory;

	soft_peer_lock(peer);
	known = demanded_find(peer, row->id, start, end, writes);
	if (!known)
		known = demanded_add(peer, row, start, end, writes);
	memory = known ? known->base + (addr - known->start) : NULL;
	pthread_mutex_unlock(&peer->lock);
	return memory;
}

void *soft_demand_peer_memory(struct soft_peer *peer, uint32_t key, uint64_t addr, uint64_t length, uint32_t access,
			      uint32_t pd)
{
	SOFT_UNCANCELLED;
	struct mr_row row;

	if (!row_allows(peer->mrs, key, addr, length, access, pd, &row))
		return access == IBV_ACCESS_LOCAL_WRITE ? soft_null_memory(peer->mrs, key, pd, true) : NULL;
	if (peer->connection < 0)
		return own_memory(addr, length);
	return peer_memory(peer, &row, addr, length,
			   access & (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC));
}
