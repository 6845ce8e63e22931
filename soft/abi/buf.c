// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Buffers allocated by the device, for programs built for rdma-core 64 or later: ibv_alloc_buf(), ibv_free_buf(),
 * ibv_reg_buf_mr(), called through export.c. Plain zeroed pages; registration shares them like any others.
 *
 * A buffer's handle is opaque and does not show whether it is ours, so ours are kept in a list.
 */
#include "config.h"

#include "abi/abi.h"
#include "abi/verbs_later.h"
#include "host/mapping.h"

struct soft_buf {
	struct soft_buf *next;
	struct ibv_pd *pd; /* the one it was allocated from, not owned */
	uint8_t *addr;
	size_t size; /* bytes */
};

static pthread_mutex_t buf_lock = PTHREAD_MUTEX_INITIALIZER;
static struct soft_buf *buf_list;

/* The link that points to buf, or to the end of the list; the lock is held. */
static struct soft_buf **buf_find(const struct ibv_buf *buf)
{
	struct soft_buf **link = &buf_list;

	while (*link && *link != (const struct soft_buf *)buf)
		link = &(*link)->next;
	return link;
}

bool soft_owns_buf(const struct ibv_buf *buf)
{
	bool owned;

	pthread_mutex_lock(&buf_lock);
	owned = *buf_find(buf);
	pthread_mutex_unlock(&buf_lock);
	return owned;
}

void *soft_alloc_buf(struct ibv_pd *pd, size_t size, struct ibv_buf **buf)
{
	struct soft_buf *new_buf = malloc(sizeof(*new_buf));

	if (!new_buf)
		return NULL;
	new_buf->addr = mapping_make_private(size);
	if (!new_buf->addr) {
		free(new_buf);
		return NULL;
	}
	new_buf->pd = pd;
	new_buf->size = size;
	pthread_mutex_lock(&buf_lock);
	new_buf->next = buf_list;
	buf_list = new_buf;
	pthread_mutex_unlock(&buf_lock);
	*buf = (struct ibv_buf *)new_buf;
	return new_buf->addr;
}

void soft_free_buf(struct ibv_buf *buf)
{
	struct soft_buf *old = (struct soft_buf *)buf;
	struct soft_buf **link;

	pthread_mutex_lock(&buf_lock);
	link = buf_find(buf);
	*link = old->next;
	pthread_mutex_unlock(&buf_lock);
	mapping_drop(old->addr, old->size);
	free(old);
}

/* EINVAL: outside the buffer, or not the domain that it was allocated from. */
static struct ibv_mr *reg_mr_of_buf(struct ibv_pd *pd, const struct ibv_buf *buf, void *addr, size_t length,
				    uint64_t iova, unsigned int access)
{
	const struct soft_buf *owned = (const struct soft_buf *)buf;
	size_t offset;

	if (!soft_owns_buf(buf) || owned->pd != pd)
		return soft_refuse(EINVAL);
	offset = (size_t)((uint8_t *)addr - owned->addr);
	if ((uint8_t *)addr < owned->addr || offset > owned->size || length > owned->size - offset)
		return soft_refuse(EINVAL);
	return soft_reg_mr(pd, addr, length, iova, access);
}

struct ibv_mr *soft_reg_buf_mr(struct ibv_pd *pd, struct ibv_buf *buf, void *addr, size_t length, int access)
{
	return reg_mr_of_buf(pd, buf, addr, length, (uintptr_t)addr, (unsigned int)access);
}

/* For programs built for rdma-core 59 or later: all parameters in one structure, a buffer among them. */
struct ibv_mr *soft_reg_mr_ex(struct ibv_pd *pd, struct ibv_mr_init_attr *attr)
{
	const uint64_t known = IBV_REG_MR_MASK_IOVA | IBV_REG_MR_MASK_ADDR | SOFT_REG_MR_MASK_BUF;
	uint64_t iova;

	/* dma-buf memory, cache steering hints, and what later versions add, are not supported. */
	if (attr->comp_mask & ~known)
		return soft_refuse(EOPNOTSUPP);
	if (!(attr->comp_mask & IBV_REG_MR_MASK_ADDR))
		return soft_refuse(EINVAL);
	iova = attr->comp_mask & IBV_REG_MR_MASK_IOVA ? attr->iova : (uintptr_t)attr->addr;
	if (attr->comp_mask & SOFT_REG_MR_MASK_BUF)
		return reg_mr_of_buf(pd, ((const struct soft_mr_init_attr_later *)attr)->buf, attr->addr, attr->length,
				     iova, (unsigned int)attr->access);
	return soft_reg_mr(pd, attr->addr, attr->length, iova, (unsigned int)attr->access);
}
