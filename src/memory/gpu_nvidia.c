// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * NVIDIA GPU memory, with the CUDA driver API (CUDA Driver API reference, "Memory Management", "Unified Addressing"),
 * in the device's primary context; dmabufs if driver and kernel support them.
 */
#include "memory/kinds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/log.h"

#define ATTACH_GLOBAL	   1	 /* CU_MEM_ATTACH_GLOBAL */
#define INTEGRATED	   18	 /* CU_DEVICE_ATTRIBUTE_INTEGRATED: no memory of its own */
#define SYNC_MEMOPS	   6	 /* CU_POINTER_ATTRIBUTE_SYNC_MEMOPS */
#define PAGEABLE	   88	 /* CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS: can access all host memory */
#define CPU_PAGES	   100	 /* CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES */
#define VERSION_OF_MAPPING 12080 /* driver version: dmabufs can be mapped through PCIe since CUDA 12.8 */
#define OUT_OF_MEMORY	   2	 /* CUDA_ERROR_OUT_OF_MEMORY */
#define NON_BLOCKING	   1	 /* CU_STREAM_NON_BLOCKING */
#define LANES		   32	 /* threads of the kernel that touches pages */
#define NO_MAPPING	   (-1)	 /* not an error of CUDA */

static struct driver_api cuda, device_memory, managed_memory;
static struct {
	int (*init)(unsigned flags);
	int (*version)(int *version);
	int (*count)(int *count);
	int (*get)(int *device, int index);
	int (*by_bus)(int *device, const char *bus_id);
	int (*attribute)(int *value, int attribute, int device);
	int (*retain)(void **context, int device);
	int (*set_attribute)(const void *value, int attribute, uint64_t address);
	int (*alloc_managed)(uint64_t *address, size_t bytes, unsigned flags);
	int (*alloc_host)(void **address, size_t bytes);
	int (*free_host)(void *address);
	int (*load)(void **module, const void *image);
	int (*function)(void **function, void *module, const char *name);
	int (*unload)(void *module);
	int (*stream)(void **stream, unsigned flags);
	int (*synchronize)(void *stream);
	int (*drop_stream)(void *stream);
	int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
		      unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream, void **arguments,
		      void **extra);
} own;

static struct cuda_choice choice;
static void *context; /* of the selected device */
static int device;
static int version;		 /* of the driver: 1000 * major + 10 * minor */
static unsigned long long flags; /* for dmabufs */
static const char *doubt;	 /* of them */

static const struct driver_memory in_device;

static const struct library_symbol symbols[] = {
	LIBRARY_ROW("cuInit", own.init),
	LIBRARY_ROW("cuDriverGetVersion", own.version),
	LIBRARY_ROW("cuDeviceGetCount", own.count),
	LIBRARY_ROW("cuDeviceGet", own.get),
	LIBRARY_ROW("cuDeviceGetByPCIBusId", own.by_bus),
	LIBRARY_ROW("cuDeviceGetAttribute", own.attribute),
	LIBRARY_ROW("cuDevicePrimaryCtxRetain", own.retain),
	LIBRARY_ROW("cuCtxSetCurrent", cuda.set_current),
	LIBRARY_ROW("cuMemAlloc_v2", cuda.alloc),
	LIBRARY_ROW("cuMemFree_v2", cuda.free),
	LIBRARY_ROW("cuPointerSetAttribute", own.set_attribute),
	LIBRARY_ROW("cuMemAllocManaged", own.alloc_managed),
	LIBRARY_ROW("cuMemAllocHost_v2", own.alloc_host),
	LIBRARY_ROW("cuMemFreeHost", own.free_host),
	LIBRARY_ROW("cuModuleLoadData", own.load),
	LIBRARY_ROW("cuModuleGetFunction", own.function),
	LIBRARY_ROW("cuModuleUnload", own.unload),
	LIBRARY_ROW("cuStreamCreate", own.stream),
	LIBRARY_ROW("cuStreamSynchronize", own.synchronize),
	LIBRARY_ROW("cuStreamDestroy_v2", own.drop_stream),
	LIBRARY_ROW("cuLaunchKernel", own.launch),
	LIBRARY_ROW("cuMemcpyHtoD_v2", cuda.to_device),
	LIBRARY_ROW("cuMemcpyDtoH_v2", cuda.to_host),
	LIBRARY_ROW("cuGetErrorName", cuda.error_name),
	LIBRARY_ROW("cuMemGetHandleForAddressRange", cuda.handle, .is_optional = true), /* since CUDA 11.7 */
	{.name = NULL},
};

void gpu_nvidia_want(const struct cuda_choice *wanted)
{
	choice = *wanted;
}

static const char *gpu_nvidia_describe(int error, char *text, size_t size)
{
	if (error != NO_MAPPING)
		return driver_describe(&cuda, error, text, size);
	snprintf(text, size, "its driver supports CUDA %d.%d, but mapping a dmabuf through PCIe needs 12.8",
		 version / 1000, version % 1000 / 10);
	return text;
}

static int gpu_nvidia_start(int *count)
{
	const int ret = own.init(0);

	return ret ? ret : own.count(count);
}

/*
 * A copy to the GPU may return before the data is there, and then the NIC would send what was there before. With this
 * attribute copies wait (GPUDirect RDMA documentation, "Synchronization and Memory Ordering").
 */
static int alloc_synchronous(uint64_t *address, size_t bytes)
{
	const unsigned wanted = 1;
	uint64_t allocated;
	int ret = cuda.alloc(&allocated, bytes);

	if (ret)
		return ret;
	ret = own.set_attribute(&wanted, SYNC_MEMOPS, allocated);
	if (ret)
		cuda.free(allocated);
	else
		*address = allocated;
	return ret;
}

static int alloc_managed(uint64_t *address, size_t bytes)
{
	return own.alloc_managed(address, bytes, ATTACH_GLOBAL);
}

/* With unified addressing the GPU uses the same address. */
static int alloc_host(uint64_t *address, size_t bytes)
{
	void *host = NULL;
	const int ret = own.alloc_host(&host, bytes);

	*address = (uintptr_t)host;
	return ret;
}

static int free_host(uint64_t address)
{
	return own.free_host((void *)(uintptr_t)address);
}

/* 0, or NO_MAPPING if the driver is too old for the mapping. */
static int want_mapping(void)
{
	flags = choice.pcie_mapping ? DRIVER_DMABUF_PCIE : 0;
	return choice.pcie_mapping && version < VERSION_OF_MAPPING ? NO_MAPPING : 0;
}

/* A GPU with a coherent link to the CPU (GH200, GB200) has two ways for DMA, and a dmabuf is mapped for one of them. */
static void doubt_mapping(void)
{
	int linked;

	doubt = NULL;
	if (own.attribute(&linked, CPU_PAGES, device) || !linked)
		return;
	doubt = "the GPU's memory is mapped through its link to the CPU, which is wrong for an adapter that shares a "
		"PCIe switch with the GPU: then give --use_cuda_pcie_mapping";
	if (choice.pcie_mapping)
		doubt = "the GPU's memory is mapped through PCIe, which is wrong for an adapter that does not share a "
			"PCIe switch with the GPU: then omit --use_cuda_pcie_mapping";
}

static int gpu_nvidia_use_device(void)
{
	int integrated = 0, ret;

	device_memory = managed_memory = cuda;
	device_memory.alloc = alloc_synchronous;
	managed_memory.alloc = alloc_managed;
	managed_memory.handle = NULL;
	ret = own.retain(&context, device);
	ret = ret ?: driver_enter(&in_device);
	ret = ret ?: own.attribute(&integrated, INTEGRATED, device);
	ret = ret ?: own.version(&version);
	ret = ret ?: want_mapping();
	doubt_mapping();
	if (integrated) {
		device_memory.alloc = alloc_host;
		device_memory.free = free_host;
		device_memory.handle = NULL;
	}
	return ret;
}

static int gpu_nvidia_use(int index)
{
	const int ret = own.get(&device, index);

	return ret ? ret : gpu_nvidia_use_device();
}

static int gpu_nvidia_use_at(const char *bus_id)
{
	const int ret = own.by_bus(&device, bus_id);

	return ret ? ret : gpu_nvidia_use_device();
}

/* --- pinned host memory --- */

static int alloc_pinned(struct buffer *buffer, struct ibv_context *verbs)
{
	void *host = NULL;
	char text[128];
	int ret = driver_enter(&in_device);

	(void)verbs;
	ret = ret ?: own.alloc_host(&host, gpu_whole_pages(buffer->length) + GPU_PAGE);
	if (ret)
		return log_fail(-ENOMEM, "CUDA cannot pin host memory for a buffer of %zu bytes: %s", buffer->length,
				gpu_nvidia_describe(ret, text, sizeof(text)));
	buffer->addr = (uint8_t *)gpu_whole_pages((uintptr_t)host);
	buffer->private = host;
	return 0;
}

static void free_pinned(struct buffer *buffer)
{
	if (!driver_enter(&in_device))
		own.free_host(buffer->private);
}

/* --- migrating pages: --gpu_touch --- */

/*
 * A kernel that reads a byte of each page, so that pages that can migrate move to the GPU
 * while the NIC uses them. linux-rdma perftest's kernel writes zeros; reading preserves the data. The kernel is PTX,
 * which the driver compiles for the GPU at hand (CUDA documentation, "Parallel Thread Execution ISA").
 *
 * It runs in a stream of its own that does not synchronize with the legacy default stream, which is used for copies: an
 * infinite kernel would block them. It would also block calls that allocate, free, load or unload, since they may wait
 * for everything that runs on the device (CUDA C++ Programming Guide, "Implicit Synchronization", "Lazy Loading").
 * Hence the module and the flag that ends a kernel, in pinned host memory, are created before the first kernel starts;
 * the flag is shared, so that ending the first buffer's kernel ends all of them.
 */

/* LANES threads read every LANESth page each; *go is checked between rounds. */
static const char kernel[] = ".version 6.0\n"
			     ".target sm_50\n"
			     ".address_size 64\n"
			     ".visible .entry touch(.param .u64 base, .param .u64 bytes, .param .u64 go)\n"
			     "{\n"
			     "	.reg .pred %more;\n"
			     "	.reg .u32 %lane, %byte, %word;\n"
			     "	.reg .u64 %start, %end, %flag, %first, %at;\n"
			     "	ld.param.u64 %start, [base];\n"
			     "	ld.param.u64 %end, [bytes];\n"
			     "	ld.param.u64 %flag, [go];\n"
			     "	add.u64 %end, %end, %start;\n"
			     "	mov.u32 %lane, %tid.x;\n"
			     "	mul.wide.u32 %first, %lane, 4096;\n"
			     "	add.u64 %first, %first, %start;\n"
			     "ROUND:\n"
			     "	mov.u64 %at, %first;\n"
			     "PAGE:\n"
			     "	setp.ge.u64 %more, %at, %end;\n"
			     "	@%more bra LAST;\n"
			     "	ld.volatile.u8 %byte, [%at];\n"
			     "	add.u64 %at, %at, 131072;\n" /* LANES pages */
			     "	bra PAGE;\n"
			     "LAST:\n"
			     "	ld.volatile.u32 %word, [%flag];\n"
			     "	setp.ne.u32 %more, %word, 0;\n"
			     "	@%more bra ROUND;\n"
			     "	ret;\n"
			     "}\n";

/* Shared by all buffers. */
static struct {
	void *module, *function;
	volatile uint32_t *go; /* nonzero: start another round */
	unsigned users;
} shared;

struct cuda_touch {
	void *stream;
};

/* The last caller frees the shared objects. All kernels have ended. */
static void touch_leave(void)
{
	if (--shared.users)
		return;
	if (shared.go)
		own.free_host((void *)shared.go);
	if (shared.module)
		own.unload(shared.module);
	shared.go = NULL;
	shared.module = NULL;
}

/* 0 or an error of CUDA. */
static int touch_join(bool is_infinite)
{
	void *go = NULL;
	int ret;

	if (shared.users++)
		return 0;
	ret = own.load(&shared.module, kernel);
	ret = ret ?: own.function(&shared.function, shared.module, "touch");
	ret = ret ?: own.alloc_host(&go, sizeof(*shared.go));
	shared.go = go;
	if (ret)
		touch_leave();
	else
		*shared.go = is_infinite;
	return ret;
}

static void untouch(void *given)
{
	struct cuda_touch *touch = given;

	if (!touch)
		return;
	*shared.go = 0;
	if (touch->stream) {
		own.synchronize(touch->stream);
		own.drop_stream(touch->stream);
	}
	free(touch);
	touch_leave();
}

/* *result: for untouch(). 0, or an error of CUDA. */
static int touch_pages(uint64_t address, uint64_t bytes, bool is_infinite, void **result)
{
	struct cuda_touch *touch = calloc(1, sizeof(*touch));
	void *go, *arguments[] = {&address, &bytes, &go};
	int ret = touch ? touch_join(is_infinite) : OUT_OF_MEMORY;

	if (ret) {
		free(touch);
		return ret;
	}
	go = (void *)shared.go;
	ret = own.stream(&touch->stream, NON_BLOCKING);
	ret = ret ?: own.launch(shared.function, 1, 1, 1, LANES, 1, 1, 0, touch->stream, arguments, NULL);
	if (!ret && !is_infinite)
		ret = own.synchronize(touch->stream);
	if (!ret)
		*result = touch;
	else
		untouch(touch);
	return ret;
}

static int begin_touch(struct buffer *buffer)
{
	char text[128];
	int pageable = 1, ret;

	if (choice.touch == GPU_TOUCH_NONE)
		return 0;
	ret = driver_enter(&in_device);
	if (!ret && choice.memory == CUDA_MEMORY_MALLOC)
		ret = own.attribute(&pageable, PAGEABLE, device);
	if (!ret && !pageable)
		return log_fail(-EOPNOTSUPP,
				"the GPU cannot access memory that CUDA has not allocated, which --gpu_touch with "
				"--cuda_mem_type=malloc needs: use --cuda_mem_type=managed");
	if (!ret)
		ret = touch_pages((uintptr_t)buffer->addr, buffer->length, choice.touch == GPU_TOUCH_INFINITE,
				  &buffer->touch);
	if (!ret)
		return 0;
	return log_fail(-EIO, "--gpu_touch: cannot run a kernel on the GPU: %s",
			gpu_nvidia_describe(ret, text, sizeof(text)));
}

static void end_touch(struct buffer *buffer)
{
	if (!driver_enter(&in_device))
		untouch(buffer->touch);
	buffer->touch = NULL;
}

static void free_managed(struct buffer *buffer)
{
	end_touch(buffer);
	driver_memory_free(buffer);
}

static void free_pages(struct buffer *buffer)
{
	end_touch(buffer);
	memory_host_free(buffer);
}

static const struct driver_memory in_device = {.ops = DRIVER_MEMORY_OPS("CUDA", driver_memory_free, NULL),
					       .vendor = "NVIDIA",
					       .api = &device_memory,
					       .context = &context,
					       .flags = &flags,
					       .doubt = &doubt};

static const struct driver_memory managed = {.ops = DRIVER_MEMORY_OPS("CUDA managed", free_managed, begin_touch),
					     .vendor = "NVIDIA",
					     .api = &managed_memory,
					     .context = &context};

static const struct memory_ops pinned = {
	.name = "CUDA host", .alloc = alloc_pinned, .free = free_pinned, .copy = memory_host_copy};

static const struct memory_ops pages = {
	.name = "host", .alloc = memory_host_alloc, .free = free_pages, .begin = begin_touch, .copy = memory_host_copy};

const struct memory_ops *gpu_nvidia_memory(enum cuda_memory memory)
{
	switch (memory) {
	case CUDA_MEMORY_MANAGED:
		return &managed.ops;
	case CUDA_MEMORY_HOST:
		return &pinned;
	case CUDA_MEMORY_MALLOC:
		return &pages;
	case CUDA_MEMORY_DEVICE:
		break;
	}
	return &in_device.ops;
}

const struct gpu_kind gpu_nvidia = {
	.type = GPU_NVIDIA,
	.name = "NVIDIA",
	.libraries = {{.files = {"libcuda.so.1"}, .symbols = symbols, .comes_with = "the driver's software"}},
	.memory = &in_device.ops,
	.start = gpu_nvidia_start,
	.use = gpu_nvidia_use,
	.use_at = gpu_nvidia_use_at,
	.describe = gpu_nvidia_describe,
};
