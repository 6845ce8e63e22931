/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* CUDA options other than the GPU itself. In gpu_nvidia.c, the kernel of --gpu_touch in gpu_nvidia_touch.c. */
#ifndef MEMORY_GPU_NVIDIA_H
#define MEMORY_GPU_NVIDIA_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/gpu.h"

struct cuda_choice {
	enum cuda_memory memory;
	bool pcie_mapping; /* map dmabufs through PCIe, not through a link between GPU and CPU */
	enum gpu_touch touch;
};

/* To be called before the GPU is selected. */
void gpu_nvidia_want(const struct cuda_choice *choice);
const struct memory_ops *gpu_nvidia_memory(enum cuda_memory memory);

/* --- gpu_nvidia_touch.c --- */

/*
 * Starts a kernel that reads a byte of each page, once or until gpu_nvidia_untouch(). *touch: for ending it. Uses the
 * current context. 0, or an error of CUDA; -1: reason says what CUDA lacks.
 */
int gpu_nvidia_touch(uint64_t address, uint64_t bytes, bool is_infinite, void **touch, char *reason,
		     size_t reason_size);
/* Ends the kernel and waits for that. NULL is allowed. */
void gpu_nvidia_untouch(void *touch);

#endif
