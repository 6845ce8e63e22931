// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Kinds of memory that cannot be combined, or not with what is sent from them; and messages that the adapter encrypts
 * (--aes_xts). See rules.h.
 */
#include "params/masks.h"
#include "params/rules/rules.h"

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

void rules_memory(struct rules *rules, const struct params *params)
{
	const struct verbs_config *verbs = &params->verbs;
	const struct memory_config *memory = &params->memory;
	const struct gpu_config *cuda = &memory->gpu[GPU_NVIDIA];
	const enum cuda_memory type = memory->cuda_memory;
	const bool is_cuda = params_accelerator_is_used(params, GPU_NVIDIA);
	const bool is_opencl = params_accelerator_is_used(params, GPU_OPENCL);
	const bool of_adapter = memory->device_memory || memory->device_memory_of[0];
	/* Pages that migrate between the host and the GPU. */
	const bool pages_move = is_opencl || (is_cuda && (type == CUDA_MEMORY_MANAGED || type == CUDA_MEMORY_MALLOC));
	/* Memory that the CPU reaches by its address: is_far (memory/memory.h) is not set. */
	const bool is_near = is_opencl || (is_cuda && (type == CUDA_MEMORY_HOST || type == CUDA_MEMORY_MALLOC));
	const bool has_type = verbs->hints.memory != TPH_MEM_NONE, has_cpu = verbs->hints.cpu_id != CONFIG_AUTO;

	rule_add(rules, IB,
		 params_accelerators(params) + memory->use_hugepages + verbs->null + memory->device_memory +
				 (memory->device_memory_of[0] != '\0') + (memory->mmap[0] != '\0') >
			 1,
		 "",
		 "buffers use one kind of memory: give only one of --use_hugepages, --mmap, --use-null-mr, "
		 "--use_ib_dm, --use_ib_dm_dmabuf and the GPU and accelerator options");
	rule_add(rules, IB, device_named_twice(params), "",
		 "a GPU is selected by its number or by its PCI address: give one of them");
	rule_add(rules, IB, dmabuf_of_no_gpu(params), "",
		 "the dmabuf options are for GPU memory: give the option that selects the GPU as well");
	rule_add(rules, IB, (verbs->data_direct || params_given(params, "cuda_mem_type")) && !is_cuda, "",
		 "--cuda_mem_type and --use_data_direct are for memory of an NVIDIA GPU: give --use_cuda as well");
	rule_add(rules, IB, params_given(params, "opencl_platform_id") && !is_opencl, "",
		 "--opencl_platform_id selects the platform of a device: give --use_opencl as well");
	rule_add(rules, IB, pages_move && !verbs->odp, "",
		 "pages that move between GPU and host (--cuda_mem_type=managed and malloc, --use_opencl) can't be "
		 "pinned: give --odp as well");
	rule_add(rules, IB, verbs->odp && ((params_accelerators(params) && !pages_move) || verbs->null || of_adapter),
		 "",
		 "--odp is for host memory and for pages that can move to it: omit it with memory of a GPU or an RDMA "
		 "device, and with --use-null-mr");
	rule_add(rules, IB,
		 is_cuda && type != CUDA_MEMORY_DEVICE && (cuda->dmabuf || cuda->pcie_mapping || verbs->data_direct),
		 "",
		 "a dmabuf needs the GPU's own memory: use --use_cuda_dmabuf, --use_cuda_pcie_mapping and "
		 "--use_data_direct with --cuda_mem_type=device");
	rule_add(rules, IB, memory->touch != GPU_TOUCH_NONE && !pages_move, "",
		 "--gpu_touch moves pages: give --cuda_mem_type=managed or malloc, or --use_opencl, with it");
	/* libmlx5 copies it from the completion with the CPU, as MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE asks. */
	rule_add(rules, IB, verbs->inline_recv && ((params_accelerators(params) && !is_near) || of_adapter), "",
		 "--inline_recv copies received data with the CPU: omit it with memory of a GPU or an RDMA device");
	rule_add(rules, IB, params_given(params, "mmap-offset") && !memory->mmap[0], "",
		 "--mmap-offset is an offset in the file of --mmap: give --mmap as well");
	rule_add(rules, MOVES, has_type != has_cpu || (has_cpu && verbs->hints.ph == CONFIG_AUTO), "tph_mem cpu_id ph",
		 "--tph_mem and --cpu_id say where --ph should place data: give all three, or --ph alone");
	rule_add(rules, IB, verbs->hints.is_used && (verbs->null || memory->device_memory || verbs->data_direct), "",
		 "--ph is for memory that the device reaches through PCIe: omit --use-null-mr, --use_ib_dm and "
		 "--use_data_direct");
	rule_add(rules, MOVES, params_given(params, "hugepage_size") && !memory->use_hugepages, "",
		 "--hugepage_size needs --use_hugepages");
	rule_add(rules, WRITE | READ, verbs->null && (verbs->data_validation || verbs->payload_file[0]), "",
		 "a null memory region holds no data: omit --data_validation and --payload_file_path");
	/* The last byte of a message would never appear. */
	rule_add(rules, WRITE & LAT, verbs->null && params_traffic(params, SIDE_CLIENT).polls_memory, "",
		 "a side that polls memory never sees a message arrive in a null memory region: give --write_with_imm "
		 "as well");
}

#define PROGRAMS (IB & ~ATOMIC)

void rules_crypto(struct rules *rules, const struct params *params)
{
	const struct verbs_config *verbs = &params->verbs;
	const struct crypto_config *crypto = &verbs->crypto;
	const struct transport_traits *transport = transport_traits(verbs->transport);
	const unsigned wrapping = (crypto->kek_path[0] != '\0') + (crypto->credentials_path[0] != '\0') +
				  (crypto->key_program[0] != '\0');
	/* A server without options learns both from the client; then the rules are checked again. */
	const bool is_agreed = params_is_client(params) || params->has_adopted;
	const bool knows_size = is_agreed || params_given(params, "size");
	const bool looks = verbs->data_validation || (is_agreed && params_traffic(params, SIDE_CLIENT).polls_memory);

	rule_add(rules, PROGRAMS,
		 !crypto->is_used &&
			 (wrapping || crypto->encrypt_on_tx || crypto->signature_first ||
			  params_given(params, "aes_block_size") || params_given(params, "data_enc_keys_number")),
		 "",
		 "--encrypt_on_tx, --sig_before, --aes_block_size, --data_enc_keys_number and the key paths are for "
		 "encryption: give --aes_xts");
	rule_add(rules, PROGRAMS, crypto->is_used && wrapping && wrapping < 3, "",
		 "wrapped keys need --kek_path, --credentials_path and --data_enc_key_app_path: give all three, or "
		 "none");
	rule_add(rules, PROGRAMS,
		 crypto->is_used &&
			 (!transport_counts(transport) || transport->xrc_domain || transport->maker || verbs->rdma_cm),
		 "", "--aes_xts needs RC queue pairs that are connected without -R");
	rule_add(rules, PROGRAMS, crypto->is_used && verbs->use_old_post_send, "",
		 "ibv_post_send() cannot set up the memory keys of --aes_xts: omit --use_old_post_send");
	rule_add(rules, TWO_WAY, crypto->is_used && (verbs->inline_size > 0 || verbs->inline_recv), "",
		 "--aes_xts works on data that the device reads from memory and writes to memory: omit -I and "
		 "--inline_recv");
	rule_add(rules, PROGRAMS,
		 crypto->is_used && (verbs->all_sizes || (knows_size && verbs->size % crypto->block_bytes)),
		 "size aes_block_size",
		 "--aes_xts encrypts whole blocks of --aes_block_size: give an -s that is a multiple of it, and omit "
		 "-a");
	rule_add(rules, PROGRAMS, crypto->is_used && looks, "",
		 "with --aes_xts each side has its own keys, so data does not arrive as it was sent: omit "
		 "--data_validation, and give ib_write_lat --write_with_imm");
	rule_add(rules, TWO_WAY, crypto->is_used && verbs->shares_receives, "",
		 "with --aes_xts each queue pair has its own key for receives: omit --use-srq");
	rule_add(rules, PROGRAMS, crypto->is_used && (verbs->odp || verbs->null || params->memory.device_memory), "",
		 "--aes_xts needs pinned memory: omit --odp, --use-null-mr and --use_ib_dm");
	rule_add(rules, PROGRAMS, crypto->is_used && verbs->congestion, "",
		 "--aes_xts is for mlx5 adapters, --congest_type is for HiSilicon adapters: give one of them");
}
