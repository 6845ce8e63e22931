// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Memory of keys that sign data (mlx5dv_wr_set_mkey_sig_block(3)). Such a key names part of a region, and how its
 * blocks are signed in memory and on the wire. A request that names it gets the bytes of the wire, in temporary memory:
 * built from the region if the data is sent from there; checked, separated and moved to the region if data arrives,
 * once it has been copied. The first error stays in the key's row until its owner asks for it (mlx5dv_mkey_check()).
 * The initiator does all of this, for its own keys and the peer's. Called by demand.c, when a key resolved to nothing,
 * and by execute.c.
 */
#include "config.h"

#include "host/signed_memory.h"

#include <stdlib.h>
#include <string.h>

#define ACCESS_WRITES (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)
#define MAX_STAGED    (2u * SOFT_MAX_SGE + 2)

#define LOCK_WAITS 50 /* of 20 ms each: then the holder is dead or stopped */

/* One use of a key by the current request. */
struct staged {
	struct soft_peer *owner;
	struct signed_row *row;
	struct signed_config config;
	uint8_t *wire, *memory;
	uint64_t blocks;
	bool is_written;
};

uint32_t soft_signed_is_used;

static uint32_t signed_end; /* no key of this process has this index or a higher one */

/* A pointer, because thread-local memory of a library loaded late (dlopen()) is scarce. */
static __thread struct staged *staged; /* [MAX_STAGED]; NULL if staged_count is 0 */
static __thread uint32_t staged_count;
static __thread uint64_t corrupt_at; /* offset + 1; 0: none */

static struct signed_row *signed_row_of(const struct soft_peer *owner, uint32_t key)
{
	return (struct signed_row *)(owner->control + LAYOUT_SIGNED_OFFSET) + KEY_INDEX(key);
}

static bool row_is_of(const struct mr_row *rows, uint32_t key, uint32_t pd)
{
	const struct mr_row *row = &rows[KEY_INDEX(key)];

	return key && MR_KEY(__atomic_load_n(&row->id, __ATOMIC_ACQUIRE)) == key && row->kind == MR_SIGNED &&
	       row->pd == pd;
}

static const struct mr_row *rows_of(const struct soft_peer *owner)
{
	return owner->connection < 0 ? soft_self.mrs : owner->mrs;
}

bool soft_signed_key(uint32_t key)
{
	const struct mr_row *row = &soft_self.mrs[KEY_INDEX(key)];

	return key && MR_KEY(row->id) == key && row->kind == MR_SIGNED;
}

void soft_signed_corrupt(uint64_t offset)
{
	corrupt_at = offset + 1;
}

static bool signature_is_known(const struct signature *signature)
{
	static const uint16_t blocks[] = {512, 520, 4048, 4096, 4160};

	if (signature->kind == SIGNATURE_NONE)
		return true;
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		if (signature->block == blocks[i])
			return signature->kind < SIGNATURE_KINDS;
	}
	return false;
}

/* If both sides have signatures, their block sizes are equal. */
static bool config_is_valid(const struct signed_config *config)
{
	const struct signature *memory = &config->memory, *wire = &config->wire;

	return signature_is_known(memory) && signature_is_known(wire) &&
	       (memory->kind != SIGNATURE_NONE || wire->kind != SIGNATURE_NONE) &&
	       (memory->kind == SIGNATURE_NONE || wire->kind == SIGNATURE_NONE || memory->block == wire->block);
}

static uint32_t block_of(const struct signed_config *config)
{
	return config->wire.kind != SIGNATURE_NONE ? config->wire.block : config->memory.block;
}

static void row_repair(void *object, uint32_t holder)
{
	struct signed_row *row = object;

	__atomic_compare_exchange_n(&row->lock, &holder, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/* False: unavailable. The holder is about to record an earlier error, unless it was killed just then. */
static bool row_lock(struct soft_peer *owner, struct signed_row *row)
{
	if (owner->connection < 0)
		return soft_owner_lock_take(&row->lock, row_repair, row, LOCK_STORE_MS);
	for (int i = 0; i < LOCK_WAITS && !__atomic_load_n(&owner->dead, __ATOMIC_RELAXED); i++) {
		if (shared_lock_take(&row->lock, soft_self.instance, &owner->dead))
			return true;
	}
	return false;
}

/* Keeps the first error until the owner of the row has read it. A process that dies in here has recorded nothing. */
static void wrong_note(const struct staged *use, enum signature_verdict verdict, uint64_t actual, uint64_t expected,
		       uint64_t offset)
{
	struct signed_row *row = use->row;

	if (__atomic_load_n(&row->is_wrong, __ATOMIC_RELAXED) || !row_lock(use->owner, row))
		return;
	if (!__atomic_load_n(&row->is_wrong, __ATOMIC_ACQUIRE)) {
		row->wrong = verdict;
		row->actual = actual;
		row->expected = expected;
		row->offset = offset;
		__atomic_store_n(&row->is_wrong, 1, __ATOMIC_RELEASE);
	}
	shared_lock_release(&row->lock);
}

/* Moves blocks from one side to the other: checks the source's signatures, and adds the destination's. */
static void blocks_move(const struct staged *use, uint8_t *to, const struct signature *to_signed, const uint8_t *from,
			const struct signature *from_signed)
{
	const uint32_t block = block_of(&use->config);
	const uint32_t to_step = block + signature_size(to_signed), from_step = block + signature_size(from_signed);

	for (uint64_t i = 0; i < use->blocks; i++, to += to_step, from += from_step) {
		enum signature_verdict verdict = SIGNATURE_RIGHT;
		uint64_t actual, expected;

		if (from_signed->kind != SIGNATURE_NONE)
			verdict = signature_check(from_signed, from, i, from + block, use->config.check_mask, &actual,
						  &expected);
		if (verdict)
			wrong_note(use, verdict, actual, expected, i * from_step);
		memcpy(to, from, block);
		if (to_signed->kind != SIGNATURE_NONE)
			signature_make(to_signed, from, i, to + block);
	}
}

static void wire_fill(const struct staged *use, uint64_t length)
{
	blocks_move(use, use->wire, &use->config.wire, use->memory, &use->config.memory);
	if (corrupt_at && corrupt_at <= length)
		use->wire[corrupt_at - 1] ^= 0x10;
	corrupt_at = 0;
}

/* The part of the region after this number of blocks. */
static uint8_t *region_part(struct soft_peer *owner, const struct staged *use, uint32_t access, uint32_t pd)
{
	const struct signed_config *config = &use->config;
	const uint64_t length = use->blocks * (block_of(config) + signature_size(&config->memory));
	const uint32_t needed = access & ACCESS_WRITES ? IBV_ACCESS_LOCAL_WRITE : 0;

	if (length > config->length)
		return NULL;
	return owner->connection < 0 ? soft_local_memory(config->region, config->addr, length, needed, pd)
				     : soft_peer_memory(owner, config->region, config->addr, length, needed, pd);
}

void *soft_signed_memory(struct soft_peer *owner, uint32_t key, uint64_t addr, uint64_t length, uint32_t access,
			 uint32_t pd)
{
	struct staged use = {.owner = owner, .is_written = access & ACCESS_WRITES};
	uint32_t step;

	if (!row_is_of(rows_of(owner), key, pd) || staged_count == MAX_STAGED || addr ||
	    access & IBV_ACCESS_REMOTE_ATOMIC)
		return NULL;
	use.row = signed_row_of(owner, key);
	/* A peer's row may change at any time: read it once. */
	memcpy(&use.config, &use.row->config, sizeof(use.config));
	if (!config_is_valid(&use.config) || (use.config.access & access) != access)
		return NULL;
	step = block_of(&use.config) + signature_size(&use.config.wire);
	use.blocks = length / step;
	use.memory = length % step ? NULL : region_part(owner, &use, access, pd);
	if (!use.memory)
		return NULL;
	if (!staged)
		staged = malloc(MAX_STAGED * sizeof(*staged));
	use.wire = staged ? malloc(length) : NULL;
	if (!use.wire) {
		if (!staged_count)
			soft_signed_drop_all();
		return NULL;
	}
	__atomic_store_n(&soft_signed_is_used, 1, __ATOMIC_RELAXED);
	if (!use.is_written)
		wire_fill(&use, length);
	staged[staged_count++] = use;
	return use.wire;
}

bool soft_signed_arrive_all(void)
{
	bool is_lost = false;

	for (uint32_t i = 0; i < staged_count; i++) {
		const struct staged *use = &staged[i];

		if (use->is_written)
			blocks_move(use, use->memory, &use->config.memory, use->wire, &use->config.wire);
		is_lost |= soft_peer_file_is_lost(use->memory);
	}
	soft_signed_drop_all();
	return is_lost;
}

void soft_signed_drop_all(void)
{
	while (staged_count)
		free(staged[--staged_count].wire);
	free(staged);
	staged = NULL;
}

bool soft_signed_has_staged(void)
{
	return staged_count;
}

void soft_signed_clear(uint32_t key)
{
	uint32_t end = __atomic_load_n(&signed_end, __ATOMIC_RELAXED);

	memset(signed_row_of(&soft_self_peer, key), 0, sizeof(struct signed_row));
	while (end <= KEY_INDEX(key) && !__atomic_compare_exchange_n(&signed_end, &end, KEY_INDEX(key) + 1, false,
								     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* Only rows that were used for such keys: reading others would allocate memory. */
void soft_signed_repair_all(uint32_t instance)
{
	const uint32_t end = __atomic_load_n(&signed_end, __ATOMIC_RELAXED);

	for (uint32_t i = 0; i < end; i++) {
		if (soft_self.mrs[i].id && soft_self.mrs[i].kind == MR_SIGNED)
			row_repair(signed_row_of(&soft_self_peer, i), instance);
	}
}

bool soft_signed_take_wrong(uint32_t key, struct soft_signed_wrong *wrong)
{
	struct signed_row *row = signed_row_of(&soft_self_peer, key);

	if (!__atomic_load_n(&row->is_wrong, __ATOMIC_ACQUIRE))
		return false;
	*wrong = (struct soft_signed_wrong){
		.what = row->wrong, .actual = row->actual, .expected = row->expected, .offset = row->offset};
	__atomic_store_n(&row->is_wrong, 0, __ATOMIC_RELEASE);
	return true;
}

int soft_signed_configure(uint32_t pd, uint32_t key, const uint8_t *bytes, uint64_t length)
{
	struct signed_config *config, asked;

	if (length != sizeof(asked) || !row_is_of(soft_self.mrs, key, pd))
		return IBV_WC_MW_BIND_ERR;
	memcpy(&asked, bytes, sizeof(asked));
	config = &signed_row_of(&soft_self_peer, key)->config;
	/* What the request does not set is unchanged. */
	if (!(asked.sets & SIGNED_ACCESS))
		asked.access = config->access;
	if (!(asked.sets & SIGNED_LAYOUT)) {
		asked.region = config->region;
		asked.addr = config->addr;
		asked.length = config->length;
	}
	if (!(asked.sets & SIGNED_SIGNATURES)) {
		asked.memory = config->memory;
		asked.wire = config->wire;
		asked.check_mask = config->check_mask;
	}
	if (asked.sets & SIGNED_LAYOUT && !soft_local_memory(asked.region, asked.addr, asked.length, 0, pd))
		return IBV_WC_MW_BIND_ERR;
	*config = asked;
	return IBV_WC_SUCCESS;
}
