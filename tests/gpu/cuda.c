// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A stand-in for libcuda.so.1: the functions of the CUDA Driver API that src/memory/gpu_nvidia.c calls. */
#include "device.h"

#define INVALID_VALUE	101 /* CUDA_ERROR_INVALID_DEVICE */
#define OUT_OF_MEMORY	2
#define NOT_INITIALIZED 3
#define INVALID_CONTEXT 201

static bool is_initialised;
static int current = -1; /* device of the current context */

int cuInit(unsigned flags);
int cuDeviceGetCount(int *count);
int cuDeviceGet(int *device, int ordinal);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxSetCurrent(void *context);
int cuMemAlloc_v2(uint64_t *address, size_t bytes);
int cuMemFree_v2(uint64_t address);
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
int cuGetErrorName(int error, const char **name);
int cuMemGetHandleForAddressRange(void *handle, uint64_t address, size_t bytes, int type, unsigned long long flags);

int cuInit(unsigned flags)
{
	if (flags || must_fail("cuInit"))
		return NOT_INITIALIZED;
	is_initialised = true;
	return 0;
}

int cuDeviceGetCount(int *count)
{
	*count = device_count();
	return is_initialised ? 0 : NOT_INITIALIZED;
}

int cuDeviceGet(int *device, int ordinal)
{
	if (ordinal < 0 || ordinal >= device_count())
		return INVALID_VALUE;
	*device = ordinal + 40; /* a handle is not the ordinal */
	return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
	if (device < 40 || must_fail("cuDevicePrimaryCtxRetain"))
		return INVALID_VALUE;
	*context = (void *)(uintptr_t)(device + 1000);
	return 0;
}

int cuCtxSetCurrent(void *context)
{
	if ((uintptr_t)context < 1040)
		return INVALID_CONTEXT;
	current = (int)(uintptr_t)context - 1040;
	return 0;
}

int cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
	if (current < 0)
		return INVALID_CONTEXT;
	*address = must_fail("cuMemAlloc_v2") ? 0 : device_alloc(bytes, MISALIGNED);
	return *address ? 0 : OUT_OF_MEMORY;
}

int cuMemFree_v2(uint64_t address)
{
	device_free(address, MISALIGNED);
	return 0;
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
	memcpy(device_reach(to), from, bytes);
	return 0;
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
	memcpy(to, device_reach(from), bytes);
	return 0;
}

int cuGetErrorName(int error, const char **name)
{
	*name = error == OUT_OF_MEMORY	   ? "CUDA_ERROR_OUT_OF_MEMORY"
		: error == NOT_INITIALIZED ? "CUDA_ERROR_NOT_INITIALIZED"
					   : "CUDA_ERROR_INVALID_DEVICE";
	return 0;
}

/* Type 1: a dmabuf. */
int cuMemGetHandleForAddressRange(void *handle, uint64_t address, size_t bytes, int type, unsigned long long flags)
{
	int fd = type == 1 && flags == 0 ? device_export(address, bytes) : -1;

	if (fd < 0)
		return INVALID_VALUE;
	memcpy(handle, &fd, sizeof(fd));
	return 0;
}
