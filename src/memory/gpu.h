/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory of GPUs and accelerators: a kind for each vendor, whose libraries are opened at run time, so that one package
 * has them all. Only the copies reach such memory, not the CPU. One device at a time is chosen in each kind.
 */
#ifndef MEMORY_GPU_H
#define MEMORY_GPU_H

#include <stddef.h>

#include "memory/library.h"
#include "memory/memory.h"

/* GPU_AUTO looks for those before GPU_HABANA, in this order. */
enum gpu_type {
	GPU_AUTO = -1,
	GPU_AMD,
	GPU_NVIDIA,
	GPU_INTEL,
	GPU_HABANA,
	GPU_NEURON,
	GPU_MLU,
	GPU_MUSA,
	GPU_OPENCL,
	GPU_TYPES
};

#define GPU_LIBRARIES 2 /* of one kind, at most */

/* What the vendors do each in their way. Numbers that are not 0 are errors of theirs. */
struct gpu_kind {
	enum gpu_type type;
	const char *name; /* "NVIDIA" */
	struct library libraries[GPU_LIBRARIES];
	const struct memory_ops *memory;
	/* Once the libraries are open: initialises them. *count: the devices. */
	int (*start)(int *count);
	/* The device that alloc() takes from now on. NULL: they have no numbers, but addresses. */
	int (*use)(int index);
	/* The same by its address, "0000:3b:00.0". NULL: that can't be asked for. */
	int (*use_at)(const char *bus_id);
	/* An error of theirs in words. Returns text. */
	const char *(*describe)(int error, char *text, size_t size);
};

/* Libraries and driver are here, with a device at least. 0, or -ENOENT and a sentence; later calls are cheap. */
int gpu_probe(const struct gpu_kind *kind, char *reason, size_t reason_size);
/* After gpu_probe(). */
int gpu_count(const struct gpu_kind *kind);
/* The device that alloc() takes from now on. 0 or -errno, reported. After gpu_probe(). */
int gpu_choose(const struct gpu_kind *kind, int index);
int gpu_choose_at(const struct gpu_kind *kind, const char *bus_id);

extern const struct gpu_kind gpu_amd;	 /* HIP: libamdhip64.so */
extern const struct gpu_kind gpu_nvidia; /* the CUDA driver: libcuda.so.1 */
extern const struct gpu_kind gpu_intel;	 /* Level Zero: libze_loader.so.1 */
extern const struct gpu_kind gpu_habana; /* SynapseAI: libSynapse.so, libhl-thunk.so */
extern const struct gpu_kind gpu_neuron; /* the Neuron runtime: libnrt.so.1 */
extern const struct gpu_kind gpu_mlu;	 /* the driver API of Cambricon: libcndrv.so */
extern const struct gpu_kind gpu_musa;	 /* the MUSA driver of Moore Threads: libmusa.so */
extern const struct gpu_kind gpu_opencl; /* libOpenCL.so.1 */

/* The kind that was asked for, or the first that is here. 0, or -ENOENT, reported: none is. */
int gpu_find(enum gpu_type type, const struct gpu_kind **kind);

/* --gpu_touch: what makes pages move to the device while the NIC uses them. */
enum gpu_touch { GPU_TOUCH_NONE, GPU_TOUCH_ONCE, GPU_TOUCH_INFINITE };

/* Pages of GPUs; a dmabuf is made of whole ones. */
#define GPU_PAGE 65536
static inline size_t gpu_whole_pages(size_t bytes)
{
	return (bytes + GPU_PAGE - 1) / GPU_PAGE * GPU_PAGE;
}

#endif
