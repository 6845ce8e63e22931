// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds the memory that a peer's key names, in this process. The peer's data file is mapped in windows, as keys are
 * used, and resolved keys are cached. Called by peer.h's soft_peer_memory() for a key seen for the first time.
 *
 * Windows stay mapped as long as the peer: a deregistered page is a hole in its file, so they hold address space, not
 * memory.
 */
#include "config.h"

#include "host/mapping.h"
#include "host/peer.h"
#include "host/threads.h"
#include "host/wire.h"

#define WINDOW_ALIGN  (64ull << 20) /* keeps mappings few, with any number of regions */
#define POPULATE_MAX  (1ull << 30)
#define POPULATE_STEP (4ul << 20) /* bytes */

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static uint8_t *window_find(struct soft_peer *peer, uint64_t start, uint64_t end)
{
	for (uint32_t i = 0; i < peer->window_count; i++) {
		if (start >= peer->windows[i].start && end <= peer->windows[i].end)
			return peer->windows[i].base + (start - peer->windows[i].start);
	}
	return NULL;
}

/*
 * Populates only pages that exist: a row that claims more than was registered must not cost memory. Does not use
 * lseek(SEEK_HOLE), which scans to the end of the data: a process with 100,000 adjacent regions would keep its peer
 * busy.
 */
static void window_populate(uint8_t *first, const uint8_t *end)
{
	unsigned char there[POPULATE_STEP / PAGE];

	while (first < end) {
		size_t length = (size_t)(end - first) < POPULATE_STEP ? (size_t)(end - first) : POPULATE_STEP;

		if (mincore(first, length, there) || memchr(there, 0, page_up(length) / PAGE))
			return;
		mapping_advise(first, length, MADV_POPULATE_WRITE);
		first += length;
	}
}

/* The peer's bytes [start, end) in our address space. */
uint8_t *soft_peer_pages(struct soft_peer *peer, uint64_t start, uint64_t end)
{
	uint8_t *found = window_find(peer, start, end);
	struct peer_window window, *windows;

	if (!found) {
		windows = soft_array_grow(peer->windows, peer->window_count, sizeof(*windows));
		if (!windows)
			return NULL;
		peer->windows = windows;
		window.start = start & ~(WINDOW_ALIGN - 1);
		window.end = (end + WINDOW_ALIGN - 1) & ~(WINDOW_ALIGN - 1);
		window.base = mapping_make(NULL, window.end - window.start, PROT_READ | PROT_WRITE,
					   MAP_SHARED | MAP_NORESERVE, peer->data_fd, (off_t)window.start);
		if (!window.base) {
			soft_slot_limit_report(peer->slot, -errno);
			return NULL;
		}
		mapping_keep_here(window.base, window.end - window.start);
		peer->windows[peer->window_count++] = window;
		found = window.base + (start - window.start);
	}
	if (end - start <= POPULATE_MAX)
		window_populate((uint8_t *)(uintptr_t)page_down((uintptr_t)found), found + (end - start));
	return found;
}

static uint8_t *peer_file_map(struct soft_peer *peer, uint32_t key, uint64_t length, bool is_writable)
{
	const struct wire_request request = {.kind = WIRE_REGION, .number = key};
	struct wire_reply reply;
	uint8_t *memory;
	int fd = -1;

	if (soft_slot_request(peer->slot, peer->instance, request, &reply, &fd, 1, NULL))
		return NULL;
	memory = soft_peer_file_map(&peer->files, peer->mrs, key, &reply, fd, length, is_writable);
	if (fd >= 0)
		close(fd);
	return memory;
}

bool soft_mr_row_read(const struct mr_row *row, uint32_t key, struct mr_row *out)
{
	uint64_t id = __atomic_load_n(&row->id, __ATOMIC_ACQUIRE);

	memcpy(out, row, sizeof(*out));
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	out->id = id;
	return key && MR_KEY(id) == key && __atomic_load_n(&row->id, __ATOMIC_RELAXED) == id;
}

static uint8_t *region_map(struct soft_peer *peer, uint32_t key, const struct mr_row *mr)
{
	const uint32_t writes = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;

	if (peer->connection < 0)
		return (uint8_t *)(uintptr_t)mr->addr;
	if (mr->kind == MR_FILE_BACKED)
		return peer_file_map(peer, key, mr->length, mr->access & writes);
	return mr->addr > LAYOUT_DATA_SIZE - mr->length ? NULL : soft_peer_pages(peer, mr->addr, mr->addr + mr->length);
}

/* Resolves and maps the key of a region; NULL: impossible. peer->lock is held. */
static const struct peer_key *key_map(struct soft_peer *peer, uint32_t key)
{
	struct peer_key *known = &peer->keys[KEY_INDEX(key)];
	struct mr_row mr;
	uint8_t *base;

	if (!soft_mr_row_read(&peer->mrs[KEY_INDEX(key)], key, &mr) || !mr.length || mr.length > SOFT_MAX_MR_SIZE)
		return NULL;
	if (known->id == mr.id)
		return known;
	base = region_map(peer, key, &mr);
	if (!base)
		return NULL;
	known->iova = mr.iova;
	known->length = mr.length;
	__atomic_store_n(&known->offset, (intptr_t)((uintptr_t)base - mr.iova), __ATOMIC_RELAXED);
	known->access = mr.access;
	known->pd = mr.pd;
	__atomic_store_n(&known->id, mr.id, __ATOMIC_RELEASE);
	return known;
}

bool soft_peer_map(struct soft_peer *peer, uint32_t key)
{
	SOFT_UNCANCELLED;
	bool is_known;

	soft_slot_lock_take(&peer->lock);
	is_known = key_map(peer, key);
	pthread_mutex_unlock(&peer->lock);
	return is_known;
}

/* A window grants no more than its region does, whatever its row says. peer->lock is held. */
static bool mw_map(struct soft_peer *peer, const struct mw_row *row, uint64_t id, struct peer_key *known)
{
	const uint32_t rights = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
	const struct peer_key *region;
	struct mw_row mw;
	uint64_t into;

	memcpy(&mw, row, sizeof(mw));
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__atomic_load_n(&row->id, __ATOMIC_RELAXED) != id || KEY_IS_MW(mw.region))
		return false;
	region = key_map(peer, mw.region);
	if (!region)
		return false;
	into = mw.addr - region->iova;
	if (into >= region->length || mw.length > region->length - into ||
	    (mw.access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC) &&
	     !(region->access & IBV_ACCESS_LOCAL_WRITE)))
		return false;
	known->iova = mw.iova;
	known->length = mw.length;
	known->offset = region->offset + (intptr_t)(mw.addr - mw.iova);
	known->access = mw.access & rights;
	known->pd = mw.pd;
	known->qpn = mw.qpn;
	known->id = id;
	return true;
}

void *soft_peer_mw_memory(struct soft_peer *peer, uint32_t key, uint64_t addr, uint64_t length, uint32_t access,
			  uint32_t pd, uint32_t qpn)
{
	SOFT_UNCANCELLED;
	uint32_t index = MW_INDEX(key);
	const struct mw_row *row = &peer->mws[index];
	struct peer_key *known = &peer->keys[LAYOUT_MR_COUNT + index];
	uint64_t id = __atomic_load_n(&row->id, __ATOMIC_ACQUIRE);
	void *memory = NULL;

	if ((uint32_t)id != key)
		return NULL;
	/* Our own row describes the window; the shared row shows whether a peer has invalidated it. */
	if (peer->connection < 0 && __atomic_load_n(&soft_self.shown_mws[index].id, __ATOMIC_ACQUIRE) != id)
		return NULL;
	/* Locked, because a window may be rebound at any time. */
	soft_slot_lock_take(&peer->lock);
	if ((known->id == id || mw_map(peer, row, id, known)) && (!known->qpn || known->qpn == qpn))
		memory = peer_key_memory(known, addr, length, access, pd);
	pthread_mutex_unlock(&peer->lock);
	return memory;
}

bool soft_peer_mw_invalidate(struct soft_peer *peer, uint32_t key, uint32_t qpn)
{
	struct mw_row *row = (struct mw_row *)(peer->control + LAYOUT_MW_OFFSET) + MW_INDEX(key);
	uint64_t id = __atomic_load_n(&row->id, __ATOMIC_ACQUIRE);

	return KEY_IS_MW(key) && (uint32_t)id == key && __atomic_load_n(&row->qpn, __ATOMIC_RELAXED) == qpn &&
	       __atomic_compare_exchange_n(&row->id, &id, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}
