/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What can be chosen of CUDA beyond the GPU itself. gpu_nvidia.c; the kernel of --gpu_touch is gpu_nvidia_touch.c's. */
#ifndef MEMORY_GPU_NVIDIA_H
#define MEMORY_GPU_NVIDIA_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/gpu.h"

/* --cuda_mem_type; the numbers are those of linux-rdma perftest. */
enum cuda_memory {
	CUDA_MEMORY_DEVICE = 0,	 /* the GPU's own */
	CUDA_MEMORY_MANAGED = 1, /* pages that move between the GPU and the host */
	CUDA_MEMORY_HOST = 2,	 /* of the host, pinned by CUDA */
	CUDA_MEMORY_MALLOC = 4,	 /* of the host, any */
};

struct cuda_choice {
	enum cuda_memory memory;
	bool pcie_mapping; /* dmabufs are mapped by PCIe, not by a link between GPU and CPU */
	enum gpu_touch touch;
};

/* Before the GPU is chosen. */
void gpu_nvidia_want(const struct cuda_choice *choice);
const struct memory_ops *gpu_nvidia_memory(enum cuda_memory memory);

/* --- of gpu_nvidia_touch.c --- */

/*
 * Starts a kernel that reads a byte of each page, once or until gpu_nvidia_untouch(). *touch: to end it. In the current
 * context. 0, or an error of CUDA's; -1: what CUDA lacks is in reason.
 */
int gpu_nvidia_touch(uint64_t address, uint64_t bytes, bool is_infinite, void **touch, char *reason,
		     size_t reason_size);
/* Ends it and waits for its end. NULL: there is none. */
void gpu_nvidia_untouch(void *touch);

#endif
