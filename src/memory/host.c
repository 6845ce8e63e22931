// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Ordinary memory of this process. Mapped pages and not malloc(): registration pins and may remap whole pages, which
 * must not contain other data. And none at all: --use-null-mr. See kinds.h.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <string.h>
#include <sys/mman.h>

#include "memory/kinds.h"
#include "memory/memory.h"
#include "util/log.h"

int memory_host_alloc(struct buffer *buffer, struct ibv_context *context)
{
	void *pages = mmap(NULL, buffer->length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)context;
	if (pages == MAP_FAILED) {
		int err = errno;

		return log_fail(-err, "no memory for a buffer of %zu bytes: %s; lower -s, or the number of buffers",
				buffer->length, strerror(err));
	}
	buffer->addr = pages;
	return 0;
}

void memory_host_free(struct buffer *buffer)
{
	munmap(buffer->addr, buffer->length);
}

void memory_host_copy(const struct buffer *buffer, void *to, const void *from, size_t bytes, enum copy_direction which)
{
	(void)buffer;
	(void)which;
	memcpy(to, from, bytes);
}

const struct memory_ops memory_host = {
	.name = "host", .alloc = memory_host_alloc, .free = memory_host_free, .copy = memory_host_copy};

/* --- the null region: the device never accesses the host memory of such a buffer --- */

/* Drivers only fill in the lkey; it is used as the rkey as well, as in linux-rdma perftest. */
static struct ibv_mr *null_region_register(const struct buffer *buffer, struct ibv_pd *pd, unsigned access)
{
	struct ibv_mr *mr = ibv_alloc_null_mr(pd);

	(void)buffer;
	(void)access;
	if (mr && !mr->rkey)
		mr->rkey = mr->lkey;
	return mr;
}

const struct memory_ops memory_null_region = {
	.name = "null",
	.alloc = memory_host_alloc,
	.free = memory_host_free,
	.copy = memory_host_copy,
	.register_mr = null_region_register,
};
