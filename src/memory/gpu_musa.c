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

static const struct library_symbol symbols[] = {
	LIBRARY_ROW("muInit", own.init),
	LIBRARY_ROW("muDeviceGetCount", own.count),
	LIBRARY_ROW("muDeviceGet", own.get),
	LIBRARY_ROW("muDeviceGetByPCIBusId", own.by_bus),
	LIBRARY_ROW("muDevicePrimaryCtxRetain", own.retain),
	LIBRARY_ROW("muCtxSetCurrent", musa.set_current),
	LIBRARY_ROW("muMemAlloc_v2", musa.alloc, .older = "muMemAlloc"),
	LIBRARY_ROW("muMemFree_v2", musa.free, .older = "muMemFree"),
	LIBRARY_ROW("muMemcpyHtoD_v2", own.to_device, .older = "muMemcpyHtoD"),
	LIBRARY_ROW("muMemcpyDtoH_v2", musa.to_host, .older = "muMemcpyDtoH"),
	LIBRARY_ROW("muCtxSynchronize", own.synchronize),
	LIBRARY_ROW("muGetErrorName", musa.error_name),
	LIBRARY_ROW("muMemGetHandleForAddressRange", musa.handle, .is_optional = true),
	{.name = NULL},
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
	.libraries = {{.files = {"libmusa.so.1", "libmusa.so"},
		       .symbols = symbols,
		       .comes_with = "the driver's software"}},
	.memory = &memory.ops,
	.start = gpu_musa_start,
	.use = gpu_musa_use,
	.use_at = gpu_musa_use_at,
	.describe = gpu_musa_describe,
};
