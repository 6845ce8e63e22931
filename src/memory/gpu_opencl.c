// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Memory that an OpenCL device shares with the CPU (OpenCL specification, "Shared Virtual Memory", fine-grained sharing
 * of buffers or of system memory): CPU and NIC access it by address, and pages migrate. A NIC needs on-demand paging to
 * follow them.
 */
#include "memory/kinds.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/log.h"

#define MAX_DEVICES	 64
#define TYPE_ALL	 0xffffffff /* CL_DEVICE_TYPE_ALL */
#define SVM_CAPABILITIES 0x1053	    /* CL_DEVICE_SVM_CAPABILITIES */
#define FINE_BUFFER	 2	    /* CL_DEVICE_SVM_FINE_GRAIN_BUFFER */
#define FINE_SYSTEM	 4	    /* CL_DEVICE_SVM_FINE_GRAIN_SYSTEM */
#define READ_WRITE	 1	    /* CL_MEM_READ_WRITE */
#define FINE		 1024	    /* CL_MEM_SVM_FINE_GRAIN_BUFFER */
#define ALIGNMENT	 4096
#define NOT_SHARED	 1 /* not an error of OpenCL, which are negative */
#define NO_PLATFORM	 2
#define NO_DRIVER	 -1001 /* CL_PLATFORM_NOT_FOUND_KHR, from the loader (cl_khr_icd) */

static struct {
	int (*platforms)(uint32_t entries, void **platforms, uint32_t *count);
	int (*devices)(void *platform, uint64_t type, uint32_t entries, void **devices, uint32_t *count);
	int (*info)(void *device, uint32_t name, size_t bytes, void *value, size_t *needed);
	void *(*context)(const intptr_t *properties, uint32_t count, void *const *devices,
			 void (*notify)(const char *text, const void *data, size_t bytes, void *user), void *user,
			 int *error);
	void *(*queue)(void *context, void *device, const uint64_t *properties, int *error);
	void *(*alloc)(void *context, uint64_t flags, size_t bytes, uint32_t alignment);
	void (*free)(void *context, void *address);
	int (*migrate)(void *queue, uint32_t count, const void **addresses, const size_t *bytes, uint64_t flags,
		       uint32_t waits, void *const *wait_list, void **event);
	int (*finish)(void *queue);
} cl;

/* Migrates a buffer's pages to the device; if repeatedly, in a thread. */
struct opencl_touch {
	void *queue;
	const void *address;
	size_t bytes;
	bool has_thread;
	atomic_bool is_over;
	pthread_t thread;
};

static int chosen_platform;
static enum gpu_touch touch_kind;
static void *found[MAX_DEVICES];
static void *context, *queue; /* of the selected device */
static uint64_t flags;	      /* for its memory */
static int platforms_found;

static const struct library_symbol symbols[] = {
	LIBRARY_ROW("clGetPlatformIDs", cl.platforms),
	LIBRARY_ROW("clGetDeviceIDs", cl.devices),
	LIBRARY_ROW("clGetDeviceInfo", cl.info),
	LIBRARY_ROW("clCreateContext", cl.context),
	LIBRARY_ROW("clCreateCommandQueueWithProperties", cl.queue), /* since 2.0 */
	LIBRARY_ROW("clSVMAlloc", cl.alloc),
	LIBRARY_ROW("clSVMFree", cl.free),
	LIBRARY_ROW("clEnqueueSVMMigrateMem", cl.migrate), /* since 2.1 */
	LIBRARY_ROW("clFinish", cl.finish),
	{.name = NULL},
};

void gpu_opencl_want(int platform, enum gpu_touch touch)
{
	chosen_platform = platform;
	touch_kind = touch;
}

static const char *gpu_opencl_describe(int error, char *text, size_t size)
{
	if (error == NOT_SHARED)
		snprintf(text, size, "it shares no memory with the CPU (fine-grained SVM)");
	else if (error == NO_PLATFORM)
		snprintf(text, size, "there is no platform %d: the last one is %d", chosen_platform,
			 platforms_found - 1);
	else if (error == NO_DRIVER)
		snprintf(text, size, "its loader is installed, but no driver of a platform");
	else
		snprintf(text, size, "error %d of OpenCL", error);
	return text;
}

static int gpu_opencl_start(int *count)
{
	void *platforms[MAX_DEVICES];
	uint32_t num_platforms = 0, devices = 0;
	int ret = cl.platforms(MAX_DEVICES, platforms, &num_platforms);

	if (ret)
		return ret;
	platforms_found = (int)num_platforms;
	if ((uint32_t)chosen_platform >= num_platforms || chosen_platform >= MAX_DEVICES)
		return NO_PLATFORM;
	ret = cl.devices(platforms[chosen_platform], TYPE_ALL, MAX_DEVICES, found, &devices);
	*count = (int)(devices < MAX_DEVICES ? devices : MAX_DEVICES);
	return ret;
}

static int gpu_opencl_use(int index)
{
	uint64_t capabilities = 0;
	int ret = cl.info(found[index], SVM_CAPABILITIES, sizeof(capabilities), &capabilities, NULL);

	if (ret)
		return ret;
	if (!(capabilities & (FINE_SYSTEM | FINE_BUFFER)))
		return NOT_SHARED;
	flags = READ_WRITE | (capabilities & FINE_BUFFER ? FINE : 0);
	context = cl.context(NULL, 1, &found[index], NULL, NULL, &ret);
	if (!ret)
		queue = cl.queue(context, found[index], NULL, &ret);
	return ret;
}

/* Aligns the address: alignments above that of OpenCL's types are not guaranteed. private: the address to free. */
static int gpu_opencl_alloc(struct buffer *buffer, struct ibv_context *verbs)
{
	void *base = cl.alloc(context, flags, buffer->length + ALIGNMENT, 0);

	(void)verbs;
	if (!base)
		return log_fail(-ENOMEM, "OpenCL cannot allocate shared memory for a buffer of %zu bytes",
				buffer->length);
	buffer->addr = (uint8_t *)(((uintptr_t)base + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
	buffer->private = base;
	return 0;
}

static int move_pages(struct opencl_touch *touch)
{
	const int ret = cl.migrate(touch->queue, 1, &touch->address, &touch->bytes, 0, 0, NULL, NULL);

	return ret ? ret : cl.finish(touch->queue);
}

static void *keep_moving(void *context_of_thread)
{
	struct opencl_touch *touch = context_of_thread;

	while (!touch->is_over && move_pages(touch) == 0)
		;
	return NULL;
}

/* The first round shows whether pages can be migrated at all. */
static int gpu_opencl_begin(struct buffer *buffer)
{
	struct opencl_touch *touch;
	char text[64] = "no memory";
	int ret = -ENOMEM;

	if (touch_kind == GPU_TOUCH_NONE)
		return 0;
	touch = calloc(1, sizeof(*touch));
	if (touch) {
		*touch = (struct opencl_touch){.queue = queue, .address = buffer->addr, .bytes = buffer->length};
		ret = move_pages(touch);
		if (ret)
			gpu_opencl_describe(ret, text, sizeof(text));
	}
	if (!ret && touch_kind == GPU_TOUCH_INFINITE) {
		ret = pthread_create(&touch->thread, NULL, keep_moving, touch);
		touch->has_thread = !ret;
	}
	if (!ret) {
		buffer->touch = touch;
		return 0;
	}
	free(touch);
	return log_fail(-EIO, "--gpu_touch: cannot move pages to the OpenCL device: %s", text);
}

static void gpu_opencl_free(struct buffer *buffer)
{
	struct opencl_touch *touch = buffer->touch;

	if (touch && touch->has_thread) {
		touch->is_over = true;
		pthread_join(touch->thread, NULL);
	}
	free(touch);
	cl.free(context, buffer->private);
}

static const struct memory_ops memory = {
	.name = "OpenCL",
	.alloc = gpu_opencl_alloc,
	.free = gpu_opencl_free,
	.begin = gpu_opencl_begin,
	.copy = memory_host_copy,
};

const struct gpu_kind gpu_opencl = {
	.type = GPU_OPENCL,
	.name = "OpenCL",
	.libraries = {{.files = {"libOpenCL.so.1"},
		       .symbols = symbols,
		       .comes_with = "an OpenCL loader (ocl-icd-libopencl1 of Debian)"}},
	.memory = &memory,
	.start = gpu_opencl_start,
	.use = gpu_opencl_use,
	.describe = gpu_opencl_describe,
};
