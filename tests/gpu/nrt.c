// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A stand-in for libnrt.so.1: the functions of the Neuron runtime that src/memory/gpu_neuron.c calls. */
#include "device.h"

#define FAILURE	 1
#define INVALID	 2
#define RESOURCE 4

struct tensor {
	uint64_t address;
	size_t bytes;
};

static bool is_initialised;

int nrt_get_visible_nc_count(uint32_t *count);
int nrt_init(int framework, const char *framework_version, const char *layer_version);
int nrt_tensor_allocate(int placement, int core, size_t bytes, const char *name, struct tensor **tensor);
void nrt_tensor_free(struct tensor **tensor);
void *nrt_tensor_get_va(const struct tensor *tensor);
int nrt_tensor_read(const struct tensor *tensor, void *host, size_t offset, size_t bytes);
int nrt_tensor_write(struct tensor *tensor, const void *host, size_t offset, size_t bytes);
int nrt_get_dmabuf_fd(uint64_t address, uint64_t bytes, int *fd);

/* The name of older releases, which is as good. */
int nrt_get_visible_nc_count(uint32_t *count)
{
	*count = (uint32_t)device_count();
	return must_fail("nrt_get_visible_nc_count") ? FAILURE : 0;
}

int nrt_init(int framework, const char *framework_version, const char *layer_version)
{
	is_initialised = framework == 1 && !*framework_version && !*layer_version && !must_fail("nrt_init");
	return is_initialised ? 0 : INVALID;
}

/* Of the cores that the process has asked for. */
int nrt_tensor_allocate(int placement, int core, size_t bytes, const char *name, struct tensor **tensor)
{
	const char *visible = getenv("NEURON_RT_VISIBLE_CORES");

	if (!is_initialised || placement != 0 || !visible || core != 0 || !name)
		return INVALID;
	*tensor = must_fail("nrt_tensor_allocate") ? NULL : calloc(1, sizeof(**tensor));
	if (!*tensor)
		return RESOURCE;
	(*tensor)->address = device_alloc(bytes, MISALIGNED);
	(*tensor)->bytes = bytes;
	return 0;
}

void nrt_tensor_free(struct tensor **tensor)
{
	device_free((*tensor)->address, MISALIGNED);
	free(*tensor);
	*tensor = NULL;
}

void *nrt_tensor_get_va(const struct tensor *tensor)
{
	return must_fail("nrt_tensor_get_va") ? NULL : (void *)(uintptr_t)tensor->address;
}

int nrt_tensor_read(const struct tensor *tensor, void *host, size_t offset, size_t bytes)
{
	if (must_fail("nrt_tensor_read") || offset > tensor->bytes || bytes > tensor->bytes - offset)
		return INVALID;
	device_read(host, tensor->address + offset, bytes);
	return 0;
}

int nrt_tensor_write(struct tensor *tensor, const void *host, size_t offset, size_t bytes)
{
	if (must_fail("nrt_tensor_write") || offset > tensor->bytes || bytes > tensor->bytes - offset)
		return INVALID;
	device_write(tensor->address + offset, host, bytes);
	return 0;
}

/* Of a whole tensor, from its first byte on. */
int nrt_get_dmabuf_fd(uint64_t address, uint64_t bytes, int *fd)
{
	*fd = address % PAGE == MISALIGNED ? device_export(address - MISALIGNED, bytes) : -1;
	return *fd < 0 ? RESOURCE : 0;
}
