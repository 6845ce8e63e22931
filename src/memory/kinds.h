/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All kinds of memory besides GPUs' (gpu.h), and what is to be chosen of a kind before its first buffer. In the file
 * with its name.
 */
#pragma once

#include "memory/gpu.h"

/* --- host.c: what kinds that the CPU can address have in common --- */

/* alloc() of memory_ops, for pages of ordinary memory. */
int memory_host_alloc(struct buffer *buffer, struct ibv_context *context);
void memory_host_free(struct buffer *buffer);
void memory_host_copy(const struct buffer *buffer, void *to, const void *from, size_t bytes, enum copy_direction which);

/* --- hugepages.c: huge pages of each size that the kernel supports, and their number --- */

#define HUGEPAGES_MAX_SIZES 16

extern const struct memory_ops memory_hugepages;

/*
 * Page size of subsequent buffers; 0: the kernel's default. option: what requested them, with its value, for messages.
 * 0, or -EINVAL, reported, if the kernel does not have that size.
 */
int hugepages_choose(uint64_t bytes, const char *option);

/* The supported sizes in bytes, ascending. Returns their number. */
unsigned hugepages_sizes(uint64_t sizes[HUGEPAGES_MAX_SIZES]);
/* The kernel's default, in bytes. */
uint64_t hugepages_default_size(void);
/* The number of free pages of a size, or with "nr_hugepages" of all; 0 if the kernel does not say. */
uint64_t hugepages_count(uint64_t page, const char *file);
/* The command with which root allocates `count` pages. Returns text. */
const char *hugepages_command(uint64_t page, uint64_t count, char *text, size_t size);
/* "2 MiB". Returns text. */
const char *hugepages_title(uint64_t page, char *text, size_t size);

/* --- device_memory.c: memory of the RDMA adapter itself (ibv_alloc_dm(3)), whose addresses start at zero --- */

extern const struct memory_ops memory_of_adapter;	/* --use_ib_dm: of the device that runs the test */
extern const struct memory_ops memory_of_other_adapter; /* --use_ib_dm_dmabuf: of another device, as a dmabuf */

/* Opens the other device, before the first buffer. Keeps the pointer. 0 or -errno, reported. */
int device_memory_choose(const char *name);

/* Bytes of memory on the device; 0: none. */
uint64_t device_memory_bytes(struct ibv_context *context);
/* Can it be exported as a dmabuf? 0, or -errno and the reason. */
int device_memory_probe_dmabuf(struct ibv_context *context, char *reason, size_t size);

/* --- mapped_file.c: a file or device that can be mapped: persistent memory, a PCIe BAR in sysfs, hugetlbfs --- */

extern const struct memory_ops memory_mapped_file;

/* The file in which buffers follow each other; to be called before the first one. Keeps path. 0 or -errno, reported. */
int mapped_file_choose(const char *path, uint64_t offset);

/*
 * --- host.c: ibv_alloc_null_mr(3) ---
 *
 * Writes to it are discarded, and reads return zeros, so that a test does not depend on the host's memory.
 */

extern const struct memory_ops memory_null_region;

/* --- gpu_nvidia.c --- */

struct cuda_choice {
	enum cuda_memory memory;
	bool pcie_mapping; /* map dmabufs through PCIe, not through a link between GPU and CPU */
	enum gpu_touch touch;
};

/* To be called before the GPU is selected. */
void gpu_nvidia_want(const struct cuda_choice *choice);
const struct memory_ops *gpu_nvidia_memory(enum cuda_memory memory);

/* --- gpu_musa.c --- */

/* --use_musa_pcie_mapping: map dmabufs through PCIe. To be called before the first buffer. */
void gpu_musa_want(bool pcie_mapping);

/* --- gpu_opencl.c --- */

/* --opencl_platform_id, --gpu_touch. To be called before gpu_probe(). */
void gpu_opencl_want(int platform, enum gpu_touch touch);
