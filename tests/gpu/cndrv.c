// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A stand-in for libcndrv.so: the functions of Cambricon's driver API that src/memory/gpu_mlu.c calls. */
#include "driver.h"

int cnInit(unsigned flags);
int cnDeviceGetCount(int *count);
int cnDeviceGet(int64_t *device, int ordinal);
int cnSharedContextAcquire(void **context, int64_t device);
int cnCtxSetCurrent(void *context);
int cnMalloc(uint64_t *address, uint64_t bytes);
int cnFree(uint64_t address);
int cnMemcpyHtoD(uint64_t to, const void *from, uint64_t bytes);
int cnMemcpyDtoH(void *to, uint64_t from, uint64_t bytes);
int cnGetErrorName(int error, const char **name);
int cnMemGetHandleForAddressRange(void *handle, uint64_t address, uint64_t bytes, int type, unsigned long long flags);

int cnInit(unsigned flags)
{
	return driver_init("cnInit", flags);
}

int cnDeviceGetCount(int *count)
{
	return driver_count(count);
}

int cnDeviceGet(int64_t *device, int ordinal)
{
	*device = driver_device(ordinal);
	return *device < 0 ? INVALID_DEVICE : 0;
}

int cnSharedContextAcquire(void **context, int64_t device)
{
	return driver_retain("cnSharedContextAcquire", context, (int)device);
}

int cnCtxSetCurrent(void *context)
{
	return driver_set_current(context);
}

int cnMalloc(uint64_t *address, uint64_t bytes)
{
	return driver_alloc("cnMalloc", address, bytes);
}

int cnFree(uint64_t address)
{
	return driver_free(address);
}

int cnMemcpyHtoD(uint64_t to, const void *from, uint64_t bytes)
{
	return driver_write("cnMemcpyHtoD", to, from, bytes);
}

int cnMemcpyDtoH(void *to, uint64_t from, uint64_t bytes)
{
	return driver_read("cnMemcpyDtoH", to, from, bytes);
}

int cnGetErrorName(int error, const char **name)
{
	*name = error == OUT_OF_MEMORY	   ? "CN_MEMORY_ERROR_OUT_OF_MEMORY"
		: error == NOT_INITIALIZED ? "CN_ERROR_NOT_INITIALIZED"
					   : "CN_ERROR_INVALID_DEVICE";
	return 0;
}

int cnMemGetHandleForAddressRange(void *handle, uint64_t address, uint64_t bytes, int type, unsigned long long flags)
{
	return driver_handle(handle, address, bytes, type, flags, 0);
}
