// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Intel GPU memory, with Level Zero (oneAPI Level Zero specification, "Core Programming Guide"): the first driver, and
 * an immediate, synchronous command list for copies; dmabufs if the driver supports them. Structures start with their
 * type and a pointer to extensions.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "memory/gpu.h"
#include "util/log.h"

#define MAX_DEVICES 256

/* ze_structure_type_t */
#define TYPE_CONTEXT_DESC    0x0d
#define TYPE_QUEUE_DESC	     0x0e
#define TYPE_DEVICE_MEM_DESC 0x15
#define TYPE_MEM_PROPERTIES  0x17
#define TYPE_EXPORT_DESC     0x18
#define TYPE_EXPORT_FD	     0x1a
#define EXPORT_DMABUF	     2 /* ze_external_memory_type_flag_t */
#define QUEUE_SYNCHRONOUS    1 /* ze_command_queue_mode_t */

struct context_desc {
	uint32_t type;
	const void *next;
	uint32_t flags;
};

struct queue_desc {
	uint32_t type;
	const void *next;
	uint32_t ordinal, index, flags, mode, priority;
};

struct device_mem_desc {
	uint32_t type;
	const void *next;
	uint32_t flags, ordinal;
};

struct export_desc {
	uint32_t type;
	const void *next;
	uint32_t flags;
};

struct export_fd {
	uint32_t type;
	const void *next;
	uint32_t flags;
	int fd;
};

struct mem_properties {
	uint32_t type;
	void *next;
	uint32_t kind;
	uint64_t id, page_size;
};

_Static_assert(sizeof(struct context_desc) == 24 && sizeof(struct queue_desc) == 40 &&
		       sizeof(struct device_mem_desc) == 24 && sizeof(struct export_desc) == 24 &&
		       sizeof(struct export_fd) == 24 && sizeof(struct mem_properties) == 40,
	       "the layout of ze_api.h");

static struct {
	int (*init)(uint32_t flags);
	int (*drivers)(uint32_t *count, void **drivers);
	int (*devices)(void *driver, uint32_t *count, void **devices);
	int (*context)(void *driver, const struct context_desc *desc, void **context);
	int (*list)(void *context, void *device, const struct queue_desc *desc, void **list);
	int (*alloc)(void *context, const struct device_mem_desc *desc, size_t bytes, size_t alignment, void *device,
		     void **address);
	int (*free)(void *context, void *address);
	int (*copy)(void *list, void *to, const void *from, size_t bytes, void *signal, uint32_t num_waits,
		    void **waits);
	int (*properties)(void *context, const void *address, struct mem_properties *properties, void **device);
	int (*range)(void *context, const void *address, void **base, size_t *bytes);
} ze;

static void *driver, *context, *device, *list; /* of the selected GPU; the context is for all GPUs */
static void *found[MAX_DEVICES];

static const struct library_symbol symbols[] = {
	LIBRARY_ROW("zeInit", ze.init),
	LIBRARY_ROW("zeDriverGet", ze.drivers),
	LIBRARY_ROW("zeDeviceGet", ze.devices),
	LIBRARY_ROW("zeContextCreate", ze.context),
	LIBRARY_ROW("zeCommandListCreateImmediate", ze.list),
	LIBRARY_ROW("zeMemAllocDevice", ze.alloc),
	LIBRARY_ROW("zeMemFree", ze.free),
	LIBRARY_ROW("zeCommandListAppendMemoryCopy", ze.copy),
	LIBRARY_ROW("zeMemGetAllocProperties", ze.properties),
	LIBRARY_ROW("zeMemGetAddressRange", ze.range),
	{.name = NULL},
};

static const char *gpu_intel_describe(int error, char *text, size_t size)
{
	snprintf(text, size, "error 0x%x of Level Zero", (unsigned)error);
	return text;
}

static int gpu_intel_start(int *count)
{
	const struct context_desc desc = {.type = TYPE_CONTEXT_DESC};
	uint32_t drivers = 1, devices = MAX_DEVICES;
	int ret;

	ret = ze.init(0);
	ret = ret ?: ze.drivers(&drivers, &driver);
	if (!ret && !drivers)
		devices = 0;
	else if (!ret)
		ret = ze.devices(driver, &devices, found);
	if (!ret && devices)
		ret = ze.context(driver, &desc, &context);
	*count = (int)(devices < MAX_DEVICES ? devices : MAX_DEVICES);
	return ret;
}

static int gpu_intel_use(int index)
{
	const struct queue_desc desc = {.type = TYPE_QUEUE_DESC, .mode = QUEUE_SYNCHRONOUS};

	device = found[index];
	return ze.list(context, device, &desc, &list);
}

/* The dmabuf is of the driver's whole allocation, in which the buffer may lie. -1 if the memory cannot be exported. */
static int export_fd(const void *address, uint64_t *offset)
{
	struct export_fd export = {.type = TYPE_EXPORT_FD, .flags = EXPORT_DMABUF, .fd = -1};
	struct mem_properties properties = {.type = TYPE_MEM_PROPERTIES, .next = &export};

	void *base;

	if (ze.range(context, address, &base, NULL) || ze.properties(context, address, &properties, NULL))
		return -1;
	*offset = (uintptr_t)address - (uintptr_t)base;
	return export.fd;
}

/* First tries to allocate memory that can be exported as a dmabuf, which not every driver supports. */
static int gpu_intel_alloc(struct buffer *buffer, struct ibv_context *verbs)
{
	const struct export_desc export = {.type = TYPE_EXPORT_DESC, .flags = EXPORT_DMABUF};
	struct device_mem_desc desc = {.type = TYPE_DEVICE_MEM_DESC, .next = &export};
	const size_t whole = gpu_whole_pages(buffer->length);
	void *address = NULL;
	char text[64];
	int ret = ze.alloc(context, &desc, whole, GPU_PAGE, device, &address);

	(void)verbs;
	if (!ret) {
		buffer->fd = export_fd(address, &buffer->fd_offset);
	} else {
		desc.next = NULL;
		ret = ze.alloc(context, &desc, whole, GPU_PAGE, device, &address);
	}
	if (ret)
		return log_fail(-ENOMEM, "no Intel GPU memory for a buffer of %zu bytes: %s", buffer->length,
				gpu_intel_describe(ret, text, sizeof(text)));
	buffer->addr = address;
	buffer->private = list; /* another GPU may be selected for the next buffer */
	return 0;
}

static void gpu_intel_release(struct buffer *buffer)
{
	if (buffer->fd >= 0)
		close(buffer->fd);
	ze.free(context, buffer->addr);
}

static void gpu_intel_copy(const struct buffer *buffer, void *to, const void *from, size_t bytes,
			   enum copy_direction which)
{
	const int ret = ze.copy(buffer->private, to, from, bytes, NULL, 0, NULL);
	char text[64];

	(void)which;
	if (ret)
		memory_copy_failed(buffer, gpu_intel_describe(ret, text, sizeof(text)));
}

static const struct memory_ops memory = {
	.name = "Level Zero",
	.is_pooled = true,
	.is_far = true,
	.alloc = gpu_intel_alloc,
	.free = gpu_intel_release,
	.copy = gpu_intel_copy,
};

const struct gpu_kind gpu_intel = {
	.type = GPU_INTEL,
	.name = "INTEL",
	.libraries = {{.files = {"libze_loader.so.1"}, .symbols = symbols, .comes_with = "the driver's software"}},
	.memory = &memory,
	.start = gpu_intel_start,
	.use = gpu_intel_use,
	.describe = gpu_intel_describe,
};
