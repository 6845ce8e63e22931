// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A libibverbs with one device, to see what the software device passes on to it. See fake_ibverbs.h. */
#include <errno.h>
#include <stdlib.h>

#include "fake_ibverbs.h"

#undef ibv_reg_mr

struct fake_ibverbs fake_ibverbs = {
	.has_devices = true,
	.device = {.name = "real0", .node_type = IBV_NODE_CA},
	.context = {.device = &fake_ibverbs.device},
	.pd = {.context = &fake_ibverbs.context},
	.mr = {.context = &fake_ibverbs.context},
};

struct ibv_device **ibv_get_device_list(int *count)
{
	if (count)
		*count = fake_ibverbs.has_devices;
	if (!fake_ibverbs.has_devices) {
		errno = ENOSYS;
		return NULL;
	}
	fake_ibverbs.list = calloc(2, sizeof(*fake_ibverbs.list));
	fake_ibverbs.list[0] = &fake_ibverbs.device;
	return fake_ibverbs.list;
}

void ibv_free_device_list(struct ibv_device **list)
{
	if (list == fake_ibverbs.list)
		fake_ibverbs.list = NULL;
	free(list);
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	fake_ibverbs.calls++;
	return device == &fake_ibverbs.device ? &fake_ibverbs.context : NULL;
}

int ibv_close_device(struct ibv_context *context)
{
	fake_ibverbs.calls++;
	return context == &fake_ibverbs.context ? 0 : EINVAL;
}

int ibv_query_gid(struct ibv_context *context, uint8_t port_num, int index, union ibv_gid *gid)
{
	fake_ibverbs.calls++;
	*gid = (union ibv_gid){.raw = {port_num, (uint8_t)index}};
	return context == &fake_ibverbs.context ? 0 : -1;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	fake_ibverbs.calls++;
	return context == &fake_ibverbs.context ? &fake_ibverbs.pd : NULL;
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
	fake_ibverbs.calls++;
	fake_ibverbs.mr.pd = pd;
	fake_ibverbs.mr.addr = addr;
	fake_ibverbs.mr.length = length;
	fake_ibverbs.mr.handle = (uint32_t)access;
	return &fake_ibverbs.mr;
}

struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access)
{
	fake_ibverbs.calls++;
	fake_ibverbs.mr.pd = pd;
	fake_ibverbs.mr.addr = (void *)(uintptr_t)(offset + iova);
	fake_ibverbs.mr.length = length;
	fake_ibverbs.mr.lkey = (uint32_t)fd;
	fake_ibverbs.mr.handle = (uint32_t)access;
	return &fake_ibverbs.mr;
}
