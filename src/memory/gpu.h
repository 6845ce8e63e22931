/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory of GPUs: a kind for each vendor, whose library is opened at run time, so that one package has them all. Only
 * the copies reach such memory, not the CPU. One GPU at a time is chosen in each kind.
 */
#ifndef MEMORY_GPU_H
#define MEMORY_GPU_H

#include <stddef.h>

#include "memory/memory.h"

/* The order in which they are looked for. */
enum gpu_type { GPU_AUTO = -1, GPU_AMD, GPU_NVIDIA, GPU_INTEL, GPU_TYPES };

struct gpu_symbol {
	const char *name;
	void **address; /* where it goes; NULL behind the last one */
};

/* What the vendors do each in their way. Numbers that are not 0 are errors of theirs. */
struct gpu_kind {
	enum gpu_type type;
	const char *name;	  /* "NVIDIA" */
	const char *const *files; /* of the library, up to a NULL: the first that can be opened is taken */
	const struct gpu_symbol *symbols;
	const struct memory_ops *memory;
	/* Once the library is open: initialises it. *count: its devices. */
	int (*start)(int *count);
	/* The GPU that alloc() takes from now on. */
	int (*use)(int index);
	/* An error of theirs in words. Returns text. */
	const char *(*describe)(int error, char *text, size_t size);
};

/* Library and driver are here, with a device at least. 0, or -ENOENT and a sentence; later calls are cheap. */
int gpu_probe(const struct gpu_kind *kind, char *reason, size_t reason_size);
/* The GPU that alloc() takes from now on. 0 or -errno, reported. After gpu_probe(). */
int gpu_choose(const struct gpu_kind *kind, int index);

extern const struct gpu_kind gpu_amd;	 /* HIP: libamdhip64.so */
extern const struct gpu_kind gpu_nvidia; /* the CUDA driver: libcuda.so.1 */
extern const struct gpu_kind gpu_intel;	 /* Level Zero: libze_loader.so.1 */

/* The kind that was asked for, or the first that is here. 0, or -ENOENT, reported: none is. */
int gpu_find(enum gpu_type type, const struct gpu_kind **kind);

/* Pages of GPUs; a dmabuf is made of whole ones. */
#define GPU_PAGE 65536
static inline size_t gpu_whole_pages(size_t bytes)
{
	return (bytes + GPU_PAGE - 1) / GPU_PAGE * GPU_PAGE;
}

/* A function that not every release has. NULL: there is none. */
void *gpu_library_symbol(const char *file, const char *name);

#endif
