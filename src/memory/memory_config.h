/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which kind of memory a program wants: plain values, into which the options of the ib_* programs are stored. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* GPU_AUTO tries those before GPU_HABANA, in this order. */
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
	GPU_TYPES /* none */
};

/* --cuda_mem_type, with the values of linux-rdma perftest. */
enum cuda_memory {
	CUDA_MEMORY_DEVICE = 0,	 /* GPU memory */
	CUDA_MEMORY_MANAGED = 1, /* pages that migrate between GPU and host */
	CUDA_MEMORY_HOST = 2,	 /* host memory, pinned by CUDA */
	CUDA_MEMORY_MALLOC = 4,	 /* any host memory */
};

/* --gpu_touch: access from the device that makes pages migrate to it while the NIC uses them. */
enum gpu_touch { GPU_TOUCH_NONE, GPU_TOUCH_ONCE, GPU_TOUCH_INFINITE };

/* A GPU or accelerator; members without an option stay zero. */
struct gpu_config {
	int index;	   /* --use_cuda and so on: its number; -1: not used, or by its address */
	char bus_id[32];   /* --use_cuda_bus_id: "0000:3b:00.0"; "" none */
	bool dmabuf;	   /* --use_cuda_dmabuf: only registered as one */
	bool pcie_mapping; /* --use_cuda_pcie_mapping */
};

struct memory_config {
	bool use_hugepages;    /* --use_hugepages */
	int64_t hugepage_size; /* --hugepage_size, bytes; -1: the kernel's default */
	struct gpu_config gpu[GPU_TYPES];
	enum cuda_memory cuda_memory;
	int opencl_platform;	   /* --opencl_platform_id, from 0 */
	enum gpu_touch touch;	   /* --gpu_touch */
	bool device_memory;	   /* --use_ib_dm */
	char device_memory_of[64]; /* --use_ib_dm_dmabuf: a device's name; "" none */
	char mmap[256];		   /* --mmap; "" none */
	uint64_t mmap_offset;	   /* --mmap-offset, bytes */
};
