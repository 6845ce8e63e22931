// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Kinds of memory that cannot be combined, or not with what is sent from them. See rules.h. */
#include "params/masks.h"
#include "params/rules/rules.h"

CONDITION(memory_of_two_kinds, params_accelerators(params) + params->memory.use_hugepages + params->verbs.null +
					       params->memory.device_memory +
					       (params->memory.device_memory_of[0] != '\0') +
					       (params->memory.mmap[0] != '\0') >
				       1)

static bool device_named_twice(const struct params *params)
{
	for (int i = 0; i < GPU_TYPES; i++) {
		const struct gpu_config *accelerator = &params->memory.gpu[i];

		if (i != GPU_HABANA && accelerator->index >= 0 && accelerator->bus_id[0])
			return true;
	}
	return false;
}

static bool dmabuf_of_no_gpu(const struct params *params)
{
	for (int i = 0; i < GPU_TYPES; i++) {
		const struct gpu_config *accelerator = &params->memory.gpu[i];

		if ((accelerator->dmabuf || accelerator->pcie_mapping) &&
		    !params_accelerator_is_used(params, (enum gpu_type)i))
			return true;
	}
	return false;
}

CONDITION(is_cuda, params_accelerator_is_used(params, GPU_NVIDIA))
CONDITION(cuda_of_no_gpu, (params->verbs.data_direct || params_given(params, "cuda_mem_type")) && !is_cuda(params))
CONDITION(platform_of_no_device,
	  params_given(params, "opencl_platform_id") && !params_accelerator_is_used(params, GPU_OPENCL))

/* Pages that migrate between the host and the GPU. */
static bool pages_move(const struct params *params)
{
	const enum cuda_memory type = params->memory.cuda_memory;

	return params_accelerator_is_used(params, GPU_OPENCL) ||
	       (is_cuda(params) && (type == CUDA_MEMORY_MANAGED || type == CUDA_MEMORY_MALLOC));
}

CONDITION(moving_pages_pinned, pages_move(params) && !params->verbs.odp)

static bool odp_of_other_memory(const struct params *params)
{
	const struct memory_config *memory = &params->memory;

	return params->verbs.odp && ((params_accelerators(params) && !pages_move(params)) || params->verbs.null ||
				     memory->device_memory || memory->device_memory_of[0]);
}

static bool dmabuf_of_pages(const struct params *params)
{
	const struct gpu_config *cuda = &params->memory.gpu[GPU_NVIDIA];

	return is_cuda(params) && params->memory.cuda_memory != CUDA_MEMORY_DEVICE &&
	       (cuda->dmabuf || cuda->pcie_mapping || params->verbs.data_direct);
}

CONDITION(touch_of_other_memory, params->memory.touch != GPU_TOUCH_NONE && !pages_move(params))
CONDITION(size_of_no_pages, params_given(params, "hugepage_size") && !params->memory.use_hugepages)
CONDITION(offset_of_no_file, params_given(params, "mmap-offset") && !params->memory.mmap[0])
CONDITION(null_of_data, params->verbs.null && (params->verbs.data_validation || params->verbs.payload_file[0]))
/* The last byte of a message would never appear. */
CONDITION(null_is_polled, (params->verbs.null && params_traffic(params, SIDE_CLIENT).polls_memory))

static bool hint_in_parts(const struct params *params)
{
	const bool has_type = params->verbs.hints.memory != TPH_MEM_NONE,
		   has_cpu = params->verbs.hints.cpu_id != PARAMS_AUTO;

	return has_type != has_cpu || (has_cpu && params->verbs.hints.ph == PARAMS_AUTO);
}

static bool hint_of_other_memory(const struct params *params)
{
	const struct verbs_config *verbs = &params->verbs;

	return verbs->hints.is_used && (verbs->null || params->memory.device_memory || verbs->data_direct);
}

/* Memory of accelerators that the CPU reaches by its address: is_far (memory/memory.h) is not set. */
static bool near_accelerator(const struct params *params)
{
	const enum cuda_memory type = params->memory.cuda_memory;

	return params_accelerator_is_used(params, GPU_OPENCL) ||
	       (is_cuda(params) && (type == CUDA_MEMORY_HOST || type == CUDA_MEMORY_MALLOC));
}

/* libmlx5 copies received data from the completion with the CPU, as MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE asks. */
CONDITION(far_from_cpu,
	  params->verbs.inline_recv && ((params_accelerators(params) && !near_accelerator(params)) ||
					params->memory.device_memory || params->memory.device_memory_of[0]))

static const struct rule rows[] = {
	{IB,
	 memory_of_two_kinds,
	 "buffers use one kind of memory: give only one of --use_hugepages, --mmap, --use-null-mr, --use_ib_dm, "
	 "--use_ib_dm_dmabuf and the GPU and accelerator options",
	 {NULL}},
	{IB, device_named_twice, "a GPU is selected by its number or by its PCI address: give one of them", {NULL}},
	{IB,
	 dmabuf_of_no_gpu,
	 "the dmabuf options are for GPU memory: give the option that selects the GPU as well",
	 {NULL}},
	{IB,
	 cuda_of_no_gpu,
	 "--cuda_mem_type and --use_data_direct are for memory of an NVIDIA GPU: give --use_cuda as well",
	 {NULL}},
	{IB,
	 platform_of_no_device,
	 "--opencl_platform_id selects the platform of a device: give --use_opencl as well",
	 {NULL}},
	{IB,
	 moving_pages_pinned,
	 "pages that move between GPU and host (--cuda_mem_type=managed and malloc, --use_opencl) can't be pinned: "
	 "give "
	 "--odp as well",
	 {NULL}},
	{IB,
	 odp_of_other_memory,
	 "--odp is for host memory and for pages that can move to it: omit it with memory of a GPU or an RDMA device, "
	 "and with --use-null-mr",
	 {NULL}},
	{IB,
	 dmabuf_of_pages,
	 "a dmabuf needs the GPU's own memory: use --use_cuda_dmabuf, --use_cuda_pcie_mapping and --use_data_direct "
	 "with --cuda_mem_type=device",
	 {NULL}},
	{IB,
	 touch_of_other_memory,
	 "--gpu_touch moves pages: give --cuda_mem_type=managed or malloc, or --use_opencl, with it",
	 {NULL}},
	{IB,
	 far_from_cpu,
	 "--inline_recv copies received data with the CPU: omit it with memory of a GPU or an RDMA device",
	 {NULL}},
	{IB, offset_of_no_file, "--mmap-offset is an offset in the file of --mmap: give --mmap as well", {NULL}},
	{MOVES,
	 hint_in_parts,
	 "--tph_mem and --cpu_id say where --ph should place data: give all three, or --ph alone",
	 {"tph_mem", "cpu_id", "ph"}},
	{IB,
	 hint_of_other_memory,
	 "--ph is for memory that the device reaches through PCIe: omit --use-null-mr, --use_ib_dm and "
	 "--use_data_direct",
	 {NULL}},
	{MOVES, size_of_no_pages, "--hugepage_size needs --use_hugepages", {NULL}},
	{WRITE | READ,
	 null_of_data,
	 "a null memory region holds no data: omit --data_validation and --payload_file_path",
	 {NULL}},
	{WRITE & LAT,
	 null_is_polled,
	 "a side that polls memory never sees a message arrive in a null memory region: give --write_with_imm as well",
	 {NULL}},
};

const struct rule_set rules_memory = {rows, sizeof(rows) / sizeof(rows[0])};
