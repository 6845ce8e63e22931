// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Cambricon MLU memory, with the CNDrv API ("Cambricon Driver API Developer Guide": context and memory management),
 * which is like CUDA's but has 64-bit device numbers; dmabufs if driver and kernel support them.
 */

#include "memory/gpu.h"

static struct driver_api cndrv;
static struct {
	int (*init)(unsigned flags);
	int (*count)(int *count);
	int (*get)(int64_t *device, int index);
	int (*acquire)(void **context, int64_t device); /* the context that the process shares */
} own;

static void *context;

static const struct library_symbol symbols[] = {
	LIBRARY_ROW("cnInit", own.init),
	LIBRARY_ROW("cnDeviceGetCount", own.count),
	LIBRARY_ROW("cnDeviceGet", own.get),
	LIBRARY_ROW("cnSharedContextAcquire", own.acquire),
	LIBRARY_ROW("cnCtxSetCurrent", cndrv.set_current),
	LIBRARY_ROW("cnMalloc", cndrv.alloc),
	LIBRARY_ROW("cnFree", cndrv.free),
	LIBRARY_ROW("cnMemcpyHtoD", cndrv.to_device),
	LIBRARY_ROW("cnMemcpyDtoH", cndrv.to_host),
	LIBRARY_ROW("cnGetErrorName", cndrv.error_name),
	LIBRARY_ROW("cnMemGetHandleForAddressRange", cndrv.handle, .is_optional = true),
	{.name = NULL},
};

static const struct driver_memory memory = {
	.ops = DRIVER_MEMORY_OPS("MLU", driver_memory_free, NULL),
	.vendor = "Cambricon",
	.api = &cndrv,
	.context = &context,
};

static const char *gpu_mlu_describe(int error, char *text, size_t size)
{
	return driver_describe(&cndrv, error, text, size);
}

static int gpu_mlu_start(int *count)
{
	const int ret = own.init(0);

	return ret ? ret : own.count(count);
}

static int gpu_mlu_use(int index)
{
	int64_t device = 0;
	int ret = own.get(&device, index);

	ret = ret ?: own.acquire(&context, device);
	return ret ? ret : driver_enter(&memory);
}

const struct gpu_kind gpu_mlu = {
	.type = GPU_MLU,
	.name = "Cambricon",
	.libraries = {{.files = {"libcndrv.so", "libcndrv.so.1"},
		       .symbols = symbols,
		       .comes_with = "the Neuware toolkit"}},
	.memory = &memory.ops,
	.start = gpu_mlu_start,
	.use = gpu_mlu_use,
	.describe = gpu_mlu_describe,
};
