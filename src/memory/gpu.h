/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory of GPUs and accelerators: one kind per vendor. The vendors' libraries are opened at run time, so that one
 * package supports all of them. The CPU can only access such memory with the copy functions. In each kind, one device
 * at a time is selected.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "memory/memory.h"
#include "memory/memory_config.h"
#include "util/library.h"

#define GPU_LIBRARIES 2 /* of one kind, at most */

/* What differs between the vendors. Nonzero return values are the vendor's errors. */
struct gpu_kind {
	enum gpu_type type;
	const char *name; /* "NVIDIA" */
	struct library libraries[GPU_LIBRARIES];
	const struct memory_ops *memory;
	/* Initializes the libraries after they have been opened. *count: the number of devices. */
	int (*start)(int *count);
	/* Selects the device for subsequent alloc() calls. NULL: devices have addresses instead of numbers. */
	int (*use)(int index);
	/* The same by PCI address, "0000:3b:00.0". NULL: not supported. */
	int (*use_at)(const char *bus_id);
	/* The text of a vendor's error. Returns text. */
	const char *(*describe)(int error, char *text, size_t size);
};

/* Checks for the libraries, the driver and at least one device. 0, or -ENOENT and a sentence; later calls are cheap. */
int gpu_probe(const struct gpu_kind *kind, char *reason, size_t reason_size);
/* Only after gpu_probe(). */
int gpu_count(const struct gpu_kind *kind);
/* Selects the device for subsequent alloc() calls. 0 or -errno, reported. Only after gpu_probe(). */
int gpu_choose(const struct gpu_kind *kind, int index);
int gpu_choose_at(const struct gpu_kind *kind, const char *bus_id);

extern const struct gpu_kind gpu_amd;	 /* HIP: libamdhip64.so */
extern const struct gpu_kind gpu_nvidia; /* the CUDA driver: libcuda.so.1 */
extern const struct gpu_kind gpu_intel;	 /* Level Zero: libze_loader.so.1 */
extern const struct gpu_kind gpu_habana; /* libhl-thunk.so */
extern const struct gpu_kind gpu_neuron; /* the Neuron runtime: libnrt.so.1 */
extern const struct gpu_kind gpu_mlu;	 /* Cambricon's driver API: libcndrv.so */
extern const struct gpu_kind gpu_musa;	 /* Moore Threads' MUSA driver: libmusa.so */
extern const struct gpu_kind gpu_opencl; /* libOpenCL.so.1 */

/* The kind of that type. */
const struct gpu_kind *gpu_kind_of(enum gpu_type type);
/* The requested kind, or the first available one. 0, or -ENOENT, reported, if there is none. */
int gpu_find(enum gpu_type type, const struct gpu_kind **kind);

/* Page size of GPUs; a dmabuf consists of whole pages. */
#define GPU_PAGE 65536
static inline size_t gpu_whole_pages(size_t bytes)
{
	return (bytes + GPU_PAGE - 1) / GPU_PAGE * GPU_PAGE;
}

/*
 * --- gpu_driver.c: what the driver APIs of NVIDIA, Cambricon and Moore Threads have in common ---
 *
 * A current context per thread, device memory with 64-bit addresses, copies, and dmabufs of an address range.
 */

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
	const char *const *doubt;	 /* of them, as a buffer has it; NULL: none */
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
