// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Resolves keys whose row has no length, of null and of implicit regions. Called by the data path when a key resolved
 * to nothing.
 *
 * Reads of a null region return zeroes, writes are discarded. Each process has two address ranges for this, created on
 * first use: read-only pages, which the kernel backs with its single page of zeroes; and one file of a few MiB, mapped
 * repeatedly, so that a large discarded message costs no more memory than that.
 *
 * An implicit region covers the whole address space of the process that registered it, whatever is mapped there at the
 * time of use. The owner's own requests need only the address. A peer asks the owner, whose service thread shares the
 * pages as a registration would; they stay shared until the region is deregistered. Shared ranges are cached here, so
 * that the next request finds them at once.
 */
#include "config.h"

#include "host/mapping.h"
#include "host/peer.h"
#include "host/threads.h"
#include "host/wire.h"

#define SINK_SIZE (16ull << 20)

static pthread_mutex_t make_lock = PTHREAD_MUTEX_INITIALIZER;
static void *zeroes, *sink; /* SOFT_MAX_MSG_SIZE bytes each; NULL: not mapped yet */

static void *zeroes_make(void)
{
	return mapping_make(NULL, SOFT_MAX_MSG_SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static void *sink_make(void)
{
	uint8_t *whole = mapping_make_private(SOFT_MAX_MSG_SIZE);
	int fd = memfd_create("perftest-soft-sink", MFD_CLOEXEC);
	bool is_made = whole && fd >= 0 && ftruncate(fd, SINK_SIZE) == 0;

	for (uint64_t at = 0; is_made && at < SOFT_MAX_MSG_SIZE; at += SINK_SIZE)
		is_made = mapping_make(whole + at, SINK_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
	if (fd >= 0)
		close(fd);
	if (is_made)
		return whole;
	mapping_drop(whole, SOFT_MAX_MSG_SIZE);
	return NULL;
}

/* SOFT_MAX_MSG_SIZE bytes for a null region of that domain; NULL: it is not one, or there is no memory. */
static void *null_memory(const struct mr_row *rows, uint32_t key, uint32_t pd, bool writes)
{
	const struct mr_row *row = &rows[KEY_INDEX(key)];
	void **memory = writes ? &sink : &zeroes;
	void *made;

	if (!key || MR_KEY(__atomic_load_n(&row->id, __ATOMIC_ACQUIRE)) != key || row->kind != MR_NULL || row->pd != pd)
		return NULL;
	pthread_mutex_lock(&make_lock);
	if (!*memory)
		*memory = writes ? sink_make() : zeroes_make();
	made = *memory;
	pthread_mutex_unlock(&make_lock);
	return made;
}

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
	return null_memory(soft_self.mrs, key, pd, access & IBV_ACCESS_LOCAL_WRITE);
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
	const struct wire_request request = {
		.kind = WIRE_DEMAND, .number = MR_KEY(row->id), .addr = start, .length = end - start, .writes = writes};
	struct wire_reply reply;
	struct peer_demanded *known;
	uint8_t *base;

	if (!peer->demanded)
		peer->demanded = calloc(DEMANDED_MAX, sizeof(*peer->demanded));
	if (!peer->demanded || soft_slot_request(peer->slot, peer->instance, request, &reply, NULL, 0, NULL))
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

	soft_slot_lock_take(&peer->lock);
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
		return access == IBV_ACCESS_LOCAL_WRITE ? null_memory(peer->mrs, key, pd, true) : NULL;
	if (peer->connection < 0)
		return own_memory(addr, length);
	return peer_memory(peer, &row, addr, length,
			   access & (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC));
}
