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

#include "abi/abi.h"
#include "host/fault.h"
#include "host/mapping.h"

#define DM_ALIGN     4u
#define DM_PAGE_LOG2 12

struct soft_dm {
	struct ibv_dm base;
	uint32_t holders; /* regions of it */
	size_t size;	  /* bytes */
	uint8_t *start;
};

static size_t dm_taken; /* bytes, at most SOFT_MAX_DM_SIZE */

static const struct soft_dm *soft_dm_of(const struct ibv_dm *dm)
{
	return (const struct soft_dm *)dm;
}

static bool dm_contains(const struct soft_dm *memory, uint64_t offset, size_t length)
{
	return offset <= memory->size && length <= memory->size - offset;
}

static bool may_copy(const struct soft_dm *memory, uint64_t offset, size_t length)
{
	return offset % DM_ALIGN == 0 && length % DM_ALIGN == 0 && dm_contains(memory, offset, length);
}

static int copy_to(struct ibv_dm *dm, uint64_t offset, const void *from, size_t length)
{
	if (!may_copy(soft_dm_of(dm), offset, length))
		return EINVAL;
	memcpy(soft_dm_of(dm)->start + offset, from, length);
	return 0;
}

static int copy_from(void *to, struct ibv_dm *dm, uint64_t offset, size_t length)
{
	if (!may_copy(soft_dm_of(dm), offset, length))
		return EINVAL;
	memcpy(to, soft_dm_of(dm)->start + offset, length);
	return 0;
}

static bool dm_take(size_t length)
{
	size_t taken = __atomic_load_n(&dm_taken, __ATOMIC_RELAXED);

	while (length <= SOFT_MAX_DM_SIZE - taken) {
		if (__atomic_compare_exchange_n(&dm_taken, &taken, taken + length, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return true;
	}
	return false;
}

struct ibv_dm *soft_alloc_dm(struct ibv_context *context, struct ibv_alloc_dm_attr *attr)
{
	struct soft_dm *dm;

	if (attr->comp_mask)
		return soft_refuse(EOPNOTSUPP);
	if (!attr->length || attr->log_align_req > DM_PAGE_LOG2)
		return soft_refuse(EINVAL);
	dm = soft_fault_alloc(FAULT_ALLOC_DM, sizeof(*dm));
	if (!dm)
		return NULL;
	if (!dm_take(attr->length))
		goto err_free;
	dm->start = mapping_make_private(attr->length);
	if (!dm->start)
		goto err_give;
	dm->size = attr->length;
	dm->base = (struct ibv_dm){.context = context, .memcpy_to_dm = copy_to, .memcpy_from_dm = copy_from};
	return &dm->base;

err_give:
	__atomic_sub_fetch(&dm_taken, attr->length, __ATOMIC_RELAXED);
err_free:
	free(dm);
	return soft_refuse(ENOMEM);
}

int soft_free_dm(struct ibv_dm *public)
{
	struct soft_dm *dm = (struct soft_dm *)public;

	if (__atomic_load_n(&dm->holders, __ATOMIC_ACQUIRE))
		return EBUSY;
	mapping_drop(dm->start, dm->size);
	__atomic_sub_fetch(&dm_taken, dm->size, __ATOMIC_RELAXED);
	free(dm);
	return 0;
}

struct ibv_mr *soft_reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t offset, size_t length, unsigned int access)
{
	struct soft_dm *memory = (struct soft_dm *)dm;
	struct ibv_mr *mr;

	if (!(access & IBV_ACCESS_ZERO_BASED) || access & IBV_ACCESS_OPTIONAL_RANGE ||
	    !dm_contains(memory, offset, length))
		return soft_refuse(EINVAL);
	mr = soft_reg_counted_mr(pd, memory->start + offset, length, 0, access, &memory->holders);
	if (mr)
		mr->addr = NULL; /* the program has no address for it */
	return mr;
}
