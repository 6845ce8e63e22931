// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * AMD GPU memory, with the HIP runtime API (HIP documentation, "Memory Management"); dmabufs with the HSA runtime below
 * it ("ROCr API reference", hsa_ext_amd.h), if that and the kernel support them.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "memory/gpu.h"
#include "util/log.h"

#define HOST_TO_DEVICE 1 /* hipMemcpyKind */
#define DEVICE_TO_HOST 2

static struct {
	int (*count)(int *count);
	int (*set)(int index);
	int (*alloc)(void **address, size_t bytes);
	int (*free)(void *address);
	int (*copy)(void *to, const void *from, size_t bytes, int kind);
	const char *(*error_name)(int error);
	/* HSA; NULL: not supported */
	int (*export)(const void *address, size_t bytes, int *fd, uint64_t *offset);
} hip;

static const struct library_symbol symbols[] = {
	LIBRARY_ROW("hipGetDeviceCount", hip.count),
	LIBRARY_ROW("hipSetDevice", hip.set),
	LIBRARY_ROW("hipMalloc", hip.alloc),
	LIBRARY_ROW("hipFree", hip.free),
	LIBRARY_ROW("hipMemcpy", hip.copy),
	LIBRARY_ROW("hipGetErrorName", hip.error_name),
	{.name = NULL},
};
static const struct library_symbol hsa_symbols[] = {
	LIBRARY_ROW("hsa_amd_portable_export_dmabuf", hip.export, .is_optional = true), /* since ROCm 5.6 */
	{.name = NULL},
};

static const char *gpu_amd_describe(int error, char *text, size_t size)
{
	snprintf(text, size, "%s", hip.error_name(error));
	return text;
}

static int gpu_amd_start(int *count)
{
	return hip.count(count);
}

static int gpu_amd_use(int index)
{
	return hip.set(index);
}

/* Aligns the address, since no alignment is guaranteed. private: the address to free. */
static int gpu_amd_alloc(struct buffer *buffer, struct ibv_context *context)
{
	const size_t whole = gpu_whole_pages(buffer->length);
	void *base = NULL;
	int ret = hip.alloc(&base, whole + GPU_PAGE);
	uint64_t offset = 0;
	int fd = -1;

	(void)context;
	if (ret)
		return log_fail(-ENOMEM, "no AMD GPU memory for a buffer of %zu bytes: %s", buffer->length,
				hip.error_name(ret));
	buffer->addr = (uint8_t *)gpu_whole_pages((uintptr_t)base);
	buffer->private = base;
	if (!hip.export)
		return 0;
	ret = hip.export(buffer->addr, whole, &fd, &offset);
	if (ret) {
		snprintf(buffer->refused, sizeof(buffer->refused), "hsa_status_t 0x%x", (unsigned)ret);
		return 0;
	}
	buffer->fd = fd;
	buffer->fd_offset = offset;
	return 0;
}

static void gpu_amd_release(struct buffer *buffer)
{
	if (buffer->fd >= 0)
		close(buffer->fd);
	hip.free(buffer->private);
}

static void gpu_amd_copy(const struct buffer *buffer, void *to, const void *from, size_t bytes,
			 enum copy_direction which)
{
	const int ret = hip.copy(to, from, bytes, which == COPY_IN ? HOST_TO_DEVICE : DEVICE_TO_HOST);

	if (ret)
		memory_copy_failed(buffer, hip.error_name(ret));
}

static const struct memory_ops memory = {
	.name = "HIP",
	.is_pooled = true,
	.is_far = true,
	.alloc = gpu_amd_alloc,
	.free = gpu_amd_release,
	.copy = gpu_amd_copy,
};

const struct gpu_kind gpu_amd = {
	.type = GPU_AMD,
	.name = "AMD",
	/* HSA is below HIP, which has loaded it */
	.libraries = {{.files = {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"},
		       .symbols = symbols,
		       .comes_with = "the driver's software"},
		      {.files = {"libhsa-runtime64.so.1"},
		       .symbols = hsa_symbols,
		       .comes_with = "ROCm",
		       .is_optional = true}},
	.memory = &memory,
	.start = gpu_amd_start,
	.use = gpu_amd_use,
	.describe = gpu_amd_describe,
};
