// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A stand-in for libOpenCL.so.1: the functions that src/memory/gpu_opencl.c calls. Its memory is the CPU's as well.
 *
 *	GPU_STANDIN_SVM=N         CL_DEVICE_SVM_CAPABILITIES, 7: fine-grained sharing of the system's memory, too
 *	GPU_STANDIN_TOUCHED=FILE  a line for each buffer: how often it was moved to the device
 */
#include "device.h"

#define INVALID_VALUE	 (-30)
#define INVALID_DEVICE	 (-33)
#define OUT_OF_RESOURCES (-5)
#define PLATFORMS	 2

static int platforms[PLATFORMS], devices[64], context, queue;
static unsigned long moves;

int clGetPlatformIDs(uint32_t entries, void **found, uint32_t *count);
int clGetDeviceIDs(void *of, uint64_t type, uint32_t entries, void **found, uint32_t *count);
int clGetDeviceInfo(void *device, uint32_t name, size_t bytes, void *value, size_t *needed);
void *clCreateContext(const intptr_t *properties, uint32_t count, void *const *of,
		      void (*notify)(const char *text, const void *data, size_t bytes, void *user), void *user,
		      int *error);
void *clCreateCommandQueueWithProperties(void *in, void *device, const uint64_t *properties, int *error);
void *clSVMAlloc(void *in, uint64_t flags, size_t bytes, uint32_t alignment);
void clSVMFree(void *in, void *address);
int clEnqueueSVMMigrateMem(void *to, uint32_t count, const void **addresses, const size_t *bytes, uint64_t flags,
			   uint32_t waits, void *const *wait_list, void **event);
int clFinish(void *of);

int clGetPlatformIDs(uint32_t entries, void **found, uint32_t *count)
{
	for (uint32_t i = 0; i < PLATFORMS && i < entries; i++)
		found[i] = &platforms[i];
	*count = PLATFORMS;
	return must_fail("clGetPlatformIDs") ? OUT_OF_RESOURCES : 0;
}

/* All are of the second platform, and none of the first where it is asked for. */
int clGetDeviceIDs(void *of, uint64_t type, uint32_t entries, void **found, uint32_t *count)
{
	if (type != 0xffffffff || (of != &platforms[0] && of != &platforms[1]))
		return INVALID_VALUE;
	*count = (uint32_t)device_count();
	for (uint32_t i = 0; i < *count && i < entries; i++)
		found[i] = &devices[i];
	return 0;
}

int clGetDeviceInfo(void *device, uint32_t name, size_t bytes, void *value, size_t *needed)
{
	const uint64_t capabilities = (uint64_t)number_of("GPU_STANDIN_SVM", 7);

	if (name != 0x1053 || bytes != sizeof(capabilities) || needed || (int *)device < devices)
		return INVALID_VALUE;
	memcpy(value, &capabilities, sizeof(capabilities));
	return 0;
}

void *clCreateContext(const intptr_t *properties, uint32_t count, void *const *of,
		      void (*notify)(const char *text, const void *data, size_t bytes, void *user), void *user,
		      int *error)
{
	*error = properties || count != 1 || notify || user || (int *)of[0] < devices || must_fail("clCreateContext")
			 ? INVALID_DEVICE
			 : 0;
	return *error ? NULL : &context;
}

void *clCreateCommandQueueWithProperties(void *in, void *device, const uint64_t *properties, int *error)
{
	*error = in != &context || (int *)device < devices || properties ? INVALID_VALUE : 0;
	return *error ? NULL : &queue;
}

/* Aligned as its own types are, no more. */
void *clSVMAlloc(void *in, uint64_t flags, size_t bytes, uint32_t alignment)
{
	const uint64_t fine = number_of("GPU_STANDIN_SVM", 7) & 2 ? 1024 : 0;

	return in != &context || flags != (1 | fine) || alignment > 128 || must_fail("clSVMAlloc")
		       ? NULL
		       : (char *)device_reach(device_alloc(bytes, 128));
}

void clSVMFree(void *in, void *address)
{
	const char *path = getenv("GPU_STANDIN_TOUCHED");
	FILE *file = path ? fopen(path, "ae") : NULL;

	if (in == &context)
		device_free((uintptr_t)address, 128);
	if (!file)
		return;
	fprintf(file, "%lu moves\n", moves);
	fclose(file);
}

int clEnqueueSVMMigrateMem(void *to, uint32_t count, const void **addresses, const size_t *bytes, uint64_t flags,
			   uint32_t waits, void *const *wait_list, void **event)
{
	if (to != &queue || count != 1 || !addresses[0] || !bytes[0] || flags || waits || wait_list || event ||
	    must_fail("clEnqueueSVMMigrateMem"))
		return INVALID_VALUE;
	__atomic_add_fetch(&moves, 1, __ATOMIC_RELAXED);
	return 0;
}

int clFinish(void *of)
{
	return of == &queue ? 0 : INVALID_VALUE;
}
