// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A stand-in for libmusa.so.1: the functions of the MUSA driver API that src/memory/gpu_musa.c calls. */
#include "driver.h"

int muInit(unsigned flags);
int muDeviceGetCount(int *count);
int muDeviceGet(int *device, int ordinal);
int muDeviceGetByPCIBusId(int *device, const char *bus_id);
int muDevicePrimaryCtxRetain(void **context, int device);
int muCtxSetCurrent(void *context);
int muMemAlloc_v2(uint64_t *address, size_t bytes);
int muMemFree(uint64_t address);
int muMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes);
int muMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
int muCtxSynchronize(void);
int muGetErrorName(int error, const char **name);
int muMemGetHandleForAddressRange(void *handle, uint64_t address, size_t bytes, int type, unsigned long long flags);

int muInit(unsigned flags)
{
	return driver_init("muInit", flags);
}

int muDeviceGetCount(int *count)
{
	return driver_count(count);
}

int muDeviceGet(int *device, int ordinal)
{
	*device = driver_device(ordinal);
	return *device < 0 ? INVALID_DEVICE : 0;
}

int muDeviceGetByPCIBusId(int *device, const char *bus_id)
{
	*device = driver_device(device_at(bus_id));
	return *device < 0 ? INVALID_DEVICE : 0;
}

int muDevicePrimaryCtxRetain(void **context, int device)
{
	return driver_retain("muDevicePrimaryCtxRetain", context, device);
}

int muCtxSetCurrent(void *context)
{
	return driver_set_current(context);
}

int muMemAlloc_v2(uint64_t *address, size_t bytes)
{
	return driver_alloc("muMemAlloc_v2", address, bytes);
}

/* The name of older releases, which is as good. */
int muMemFree(uint64_t address)
{
	return driver_free(address);
}

/* A small copy to the GPU is still under way when its function returns. */
static _Thread_local struct {
	uint64_t to;
	size_t bytes;
	uint8_t data[65536];
} staged;

static void finish_copy(void)
{
	if (staged.bytes)
		device_write(staged.to, staged.data, staged.bytes);
	staged.bytes = 0;
}

int muMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
	finish_copy();
	if (bytes > sizeof(staged.data) || must_fail("muMemcpyHtoD_v2"))
		return driver_write("muMemcpyHtoD_v2", to, from, bytes);
	staged.to = to;
	staged.bytes = bytes;
	memcpy(staged.data, from, bytes);
	return 0;
}

int muMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
	finish_copy();
	return driver_read("muMemcpyDtoH_v2", to, from, bytes);
}

int muCtxSynchronize(void)
{
	if (must_fail("muCtxSynchronize"))
		return INVALID_CONTEXT;
	finish_copy();
	return 0;
}

int muGetErrorName(int error, const char **name)
{
	*name = error == OUT_OF_MEMORY	   ? "MUSA_ERROR_OUT_OF_MEMORY"
		: error == NOT_INITIALIZED ? "MUSA_ERROR_NOT_INITIALIZED"
					   : "MUSA_ERROR_INVALID_DEVICE";
	return 0;
}

int muMemGetHandleForAddressRange(void *handle, uint64_t address, size_t bytes, int type, unsigned long long flags)
{
	return driver_handle(handle, address, bytes, type, flags, 1);
}
