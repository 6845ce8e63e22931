// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A stand-in for libze_loader.so.1: the functions of Level Zero that src/memory/gpu_intel.c calls. */
#include "device.h"

#define OUT_OF_DEVICE_MEMORY 0x70000003
#define UNINITIALIZED	     0x78000001
#define UNSUPPORTED	     0x78000003
#define INVALID_ARGUMENT     0x78000004

/* Each structure begins with its type and a pointer. */
struct description {
	uint32_t type;
	const void *next;
};

struct queue_description {
	struct description head;
	uint32_t ordinal, index, flags, mode, priority;
};

/* What comes behind a structure that describes memory. */
struct export_description {
	struct description head;
	uint32_t flags;
	int fd;
};

struct memory_properties {
	struct description head;
	uint32_t kind;
	uint64_t id, page_size;
};

static int driver, context, list;
static int devices[64];

int zeInit(uint32_t flags);
int zeDriverGet(uint32_t *count, void **drivers);
int zeDeviceGet(void *of, uint32_t *count, void **found);
int zeContextCreate(void *of, const struct description *description, void **made);
int zeCommandListCreateImmediate(void *in, void *device, const struct queue_description *description, void **made);
int zeMemAllocDevice(void *in, const struct description *description, size_t bytes, size_t alignment, void *device,
		     void **address);
int zeMemFree(void *in, void *address);
int zeMemGetAllocProperties(void *in, const void *address, struct memory_properties *properties, void **device);
int zeMemGetAddressRange(void *in, const void *address, void **base, size_t *bytes);
int zeCommandListAppendMemoryCopy(void *by, void *to, const void *from, size_t bytes, void *signal, uint32_t wait_count,
				  void **waits);

int zeInit(uint32_t flags)
{
	return flags || must_fail("zeInit") ? UNINITIALIZED : 0;
}

int zeDriverGet(uint32_t *count, void **drivers)
{
	if (*count)
		drivers[0] = &driver;
	*count = 1;
	return 0;
}

int zeDeviceGet(void *of, uint32_t *count, void **found)
{
	uint32_t all = device_count();

	if (of != &driver)
		return INVALID_ARGUMENT;
	for (uint32_t i = 0; i < all && i < *count; i++)
		found[i] = &devices[i];
	*count = all;
	return 0;
}

int zeContextCreate(void *of, const struct description *description, void **made)
{
	*made = &context;
	return of == &driver && description->type == 0x0d && !description->next ? 0 : INVALID_ARGUMENT;
}

/* Mode 1: a copy is over when the call returns. */
int zeCommandListCreateImmediate(void *in, void *device, const struct queue_description *description, void **made)
{
	int *of = device;

	*made = &list;
	return in == &context && of >= devices && of < devices + device_count() && description->head.type == 0x0e &&
			       description->mode == 1 && !must_fail("zeCommandListCreateImmediate")
		       ? 0
		       : INVALID_ARGUMENT;
}

int zeMemAllocDevice(void *in, const struct description *description, size_t bytes, size_t alignment, void *device,
		     void **address)
{
	const struct export_description *export = description->next;

	if (in != &context || description->type != 0x15 || (alignment & (alignment - 1)) || !device)
		return INVALID_ARGUMENT;
	if (export && (export->head.type != 0x18 || export->flags != 2 || !getenv("GPU_STANDIN_DMABUF")))
		return UNSUPPORTED;
	*address = must_fail("zeMemAllocDevice") ? NULL : (void *)(uintptr_t)device_alloc(bytes, 0);
	return *address ? 0 : OUT_OF_DEVICE_MEMORY;
}

int zeMemFree(void *in, void *address)
{
	device_free((uintptr_t)address, 0);
	return in == &context ? 0 : INVALID_ARGUMENT;
}

int zeMemGetAllocProperties(void *in, const void *address, struct memory_properties *properties, void **device)
{
	struct export_description *export = (void *)(uintptr_t)properties->head.next;

	if (in != &context || properties->head.type != 0x17 || device || !export || export->head.type != 0x1a ||
	    export->flags != 2)
		return INVALID_ARGUMENT;
	export->fd = device_export((uintptr_t)address, PAGE);
	return 0;
}

/* With GPU_STANDIN_POOLED=1 another page of the driver's lies in front of the memory. */
int zeMemGetAddressRange(void *in, const void *address, void **base, size_t *bytes)
{
	if (bytes)
		*bytes = PAGE;
	*base = (void *)((uintptr_t)address - (getenv("GPU_STANDIN_POOLED") ? PAGE : 0));
	return in == &context ? 0 : INVALID_ARGUMENT;
}

/* Either side may be the host's, whose addresses have no hidden bit. */
int zeCommandListAppendMemoryCopy(void *by, void *to, const void *from, size_t bytes, void *signal, uint32_t wait_count,
				  void **waits)
{
	if (by != &list || signal || wait_count || waits || must_fail("zeCommandListAppendMemoryCopy"))
		return INVALID_ARGUMENT;
	masked_copy(device_reach((uintptr_t)to), device_reach((uintptr_t)from), bytes);
	return 0;
}
