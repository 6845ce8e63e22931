// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Device memory: pages of the library, whose address the program does not know. It copies to and from them, and
 * registers parts of them, whose addresses start at zero. Each process has SOFT_MAX_DM_SIZE of it. Called through
 * export.c and the operations of a context.
 *
 * As with adapters, copies have an offset and length that are multiples of four bytes, and a region has no optional
 * access rights.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/abi.h"
#include "host/fault.h"
#include "host/mapping.h"

#define DM_ALIGN     4u
#define DM_PAGE_LOG2 12

struct dm_memory {
	struct dm_memory *next;
	uint32_t handle;
	uint32_t users;	  /* objects that refer to it; under dm_lock */
	uint32_t holders; /* regions of it */
	bool is_freed;	  /* freed, but imports still keep the memory */
	size_t size;	  /* bytes */
	uint8_t *start;
};

struct soft_dm {
	struct ibv_dm base;
	struct dm_memory *memory;
};

static pthread_mutex_t dm_lock = PTHREAD_MUTEX_INITIALIZER;
static struct dm_memory *dm_list;
static size_t dm_taken; /* bytes, at most SOFT_MAX_DM_SIZE */
static uint32_t dm_last_handle;

static struct dm_memory *memory_of(const struct ibv_dm *dm)
{
	return ((const struct soft_dm *)dm)->memory;
}

static bool dm_contains(const struct dm_memory *memory, uint64_t offset, size_t length)
{
	return offset <= memory->size && length <= memory->size - offset;
}

static bool may_copy(const struct dm_memory *memory, uint64_t offset, size_t length)
{
	return offset % DM_ALIGN == 0 && length % DM_ALIGN == 0 && dm_contains(memory, offset, length);
}

static int copy_to(struct ibv_dm *dm, uint64_t offset, const void *from, size_t length)
{
	if (!may_copy(memory_of(dm), offset, length))
		return EINVAL;
	memcpy(memory_of(dm)->start + offset, from, length);
	return 0;
}

static int copy_from(void *to, struct ibv_dm *dm, uint64_t offset, size_t length)
{
	if (!may_copy(memory_of(dm), offset, length))
		return EINVAL;
	memcpy(to, memory_of(dm)->start + offset, length);
	return 0;
}

static struct ibv_dm *dm_of(struct ibv_context *context, struct dm_memory *memory, struct soft_dm *dm)
{
	*dm = (struct soft_dm){.base = {.context = context,
					.memcpy_to_dm = copy_to,
					.memcpy_from_dm = copy_from,
					.handle = memory->handle},
			       .memory = memory};
	return &dm->base;
}

/* Reserves the bytes; 0 or a positive errno. */
static int size_take(size_t size)
{
	int err = 0;

	pthread_mutex_lock(&dm_lock);
	if (size > SOFT_MAX_DM_SIZE - dm_taken)
		err = ENOMEM;
	else
		dm_taken += size;
	pthread_mutex_unlock(&dm_lock);
	return err;
}

struct ibv_dm *soft_alloc_dm(struct ibv_context *context, struct ibv_alloc_dm_attr *attr)
{
	struct dm_memory *memory = calloc(1, sizeof(*memory));
	struct soft_dm *dm = malloc(sizeof(*dm));
	int err = ENOMEM;

	if (!memory || !dm)
		goto err_free;
	err = attr->comp_mask ? EOPNOTSUPP : 0;
	if (!err && (!attr->length || attr->log_align_req > DM_PAGE_LOG2))
		err = EINVAL;
	if (!err)
		err = soft_fault_strikes(FAULT_ALLOC_DM) ? ENOMEM : size_take(attr->length);
	if (err)
		goto err_free;
	memory->start = mapping_make_private(attr->length);
	if (!memory->start)
		goto err_give;
	memory->size = attr->length;
	memory->users = 1;
	pthread_mutex_lock(&dm_lock);
	memory->handle = ++dm_last_handle;
	memory->next = dm_list;
	dm_list = memory;
	pthread_mutex_unlock(&dm_lock);
	return dm_of(context, memory, dm);

err_give:
	err = errno;
	pthread_mutex_lock(&dm_lock);
	dm_taken -= attr->length;
	pthread_mutex_unlock(&dm_lock);
err_free:
	free(memory);
	free(dm);
	return soft_refuse(err);
}

/* dm_lock is held. */
static void memory_give(struct dm_memory *memory)
{
	struct dm_memory **link = &dm_list;

	if (--memory->users)
		return;
	while (*link != memory)
		link = &(*link)->next;
	*link = memory->next;
	dm_taken -= memory->size;
	mapping_drop(memory->start, memory->size);
	free(memory);
}

int soft_free_dm(struct ibv_dm *dm)
{
	struct dm_memory *memory = memory_of(dm);

	if (__atomic_load_n(&memory->holders, __ATOMIC_ACQUIRE))
		return EBUSY;
	pthread_mutex_lock(&dm_lock);
	memory->is_freed = true;
	memory_give(memory);
	pthread_mutex_unlock(&dm_lock);
	free(dm);
	return 0;
}

struct ibv_dm *soft_import_dm(struct ibv_context *context, uint32_t handle)
{
	struct soft_dm *dm = malloc(sizeof(*dm));
	struct dm_memory *memory;

	if (!dm)
		return NULL;
	pthread_mutex_lock(&dm_lock);
	for (memory = dm_list; memory && (memory->handle != handle || memory->is_freed); memory = memory->next)
		;
	if (memory)
		memory->users++;
	pthread_mutex_unlock(&dm_lock);
	if (memory)
		return dm_of(context, memory, dm);
	free(dm);
	return soft_refuse(ENOENT);
}

void soft_unimport_dm(struct ibv_dm *dm)
{
	pthread_mutex_lock(&dm_lock);
	memory_give(memory_of(dm));
	pthread_mutex_unlock(&dm_lock);
	free(dm);
}

struct ibv_mr *soft_reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t offset, size_t length, unsigned int access)
{
	struct dm_memory *memory = memory_of(dm);
	struct ibv_mr *mr;

	if (!(access & IBV_ACCESS_ZERO_BASED) || access & IBV_ACCESS_OPTIONAL_RANGE ||
	    !dm_contains(memory, offset, length))
		return soft_refuse(EINVAL);
	mr = soft_reg_held_mr(pd, memory->start + offset, length, 0, access, &memory->holders);
	if (mr)
		mr->addr = NULL; /* the program has no address for it */
	return mr;
}
