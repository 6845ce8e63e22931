// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* GPU memory with a driver API like CUDA's. See gpu.h. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "memory/gpu.h"
#include "util/log.h"

/* buffer->private */
struct driver_block {
	void *context;
	uint64_t base; /* to be freed */
};

static _Thread_local void *current; /* this thread's context */

static const struct driver_memory *driver_memory_of(const struct buffer *buffer)
{
	return (const struct driver_memory *)(const void *)((const char *)buffer->ops -
							    offsetof(struct driver_memory, ops));
}

/*
 * The copying thread may not be the one that has selected the device, and another device may have been selected since.
 */
static int set_current(const struct driver_api *api, void *context)
{
	int ret;

	if (current == context)
		return 0;
	ret = api->set_current(context);
	if (!ret)
		current = context;
	return ret;
}

int driver_enter(const struct driver_memory *memory)
{
	return set_current(memory->api, *memory->context);
}

const char *driver_describe(const struct driver_api *api, int error, char *text, size_t size)
{
	const char *name = NULL;

	api->error_name(error, &name);
	if (name)
		snprintf(text, size, "%s", name);
	else
		snprintf(text, size, "error %d", error);
	return text;
}

/* For small buffers the drivers only guarantee less than a page of alignment. */
int driver_memory_alloc(struct buffer *buffer, struct ibv_context *context)
{
	const struct driver_memory *memory = driver_memory_of(buffer);
	const size_t whole = gpu_whole_pages(buffer->length);
	struct driver_block *block = calloc(1, sizeof(*block));
	uint64_t address;
	char text[64];
	int fd = -1, ret;

	(void)context;
	if (!block)
		return log_fail(-ENOMEM, "no memory for the description of a %s buffer", memory->ops.name);
	block->context = *memory->context;
	ret = driver_enter(memory);
	ret = ret ?: memory->api->alloc(&block->base, whole + GPU_PAGE);
	if (ret) {
		log_error("no %s GPU memory for a buffer of %zu bytes: %s", memory->vendor, buffer->length,
			  driver_describe(memory->api, ret, text, sizeof(text)));
		free(block);
		return -ENOMEM;
	}
	address = gpu_whole_pages(block->base);
	buffer->addr = (uint8_t *)(uintptr_t)address;
	buffer->private = block;
	if (!memory->api->handle)
		return 0;
	ret = memory->api->handle(&fd, address, whole, DRIVER_DMABUF, memory->flags ? *memory->flags : 0);
	if (ret)
		driver_describe(memory->api, ret, buffer->refused, sizeof(buffer->refused));
	else
		buffer->fd = fd;
	buffer->doubt = memory->doubt ? *memory->doubt : NULL;
	return 0;
}

void driver_memory_free(struct buffer *buffer)
{
	const struct driver_api *api = driver_memory_of(buffer)->api;
	struct driver_block *block = buffer->private;

	if (buffer->fd >= 0)
		close(buffer->fd);
	if (!set_current(api, block->context))
		api->free(block->base);
	free(block);
}

void driver_memory_copy(const struct buffer *buffer, void *to, const void *from, size_t bytes,
			enum copy_direction which)
{
	const struct driver_api *api = driver_memory_of(buffer)->api;
	const struct driver_block *block = buffer->private;
	int ret = set_current(api, block->context);
	char text[128];

	if (!ret)
		ret = which == COPY_IN ? api->to_device((uintptr_t)to, from, bytes)
				       : api->to_host(to, (uintptr_t)from, bytes);
	if (ret)
		memory_copy_failed(buffer, driver_describe(api, ret, text, sizeof(text)));
}
