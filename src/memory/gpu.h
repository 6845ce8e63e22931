/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory of GPUs and accelerators: one kind per vendor. The vendors' libraries are opened at run time, so that one
 * package supports all of them. The CPU can only access such memory with the copy functions. In each kind, one device
 * at a time is selected.
 */
#pragma once

#include <stddef.h>

#include "memory/library.h"
#include "memory/memory.h"
#include "memory/memory_config.h"

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
