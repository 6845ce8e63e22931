// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* From the memory options to the kinds of src/memory. See steps.h. */
#include "session/steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory/kinds.h"
#include "util/arith.h"
#include "util/log.h"
#include "verbs/memory/mr.h"

const struct memory_ops *memory_kind_of(const struct params *params)
{
	const enum gpu_type gpu = params_accelerator(params);
	const struct memory_config *memory = &params->memory;

	if (gpu == GPU_NVIDIA)
		return gpu_nvidia_memory(memory->cuda_memory);
	if (gpu != GPU_TYPES)
		return gpu_kind_of(gpu)->memory;
	if (memory->device_memory)
		return &memory_of_adapter;
	if (memory->device_memory_of[0])
		return &memory_of_other_adapter;
	if (memory->mmap[0])
		return &memory_mapped_file;
	if (params->verbs.null)
		return &memory_null_region;
	return memory->use_hugepages ? &memory_hugepages : &memory_host;
}

static int choose_gpu(const struct params *params, enum gpu_type which)
{
	const struct gpu_config *config = &params->memory.gpu[which];
	const struct gpu_kind *kind;
	int ret;

	gpu_nvidia_want(&(struct cuda_choice){
		.memory = params->memory.cuda_memory,
		.pcie_mapping = config->pcie_mapping || params->verbs.data_direct,
		.touch = params->memory.touch,
	});
	gpu_musa_want(config->pcie_mapping);
	gpu_opencl_want(params->memory.opencl_platform, params->memory.touch);
	ret = gpu_find(which, &kind);
	if (ret)
		return ret;
	return config->bus_id[0] ? gpu_choose_at(kind, config->bus_id) : gpu_choose(kind, config->index);
}

static int choose_huge_pages(int64_t size)
{
	return size == CONFIG_AUTO ? hugepages_choose(0, "--use_hugepages")
				   : hugepages_choose((uint64_t)size, "--hugepage_size");
}

int memory_kind_choose(const struct params *params, const struct device *device)
{
	const enum gpu_type gpu = params_accelerator(params);
	const struct memory_config *memory = &params->memory;
	int ret = 0;

	/* mlx5 delivers up to 64 bytes inside the completion, from which libmlx5 copies them with the CPU. */
	if (memory_kind_of(params)->is_far)
		setenv("MLX5_SCATTER_TO_CQE", "0", 1);
	/* With -R and without -d it may be another device; it is checked again when the buffers are registered. */
	if (params->verbs.data_direct && (!params->verbs.rdma_cm || params->verbs.device_name[0]))
		ret = data_direct_check(device);
	if (ret)
		return ret;
	if (gpu != GPU_TYPES)
		return choose_gpu(params, gpu);
	if (memory->device_memory_of[0])
		return device_memory_choose(memory->device_memory_of);
	if (memory->use_hugepages)
		return choose_huge_pages(memory->hugepage_size);
	if (!memory->mmap[0])
		return 0;
	if (!params->host[0] && !strchr(memory->mmap, '/') && access(memory->mmap, F_OK))
		return log_fail(-ENOENT, "--mmap: there is no file %s; if that is the HOST, type --mmap=FILE %s",
				memory->mmap, memory->mmap);
	return mapped_file_choose(memory->mmap, memory->mmap_offset);
}

void memory_kind_measure(struct verbs_config *config, const struct device *device)
{
	const struct memory_ops *memory = config->memory;

	config->memory_bytes = memory->supply ? memory->supply(device->context) : 0;
	if (memory->supply && device->second)
		config->memory_bytes = arith_smaller(config->memory_bytes, memory->supply(device->second->context));
}
