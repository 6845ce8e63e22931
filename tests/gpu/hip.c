// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A stand-in for libamdhip64.so: the functions of the HIP runtime that src/memory/gpu_amd.c calls. */
#include "device.h"

#define OUT_OF_MEMORY  2
#define INVALID_DEVICE 101
#define INVALID_KIND   21

int hipGetDeviceCount(int *count);
int hipSetDevice(int device);
int hipMalloc(void **address, size_t bytes);
int hipFree(void *address);
int hipMemcpy(void *to, const void *from, size_t bytes, int kind);
const char *hipGetErrorName(int error);

int hipGetDeviceCount(int *count)
{
	*count = device_count();
	return must_fail("hipGetDeviceCount") ? INVALID_DEVICE : 0;
}

int hipSetDevice(int device)
{
	return device < 0 || device >= device_count() || must_fail("hipSetDevice") ? INVALID_DEVICE : 0;
}

int hipMalloc(void **address, size_t bytes)
{
	*address = must_fail("hipMalloc") ? NULL : (void *)(uintptr_t)device_alloc(bytes, MISALIGNED);
	return *address ? 0 : OUT_OF_MEMORY;
}

int hipFree(void *address)
{
	device_free((uintptr_t)address, MISALIGNED);
	return 0;
}

/* 1 to the device, 2 from it. */
int hipMemcpy(void *to, const void *from, size_t bytes, int kind)
{
	if ((kind != 1 && kind != 2) || must_fail("hipMemcpy"))
		return INVALID_KIND;
	if (kind == 1)
		device_write((uintptr_t)to, from, bytes);
	else
		device_read(to, (uintptr_t)from, bytes);
	return 0;
}

const char *hipGetErrorName(int error)
{
	return error == OUT_OF_MEMORY ? "hipErrorOutOfMemory" : "hipErrorInvalidDevice";
}
