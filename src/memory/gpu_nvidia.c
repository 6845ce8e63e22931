// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Memory of an NVIDIA GPU by the CUDA driver API (CUDA Driver API reference, "Memory Management"), in the device's
 * primary context; a dmabuf where driver and kernel give one.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "memory/gpu.h"
#include "util/log.h"

typedef uint64_t device_ptr; /* CUdeviceptr */

static struct {
	int (*init)(unsigned flags);
	int (*count)(int *count);
	int (*get)(int *device, int index);
	int (*retain)(void **context, int device);
	int (*set_current)(void *context);
	int (*alloc)(device_ptr *address, size_t bytes);
	int (*free)(device_ptr address);
	int (*to_device)(device_ptr to, const void *from, size_t bytes);
	int (*to_host)(void *to, device_ptr from, size_t bytes);
	int (*error_name)(int error, const char **name);
	int (*handle)(void *handle, device_ptr address, size_t bytes, int type, unsigned long long flags);
} cuda;

#define DMABUF_FD 1 /* CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD */

static const char *const files[] = {"libcuda.so.1", NULL};
static const struct gpu_symbol symbols[] = {
	{"cuInit", (void **)(void *)&cuda.init},
	{"cuDeviceGetCount", (void **)(void *)&cuda.count},
	{"cuDeviceGet", (void **)(void *)&cuda.get},
	{"cuDevicePrimaryCtxRetain", (void **)(void *)&cuda.retain},
	{"cuCtxSetCurrent", (void **)(void *)&cuda.set_current},
	{"cuMemAlloc_v2", (void **)(void *)&cuda.alloc},
	{"cuMemFree_v2", (void **)(void *)&cuda.free},
	{"cuMemcpyHtoD_v2", (void **)(void *)&cuda.to_device},
	{"cuMemcpyDtoH_v2", (void **)(void *)&cuda.to_host},
	{"cuGetErrorName", (void **)(void *)&cuda.error_name},
	{NULL, NULL},
};

static const char *gpu_nvidia_describe(int error, char *text, size_t size)
{
	const char *name = NULL;

	cuda.error_name(error, &name);
	snprintf(text, size, "%s", name ? name : "unknown error");
	return text;
}

static int gpu_nvidia_start(int *count)
{
	int ret = cuda.init(0);

	if (!ret)
		ret = cuda.count(count);
	if (!ret) /* since CUDA 11.7 */
		*(void **)(void *)&cuda.handle = gpu_library_symbol(files[0], "cuMemGetHandleForAddressRange");
	return ret;
}

static int gpu_nvidia_use(int index)
{
	void *context = NULL;
	int device = 0, ret;

	ret = cuda.get(&device, index);
	if (!ret)
		ret = cuda.retain(&context, device);
	return ret ? ret : cuda.set_current(context);
}

/* The driver's own alignment is less than a page for small buffers. private: the address to give back. */
static int gpu_nvidia_alloc(struct buffer *buffer, struct ibv_context *context)
{
	const size_t whole = gpu_whole_pages(buffer->length);
	device_ptr base = 0, address;
	const int ret = cuda.alloc(&base, whole + GPU_PAGE);
	char text[64];
	int fd = -1;

	(void)context;
	if (ret) {
		log_error("no memory of the NVIDIA GPU for a buffer of %zu bytes: %s", buffer->length,
			  gpu_nvidia_describe(ret, text, sizeof(text)));
		return -ENOMEM;
	}
	address = gpu_whole_pages(base);
	buffer->addr = (uint8_t *)(uintptr_t)address;
	buffer->private = (void *)(uintptr_t)base;
	if (cuda.handle && cuda.handle(&fd, address, whole, DMABUF_FD, 0) == 0)
		buffer->fd = fd;
	return 0;
}

static void gpu_nvidia_release(struct buffer *buffer)
{
	if (buffer->fd >= 0)
		close(buffer->fd);
	cuda.free((uintptr_t)buffer->private);
}

/* They fail only after an error that the device does not recover from, and which the next call of all reports. */
static void gpu_nvidia_copy_in(const struct buffer *buffer, void *addr, const void *host, size_t bytes)
{
	(void)buffer;
	(void)cuda.to_device((uintptr_t)addr, host, bytes);
}

static void gpu_nvidia_copy_out(const struct buffer *buffer, void *host, const void *addr, size_t bytes)
{
	(void)buffer;
	(void)cuda.to_host(host, (uintptr_t)addr, bytes);
}

static const struct memory_ops memory = {
	.name = "CUDA",
	.is_pooled = true,
	.is_far = true,
	.alloc = gpu_nvidia_alloc,
	.free = gpu_nvidia_release,
	.copy_in = gpu_nvidia_copy_in,
	.copy_out = gpu_nvidia_copy_out,
};

const struct gpu_kind gpu_nvidia = {
	.type = GPU_NVIDIA,
	.name = "NVIDIA",
	.files = files,
	.symbols = symbols,
	.memory = &memory,
	.start = gpu_nvidia_start,
	.use = gpu_nvidia_use,
	.describe = gpu_nvidia_describe,
};
