// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Intel (Habana) Gaudi memory, with hl-thunk: the device is opened by its PCI address, and a NIC needs a dmabuf of the
 * memory. hl-thunk copies nothing: buffers are not filled.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "memory/gpu.h"
#include "util/log.h"

#define ANY_KIND 4 /* HLTHUNK_DEVICE_DONT_CARE */

static struct {
	int (*count)(int kind);
	int (*open)(int kind, const char *bus_id);
	uint64_t (*alloc)(int fd, uint64_t bytes, uint64_t page_bytes, bool contiguous, bool shared);
	uint64_t (*map)(int fd, uint64_t handle, uint64_t address);
	int (*unmap)(int fd, uint64_t address);
	int (*free)(int fd, uint64_t handle);
	int (*export)(int fd, uint64_t address, uint64_t bytes, uint64_t offset, uint32_t flags);
} thunk;

static int device; /* the open one */

static const struct library_symbol symbols[] = {
	LIBRARY_ROW("hlthunk_get_device_count", thunk.count),
	LIBRARY_ROW("hlthunk_open", thunk.open),
	LIBRARY_ROW("hlthunk_device_memory_alloc", thunk.alloc),
	LIBRARY_ROW("hlthunk_device_memory_map", thunk.map),
	LIBRARY_ROW("hlthunk_memory_unmap", thunk.unmap),
	LIBRARY_ROW("hlthunk_device_memory_free", thunk.free),
	LIBRARY_ROW("hlthunk_device_mapped_memory_export_dmabuf_fd", thunk.export),
	{.name = NULL},
};

static const char *gpu_habana_describe(int error, char *text, size_t size)
{
	snprintf(text, size, "status %d of hl-thunk", error);
	return text;
}

static int gpu_habana_start(int *count)
{
	*count = thunk.count(ANY_KIND);
	return *count < 0 ? *count : 0;
}

static int gpu_habana_use_at(const char *bus_id)
{
	device = thunk.open(ANY_KIND, bus_id);
	if (device < 0)
		return device;
	log_warning("hl-thunk copies nothing: messages have what is in the Gaudi's memory, and --data_validation is "
		    "impossible");
	return 0;
}

/* private: the handle of hl-thunk. */
static int gpu_habana_alloc(struct buffer *buffer, struct ibv_context *context)
{
	const size_t whole = gpu_whole_pages(buffer->length);
	const uint64_t handle = thunk.alloc(device, whole, 0 /* the device's pages */, true, false);
	const uint64_t base = handle ? thunk.map(device, handle, 0 /* any */) : 0;

	(void)context;
	if (!base) {
		if (handle)
			thunk.free(device, handle);
		return log_fail(-ENOMEM, "no Gaudi memory for a buffer of %zu bytes: hl-thunk %s", buffer->length,
				handle ? "cannot map it" : "has none");
	}
	buffer->addr = (uint8_t *)(uintptr_t)base;
	buffer->private = (void *)(uintptr_t)handle;
	buffer->is_sealed = true;
	buffer->fd = thunk.export(device, base, whole, 0 /* offset */, O_RDWR | O_CLOEXEC);
	if (buffer->fd < 0) { /* a negative errno */
		snprintf(buffer->refused, sizeof(buffer->refused), "%s", strerror(-buffer->fd));
		buffer->fd = -1;
	}
	return 0;
}

static void gpu_habana_free(struct buffer *buffer)
{
	if (buffer->fd >= 0)
		close(buffer->fd);
	thunk.unmap(device, (uintptr_t)buffer->addr);
	thunk.free(device, (uintptr_t)buffer->private);
}

static void gpu_habana_copy(const struct buffer *buffer, void *to, const void *from, size_t bytes,
			    enum copy_direction which)
{
	(void)to;
	(void)from;
	(void)bytes;
	(void)which;
	memory_copy_failed(buffer, "hl-thunk has no copies");
}

static const struct memory_ops memory = {
	.name = "Gaudi",
	.is_pooled = true,
	.is_far = true,
	.alloc = gpu_habana_alloc,
	.free = gpu_habana_free,
	.copy = gpu_habana_copy,
};

const struct gpu_kind gpu_habana = {
	.type = GPU_HABANA,
	.name = "Habana",
	.libraries = {{.files = {"libhl-thunk.so"}, .symbols = symbols, .comes_with = "SynapseAI"}},
	.memory = &memory,
	.start = gpu_habana_start,
	.use_at = gpu_habana_use_at,
	.describe = gpu_habana_describe,
};
