// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A stand-in for libcuda.so.1: the functions of the CUDA Driver API that src/memory/gpu_nvidia.c calls; those of
 * gpu_nvidia.c with which a kernel runs are in cuda_kernel.c.
 *
 *	GPU_STANDIN_VERSION=N     of the driver, 12080
 *	GPU_STANDIN_INTEGRATED=1  the GPU has no memory of its own
 *	GPU_STANDIN_LINKED=1      it has a coherent link to the CPU
 *	GPU_STANDIN_PAGEABLE=0    it does not reach what CUDA has not allocated
 */
#include "driver.h"

int cuInit(unsigned flags);
int cuDriverGetVersion(int *version);
int cuDeviceGetCount(int *count);
int cuDeviceGet(int *device, int ordinal);
int cuDeviceGetByPCIBusId(int *device, const char *bus_id);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxSetCurrent(void *context);
int cuMemAlloc_v2(uint64_t *address, size_t bytes);
int cuPointerSetAttribute(const void *value, int attribute, uint64_t address);
int cuMemFree_v2(uint64_t address);
int cuMemAllocManaged(uint64_t *address, size_t bytes, unsigned flags);
int cuMemAllocHost_v2(void **address, size_t bytes);
int cuMemFreeHost(void *address);
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
int cuGetErrorName(int error, const char **name);
int cuMemGetHandleForAddressRange(void *handle, uint64_t address, size_t bytes, int type, unsigned long long flags);

int cuInit(unsigned flags)
{
	return driver_init("cuInit", flags);
}

int cuDriverGetVersion(int *version)
{
	*version = number_of("GPU_STANDIN_VERSION", 12080);
	return 0;
}

int cuDeviceGetCount(int *count)
{
	return driver_count(count);
}

int cuDeviceGet(int *device, int ordinal)
{
	*device = driver_device(ordinal);
	return *device < 0 ? INVALID_DEVICE : 0;
}

int cuDeviceGetByPCIBusId(int *device, const char *bus_id)
{
	*device = driver_device(device_at(bus_id));
	return *device < 0 ? INVALID_DEVICE : 0;
}

/* CU_DEVICE_ATTRIBUTE_INTEGRATED, ..._PAGEABLE_MEMORY_ACCESS, and that with ..._USES_HOST_PAGE_TABLES. */
int cuDeviceGetAttribute(int *value, int attribute, int device)
{
	*value = attribute == 18    ? number_of("GPU_STANDIN_INTEGRATED", 0)
		 : attribute == 88  ? number_of("GPU_STANDIN_PAGEABLE", 1)
		 : attribute == 100 ? number_of("GPU_STANDIN_LINKED", 0)
				    : 0;
	return device < FIRST_HANDLE ? INVALID_DEVICE : 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
	return driver_retain("cuDevicePrimaryCtxRetain", context, device);
}

int cuCtxSetCurrent(void *context)
{
	return driver_set_current(context);
}

int cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
	await_kernels("cuMemAlloc_v2");
	return number_of("GPU_STANDIN_INTEGRATED", 0) ? OUT_OF_MEMORY : driver_alloc("cuMemAlloc_v2", address, bytes);
}

/* CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, of memory of the GPU. */
int cuPointerSetAttribute(const void *value, int attribute, uint64_t address)
{
	if (must_fail("cuPointerSetAttribute") || attribute != 6 || *(const unsigned *)value != 1 || !address)
		return INVALID_DEVICE;
	return current < 0 ? INVALID_CONTEXT : 0;
}

int cuMemFree_v2(uint64_t address)
{
	await_kernels("cuMemFree_v2");
	return driver_free(address);
}

int cuMemAllocManaged(uint64_t *address, size_t bytes, unsigned flags)
{
	await_kernels("cuMemAllocManaged");
	return flags == 1 ? driver_alloc("cuMemAllocManaged", address, bytes) : INVALID_DEVICE;
}

int cuMemAllocHost_v2(void **address, size_t bytes)
{
	await_kernels("cuMemAllocHost_v2");
	if (current < 0)
		return INVALID_CONTEXT;
	*address = must_fail("cuMemAllocHost_v2") ? NULL : malloc(bytes);
	return *address ? 0 : OUT_OF_MEMORY;
}

int cuMemFreeHost(void *address)
{
	await_kernels("cuMemFreeHost");
	free(address);
	return 0;
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
	return driver_write("cuMemcpyHtoD_v2", to, from, bytes);
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
	return driver_read("cuMemcpyDtoH_v2", to, from, bytes);
}

int cuGetErrorName(int error, const char **name)
{
	*name = error == OUT_OF_MEMORY	   ? "CUDA_ERROR_OUT_OF_MEMORY"
		: error == NOT_INITIALIZED ? "CUDA_ERROR_NOT_INITIALIZED"
		: error == INVALID_CONTEXT ? "CUDA_ERROR_INVALID_CONTEXT"
					   : "CUDA_ERROR_INVALID_DEVICE";
	return 0;
}

int cuMemGetHandleForAddressRange(void *handle, uint64_t address, size_t bytes, int type, unsigned long long flags)
{
	return driver_handle(handle, address, bytes, type, flags, number_of("GPU_STANDIN_VERSION", 12080) >= 12080);
}
