// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Intel (Habana) Gaudi memory, with SynapseAI ("SynapseAI API reference"): the device is acquired by its PCI address,
 * and copies use a stream and host memory that SynapseAI has mapped. NICs need a dmabuf, which the lower library,
 * hl-thunk, exports from a range of the device's memory. Without SynapseAI hl-thunk opens the device and allocates as
 * well, but copies nothing: then buffers are not filled.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory/gpu.h"
#include "util/log.h"

#define HOST_TO_DRAM 0 /* synDmaDir */
#define DRAM_TO_HOST 1
#define STAGE_BYTES  65536
#define ANY_KIND     4 /* HLTHUNK_DEVICE_DONT_CARE */

/* synDeviceInfoV2, whose last member was added in SynapseAI 1.7. */
struct habana_info {
	uint64_t sram_base, dram_base;
	uint32_t sram_size;
	uint64_t dram_size, tpc_mask;
	uint8_t dram_enabled;
	uint32_t id, fd;
	uint32_t type;
	uint8_t index;
	uint64_t all_base; /* globalHbmBaseAddress */
	uint64_t later[8];
};

_Static_assert(offsetof(struct habana_info, fd) == 48 && offsetof(struct habana_info, all_base) == 64,
	       "the layout of synapse_common_types.h");

/* buffer->private */
struct habana_block {
	uint32_t device;
	void *stream;
	uint64_t base;	 /* to be freed */
	uint8_t *stage;	 /* bounce buffer for copies */
	uint64_t handle; /* of hl-thunk, without SynapseAI */
};

static struct {
	int (*init)(void);
	int (*count)(uint32_t *count);
	int (*acquire)(uint32_t *device, const char *bus_id);
	int (*info)(uint32_t device, struct habana_info *info);
	int (*alloc)(uint32_t device, uint64_t bytes, uint64_t address, uint32_t flags, uint64_t *buffer);
	int (*free)(uint32_t device, uint64_t buffer, uint32_t flags);
	int (*alloc_host)(uint32_t device, uint64_t bytes, uint32_t flags, void **buffer);
	int (*free_host)(uint32_t device, const void *buffer, uint32_t flags);
	int (*stream)(void **stream, uint32_t device, uint32_t flags);
	int (*synchronize)(void *stream);
	int (*copy)(void *stream, uint64_t from, uint64_t bytes, uint64_t to, int direction);
} synapse; /* all NULL: there is only hl-thunk */

static struct {
	int (*count)(int kind);
	int (*open)(int kind, const char *bus_id);
	uint64_t (*alloc)(int fd, uint64_t bytes, uint64_t page_bytes, bool contiguous, bool shared);
	uint64_t (*map)(int fd, uint64_t handle, uint64_t address);
	int (*unmap)(int fd, uint64_t address);
	int (*free)(int fd, uint64_t handle);
	int (*export)(int fd, uint64_t address, uint64_t bytes, uint64_t offset, uint32_t flags);
} thunk;

static uint32_t device; /* acquired, with its stream and attributes */
static void *stream;
static struct habana_info info;

static const char *const files[] = {"libSynapse.so", NULL}, *const thunk_files[] = {"libhl-thunk.so", NULL};
static const struct library_symbol symbols[] = {
	{"synInitialize", LIBRARY_ADDRESS(synapse.init), NULL, NULL, false},
	{"synDeviceGetCount", LIBRARY_ADDRESS(synapse.count), NULL, NULL, false},
	{"synDeviceAcquire", LIBRARY_ADDRESS(synapse.acquire), NULL, NULL, false},
	{"synDeviceGetInfoV2", LIBRARY_ADDRESS(synapse.info), NULL, NULL, false},
	{"synDeviceMalloc", LIBRARY_ADDRESS(synapse.alloc), NULL, NULL, false},
	{"synDeviceFree", LIBRARY_ADDRESS(synapse.free), NULL, NULL, false},
	{"synHostMalloc", LIBRARY_ADDRESS(synapse.alloc_host), NULL, NULL, false},
	{"synHostFree", LIBRARY_ADDRESS(synapse.free_host), NULL, NULL, false},
	{"synStreamCreateGeneric", LIBRARY_ADDRESS(synapse.stream), NULL, NULL, false},
	{"synStreamSynchronize", LIBRARY_ADDRESS(synapse.synchronize), NULL, NULL, false},
	{"synMemCopyAsync", LIBRARY_ADDRESS(synapse.copy), NULL, NULL, false},
	{NULL, NULL, NULL, NULL, false},
};
static const struct library_symbol thunk_symbols[] = {
	{"hlthunk_get_device_count", LIBRARY_ADDRESS(thunk.count), NULL, NULL, false},
	{"hlthunk_open", LIBRARY_ADDRESS(thunk.open), NULL, NULL, false},
	{"hlthunk_device_memory_alloc", LIBRARY_ADDRESS(thunk.alloc), NULL, NULL, false},
	{"hlthunk_device_memory_map", LIBRARY_ADDRESS(thunk.map), NULL, NULL, false},
	{"hlthunk_memory_unmap", LIBRARY_ADDRESS(thunk.unmap), NULL, NULL, false},
	{"hlthunk_device_memory_free", LIBRARY_ADDRESS(thunk.free), NULL, NULL, false},
	{"hlthunk_device_mapped_memory_export_dmabuf_fd", LIBRARY_ADDRESS(thunk.export), NULL, NULL, false},
	{NULL, NULL, NULL, NULL, false},
};

static const char *gpu_habana_describe(int error, char *text, size_t size)
{
	snprintf(text, size, "status %d of %s", error, synapse.init ? "SynapseAI" : "hl-thunk");
	return text;
}

static int gpu_habana_start(int *count)
{
	uint32_t found = 0;
	int ret;

	if (!synapse.init) {
		*count = thunk.count(ANY_KIND);
		return *count < 0 ? *count : 0;
	}
	ret = synapse.init();
	if (!ret)
		ret = synapse.count(&found);
	*count = (int)found;
	return ret;
}

static int gpu_habana_use_at(const char *bus_id)
{
	int ret;

	if (!synapse.init) {
		ret = thunk.open(ANY_KIND, bus_id);
		info.fd = (uint32_t)ret;
		if (ret >= 0)
			log_warning("%s, which comes with SynapseAI, can't be loaded, and hl-thunk copies nothing: "
				    "messages have what is in the Gaudi's memory, and --data_validation is impossible",
				    files[0]);
		return ret < 0 ? ret : 0;
	}
	ret = synapse.acquire(&device, bus_id);
	if (!ret)
		ret = synapse.info(device, &info);
	return ret ? ret : synapse.stream(&stream, device, 0);
}

/* Of whole bytes that begin at base, offset behind it. */
static void export_dmabuf(struct buffer *buffer, uint64_t base, uint64_t whole, uint64_t offset)
{
	buffer->fd = thunk.export((int)info.fd, base, whole, offset, O_RDWR | O_CLOEXEC);
	if (buffer->fd < 0) { /* a negative errno */
		snprintf(buffer->refused, sizeof(buffer->refused), "%s", strerror(-buffer->fd));
		buffer->fd = -1;
	}
}

static int alloc_by_thunk(struct buffer *buffer, struct habana_block *block)
{
	const size_t whole = gpu_whole_pages(buffer->length);

	block->handle = thunk.alloc((int)info.fd, whole, 0 /* the device's pages */, true, false);
	block->base = block->handle ? thunk.map((int)info.fd, block->handle, 0 /* any */) : 0;
	if (!block->base) {
		if (block->handle)
			thunk.free((int)info.fd, block->handle);
		log_error("no Gaudi memory for a buffer of %zu bytes: hl-thunk %s", buffer->length,
			  block->handle ? "cannot map it" : "has none");
		free(block);
		return -ENOMEM;
	}
	buffer->addr = (uint8_t *)(uintptr_t)block->base;
	buffer->private = block;
	buffer->is_sealed = true;
	export_dmabuf(buffer, block->base, whole, 0);
	return 0;
}

static void free_block(struct habana_block *block)
{
	if (!synapse.init) {
		thunk.unmap((int)info.fd, block->base);
		thunk.free((int)info.fd, block->handle);
		free(block);
		return;
	}
	if (block->stage)
		synapse.free_host(block->device, block->stage, 0);
	if (block->base)
		synapse.free(block->device, block->base, 0);
	free(block);
}

static int gpu_habana_alloc(struct buffer *buffer, struct ibv_context *context)
{
	const size_t whole = gpu_whole_pages(buffer->length);
	struct habana_block *block = calloc(1, sizeof(*block));
	uint64_t address;
	char text[64];
	int ret;

	(void)context;
	if (!block)
		return log_fail(-ENOMEM, "no memory for the description of a Gaudi buffer");
	if (!synapse.init)
		return alloc_by_thunk(buffer, block);
	block->device = device;
	block->stream = stream;
	ret = synapse.alloc(device, whole + GPU_PAGE, 0, 0, &block->base);
	if (!ret)
		ret = synapse.alloc_host(device, STAGE_BYTES, 0, (void **)(void *)&block->stage);
	if (ret) {
		log_error("no Gaudi memory for a buffer of %zu bytes: %s", buffer->length,
			  gpu_habana_describe(ret, text, sizeof(text)));
		free_block(block);
		return -ENOMEM;
	}
	address = gpu_whole_pages(block->base);
	buffer->addr = (uint8_t *)(uintptr_t)address;
	buffer->private = block;
	export_dmabuf(buffer, info.all_base, whole, address - info.all_base);
	return 0;
}

static void gpu_habana_free(struct buffer *buffer)
{
	if (buffer->fd >= 0)
		close(buffer->fd);
	free_block(buffer->private);
}

/* Copies a part to or from the bounce buffer, and waits for the end. */
static void copy_staged(const struct buffer *buffer, uint64_t addr, uint64_t bytes, enum copy_direction which)
{
	const struct habana_block *block = buffer->private;
	const uint64_t stage = (uintptr_t)block->stage;
	int ret = which == COPY_IN ? synapse.copy(block->stream, stage, bytes, addr, HOST_TO_DRAM)
				   : synapse.copy(block->stream, addr, bytes, stage, DRAM_TO_HOST);
	char text[64];

	if (!ret)
		ret = synapse.synchronize(block->stream);
	if (ret)
		memory_copy_failed(buffer, gpu_habana_describe(ret, text, sizeof(text)));
}

static void gpu_habana_copy(const struct buffer *buffer, void *to, const void *from, size_t bytes,
			    enum copy_direction which)
{
	uint8_t *stage = ((const struct habana_block *)buffer->private)->stage;

	if (!stage) {
		memory_copy_failed(buffer, "hl-thunk has no copies, SynapseAI is needed");
		return;
	}
	for (size_t at = 0, part; at < bytes; at += part) {
		part = bytes - at < STAGE_BYTES ? bytes - at : STAGE_BYTES;
		if (which == COPY_IN)
			memcpy(stage, (const uint8_t *)from + at, part);
		copy_staged(buffer, (which == COPY_IN ? (uintptr_t)to : (uintptr_t)from) + at, part, which);
		if (which == COPY_OUT)
			memcpy((uint8_t *)to + at, stage, part);
	}
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
	.libraries = {{files, symbols, "SynapseAI", true}, {thunk_files, thunk_symbols, "SynapseAI", false}},
	.memory = &memory,
	.start = gpu_habana_start,
	.use_at = gpu_habana_use_at,
	.describe = gpu_habana_describe,
};
