/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the driver APIs of NVIDIA, Cambricon and Moore Threads have in common: a current context per thread, device
 * memory with 64-bit addresses, copies, and dmabufs of an address range.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "memory/memory.h"

/* Nonzero return values are errors. */
struct driver_api {
	int (*set_current)(void *context);
	int (*alloc)(uint64_t *address, size_t bytes);
	int (*free)(uint64_t address);
	int (*to_device)(uint64_t to, const void *from, size_t bytes);
	int (*to_host)(void *to, uint64_t from, size_t bytes);
	int (*error_name)(int error, const char **name);
	/* type: DRIVER_DMABUF. NULL: this release, or this kind of memory, does not support it. */
	int (*handle)(void *handle, uint64_t address, size_t bytes, int type, unsigned long long flags);
};

#define DRIVER_DMABUF	   1 /* ..._MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD */
#define DRIVER_DMABUF_PCIE 1 /* ..._MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE, of the flags */

/* The memory of a kind: its ops are DRIVER_MEMORY_OPS(). */
struct driver_memory {
	struct memory_ops ops;
	const char *vendor;
	const struct driver_api *api;
	void *const *context;		 /* of the selected device */
	const unsigned long long *flags; /* for dmabufs; NULL: none */
};

#define DRIVER_MEMORY_OPS(title, release, starter)                                                                     \
	{                                                                                                              \
		.name = (title), .is_pooled = true, .is_far = true, .alloc = driver_memory_alloc, .free = (release),   \
		.begin = (starter), .copy = driver_memory_copy,                                                        \
	}

int driver_memory_alloc(struct buffer *buffer, struct ibv_context *context);
void driver_memory_free(struct buffer *buffer);
void driver_memory_copy(const struct buffer *buffer, void *to, const void *from, size_t bytes,
			enum copy_direction which);

/* Makes the context of the kind's device current in this thread, for the kind's own calls. */
int driver_enter(const struct driver_memory *memory);

/* Implements describe() of a gpu_kind. */
const char *driver_describe(const struct driver_api *api, int error, char *text, size_t size);
