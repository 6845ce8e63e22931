// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Moore Threads GPU memory, with the MUSA driver API, which is like CUDA's (MUSA SDK documentation, "MUSA Driver API");
 * dmabufs if driver and kernel support them. Names with _v2 have 64-bit sizes; in releases without them the plain names
 * do.
 */
#include "memory/kinds.h"

static struct driver_api musa;
static struct {
	int (*init)(unsigned flags);
	int (*count)(int *count);
	int (*get)(int *device, int index);
	int (*by_bus)(int *device, const char *bus_id);
	int (*retain)(void **context, int device);
	int (*to_device)(uint64_t to, const void *from, size_t bytes);
	int (*synchronize)(void);
} own;

static void *context;
static unsigned long long flags; /* for dmabufs */

static const char *const files[] = {"libmusa.so.1", "libmusa.so", NULL};
static const struct library_symbol symbols[] = {
	{"muInit", LIBRARY_ADDRESS(own.init), NULL, NULL, false},
	{"muDeviceGetCount", LIBRARY_ADDRESS(own.count), NULL, NULL, false},
	{"muDeviceGet", LIBRARY_ADDRESS(own.get), NULL, NULL, false},
	{"muDeviceGetByPCIBusId", LIBRARY_ADDRESS(own.by_bus), NULL, NULL, false},
	{"muDevicePrimaryCtxRetain", LIBRARY_ADDRESS(own.retain), NULL, NULL, false},
	{"muCtxSetCurrent", LIBRARY_ADDRESS(musa.set_current), NULL, NULL, false},
	{"muMemAlloc_v2", LIBRARY_ADDRESS(musa.alloc), NULL, "muMemAlloc", false},
	{"muMemFree_v2", LIBRARY_ADDRESS(musa.free), NULL, "muMemFree", false},
	{"muMemcpyHtoD_v2", LIBRARY_ADDRESS(own.to_device), NULL, "muMemcpyHtoD", false},
	{"muMemcpyDtoH_v2", LIBRARY_ADDRESS(musa.to_host), NULL, "muMemcpyDtoH", false},
	{"muCtxSynchronize", LIBRARY_ADDRESS(own.synchronize), NULL, NULL, false},
	{"muGetErrorName", LIBRARY_ADDRESS(musa.error_name), NULL, NULL, false},
	{"muMemGetHandleForAddressRange", LIBRARY_ADDRESS(musa.handle), NULL, NULL, true},
	{NULL, NULL, NULL, NULL, false},
};

static const struct driver_memory memory = {
	.ops = DRIVER_MEMORY_OPS("MUSA", driver_memory_free, NULL),
	.vendor = "Moore Threads",
	.api = &musa,
	.context = &context,
	.flags = &flags,
};

void gpu_musa_want(bool pcie_mapping)
{
	flags = pcie_mapping ? DRIVER_DMABUF_PCIE : 0;
}

static const char *gpu_musa_describe(int error, char *text, size_t size)
{
	return driver_describe(&musa, error, text, size);
}

/* Like CUDA's, a copy to the GPU may return before the data is there, and the NIC would send what was there before. */
static int copy_to_device(uint64_t to, const void *from, size_t bytes)
{
	const int ret = own.to_device(to, from, bytes);

	return ret ? ret : own.synchronize();
}

static int gpu_musa_start(int *count)
{
	const int ret = own.init(0);

	musa.to_device = copy_to_device;
	return ret ? ret : own.count(count);
}

static int gpu_musa_use_device(int device)
{
	const int ret = own.retain(&context, device);

	return ret ? ret : driver_enter(&memory);
}

static int gpu_musa_use(int index)
{
	int device = 0;
	const int ret = own.get(&device, index);

	return ret ? ret : gpu_musa_use_device(device);
}

static int gpu_musa_use_at(const char *bus_id)
{
	int device = 0;
	const int ret = own.by_bus(&device, bus_id);

	return ret ? ret : gpu_musa_use_device(device);
}

const struct gpu_kind gpu_musa = {
	.type = GPU_MUSA,
	.name = "Moore Threads",
	.libraries = {{files, symbols, "the driver's software", false}},
	.memory = &memory.ops,
	.start = gpu_musa_start,
	.use = gpu_musa_use,
	.use_at = gpu_musa_use_at,
	.describe = gpu_musa_describe,
};
