// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * AWS Trainium or Inferentia memory, with the Neuron runtime ("Neuron Runtime API reference", nrt.h): a buffer is a
 * tensor on a core, read and written by offset; a dmabuf of the whole tensor if the runtime supports it.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "memory/gpu.h"
#include "util/log.h"

#define NO_FRAMEWORK	    1 /* NRT_FRAMEWORK_TYPE_NO_FW */
#define PLACEMENT_ON_DEVICE 0 /* NRT_TENSOR_PLACEMENT_DEVICE */
#define NO_ADDRESS	    (-1)

/* buffer->private */
struct neuron_block {
	void *tensor;
	size_t offset; /* of the buffer in the tensor */
};

static struct {
	int (*count)(uint32_t *count);
	int (*init)(int framework, const char *framework_version, const char *layer_version);
	int (*alloc)(int placement, int core, size_t bytes, const char *name, void **tensor);
	void (*free)(void **tensor);
	void *(*address)(const void *tensor);
	int (*read)(const void *tensor, void *host, size_t offset, size_t bytes);
	int (*write)(void *tensor, const void *host, size_t offset, size_t bytes);
	int (*export)(uint64_t address, uint64_t bytes, int *fd);
} nrt;

static int core; /* index among the cores that the runtime sees */

static const struct library_symbol symbols[] = {
	LIBRARY_ROW("nrt_get_visible_vnc_count", nrt.count, .older = "nrt_get_visible_nc_count"),
	LIBRARY_ROW("nrt_init", nrt.init),
	LIBRARY_ROW("nrt_tensor_allocate", nrt.alloc),
	LIBRARY_ROW("nrt_tensor_free", nrt.free),
	LIBRARY_ROW("nrt_tensor_get_va", nrt.address),
	LIBRARY_ROW("nrt_tensor_read", nrt.read),
	LIBRARY_ROW("nrt_tensor_write", nrt.write),
	LIBRARY_ROW("nrt_get_dmabuf_fd", nrt.export, .is_optional = true),
	{.name = NULL},
};

static const char *gpu_neuron_describe(int error, char *text, size_t size)
{
	if (error == NO_ADDRESS)
		snprintf(text, size, "the tensor has no address");
	else
		snprintf(text, size, "status %d of the Neuron runtime", error);
	return text;
}

/* May be called before nrt_init(), which reserves the visible cores. */
static int gpu_neuron_start(int *count)
{
	uint32_t found = 0;
	const int ret = nrt.count(&found);

	*count = (int)found;
	return ret;
}

/*
 * The runtime reserves all visible cores for this process, so only this one is made visible, unless the user chose
 * others.
 */
static int gpu_neuron_use(int index)
{
	char text[16];

	core = index;
	if (!getenv("NEURON_RT_VISIBLE_CORES")) {
		snprintf(text, sizeof(text), "%d", index);
		setenv("NEURON_RT_VISIBLE_CORES", text, 1);
		core = 0;
	}
	return nrt.init(NO_FRAMEWORK, "", "");
}

/* A dmabuf covers the tensor from its first byte, whose alignment is not guaranteed. */
static int gpu_neuron_alloc(struct buffer *buffer, struct ibv_context *context)
{
	const size_t whole = gpu_whole_pages(buffer->length) + GPU_PAGE;
	struct neuron_block *block = calloc(1, sizeof(*block));
	uintptr_t start = 0;
	char text[64];
	int fd = -1, ret;

	(void)context;
	if (!block)
		return log_fail(-ENOMEM, "no memory for the description of a Neuron buffer");
	ret = nrt.alloc(PLACEMENT_ON_DEVICE, core, whole, "perftest", &block->tensor);
	if (!ret)
		start = (uintptr_t)nrt.address(block->tensor);
	if (!ret && !start)
		ret = NO_ADDRESS;
	if (ret) {
		log_error("no Neuron memory for a buffer of %zu bytes: %s", buffer->length,
			  gpu_neuron_describe(ret, text, sizeof(text)));
		if (block->tensor)
			nrt.free(&block->tensor);
		free(block);
		return -ENOMEM;
	}
	block->offset = gpu_whole_pages(start) - start;
	buffer->addr = (uint8_t *)gpu_whole_pages(start);
	buffer->private = block;
	if (!nrt.export)
		return 0;
	ret = nrt.export(start, whole, &fd);
	if (ret) {
		gpu_neuron_describe(ret, buffer->refused, sizeof(buffer->refused));
		return 0;
	}
	buffer->fd = fd;
	buffer->fd_offset = block->offset;
	return 0;
}

static void gpu_neuron_free(struct buffer *buffer)
{
	struct neuron_block *block = buffer->private;

	if (buffer->fd >= 0)
		close(buffer->fd);
	nrt.free(&block->tensor);
	free(block);
}

static void gpu_neuron_copy(const struct buffer *buffer, void *to, const void *from, size_t bytes,
			    enum copy_direction which)
{
	const struct neuron_block *block = buffer->private;
	const uint8_t *addr = which == COPY_IN ? to : from;
	const size_t offset = block->offset + (size_t)(addr - buffer->addr);
	const int ret = which == COPY_IN ? nrt.write(block->tensor, from, offset, bytes)
					 : nrt.read(block->tensor, to, offset, bytes);
	char text[64];

	if (ret)
		memory_copy_failed(buffer, gpu_neuron_describe(ret, text, sizeof(text)));
}

static const struct memory_ops memory = {
	.name = "Neuron",
	.is_pooled = true,
	.is_far = true,
	.alloc = gpu_neuron_alloc,
	.free = gpu_neuron_free,
	.copy = gpu_neuron_copy,
};

const struct gpu_kind gpu_neuron = {
	.type = GPU_NEURON,
	.name = "Neuron",
	.libraries = {{.files = {"libnrt.so.1"}, .symbols = symbols, .comes_with = "aws-neuronx-runtime-lib"}},
	.memory = &memory,
	.start = gpu_neuron_start,
	.use = gpu_neuron_use,
	.describe = gpu_neuron_describe,
};
