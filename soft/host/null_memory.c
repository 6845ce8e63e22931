// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Memory for null regions: reads return zeroes, writes are discarded. Each process has two address ranges for this,
 * created on first use: read-only pages, which the kernel backs with its single page of zeroes; and one file of a few
 * MiB, mapped repeatedly, so that a large discarded message costs no more memory than that. Called by the data path
 * when a key resolved to nothing.
 */
#include "config.h"

#include "host/null_memory.h"

#include <pthread.h>

#include "host/mapping.h"
#include "soft.h"

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

void *soft_null_memory(const struct mr_row *rows, uint32_t key, uint32_t pd, bool writes)
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
