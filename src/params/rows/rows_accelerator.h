/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options: memory of GPUs and accelerators. Rows of the table in options.c, included only by rows_memory.h. */
/* clang-format off */

/* A device by its number, by its address, and the request for its dmabuf: the same except for the vendor. */
#define ACCELERATOR(version) IN(MEMORY, IB, OPT_LOCAL, version)
#define ACCELERATOR_NUMBER(which, name, text, version)                                                                 \
	{                                                                                                              \
		INTEGER(NO_LETTER, name, "GPU", memory.gpu[which].index, 0, 1023), DEFAULT_WORD("off", CONFIG_AUTO),   \
		.help = text, ACCELERATOR(version),                                                                    \
	}
#define ACCELERATOR_ADDRESS(which, name, text)                                                                         \
	{                                                                                                              \
		STRING(NO_LETTER, name, "ADDRESS", memory.gpu[which].bus_id), .check = check_pci_address,              \
		.help = text, ACCELERATOR("6.29"),                                                                     \
	}
#define ACCELERATOR_FLAG(which, member, name, text, version)                                                           \
	{FLAG(NO_LETTER, name, memory.gpu[which].member), .help = text, ACCELERATOR(version)}
#define ACCELERATOR_DMABUF(which, name, of, version)                                                                   \
	ACCELERATOR_FLAG(which, dmabuf, name,                                                                          \
			 "With " of ", register the buffers as a dmabuf and fail if that is not possible; by default a "   \
			 "dmabuf is used if there is one",                                                              \
			 version)

ACCELERATOR_NUMBER(GPU_NVIDIA, "use_cuda", "Allocate the buffers on this NVIDIA GPU, counted from 0", "6.29"),
ACCELERATOR_ADDRESS(GPU_NVIDIA, "use_cuda_bus_id", "The same, with the GPU's PCI address, such as 0000:3b:00.0"),
{CHOICE(NO_LETTER, "cuda_mem_type", "TYPE", memory.cuda_memory),
	CHOICES({"device", CUDA_MEMORY_DEVICE, 0}, {"managed", CUDA_MEMORY_MANAGED, 0},
		{"host", CUDA_MEMORY_HOST, 0}, {"malloc", CUDA_MEMORY_MALLOC, 0}, {"0", CUDA_MEMORY_DEVICE, 0},
		{"1", CUDA_MEMORY_MANAGED, 0}, {"2", CUDA_MEMORY_HOST, 0}, {"4", CUDA_MEMORY_MALLOC, 0}),
	.default_text = "device",
	.help = "With --use_cuda, the kind of memory: the GPU's own (device, 0), pages that move between GPU and host "
		"(managed, 1), pinned memory of the host (host, 2), or any memory of the host (malloc, 4)",
	ACCELERATOR("6.29")},
ACCELERATOR_DMABUF(GPU_NVIDIA, "use_cuda_dmabuf", "--use_cuda", "6.29"),
ACCELERATOR_FLAG(GPU_NVIDIA, pcie_mapping, "use_cuda_pcie_mapping",
		 "With --use_cuda, register the buffers as a dmabuf mapped through PCIe (CUDA 12.8), and fail if "
		 "that is not possible", "6.29"),
{FLAG(NO_LETTER, "use_data_direct", verbs.data_direct),
	.help = "The same, through the PCIe function that mlx5 devices have beside the GPU (data direct)",
	ACCELERATOR("6.29")},
ACCELERATOR_NUMBER(GPU_AMD, "use_rocm", "Allocate the buffers on this AMD GPU, counted from 0", "6.29"),
ACCELERATOR_DMABUF(GPU_AMD, "use_rocm_dmabuf", "--use_rocm", "6.29"),
ACCELERATOR_NUMBER(GPU_INTEL, "use_ze", "Allocate the buffers on this Intel GPU (Level Zero), counted from 0",
		   "7.0"),
ACCELERATOR_DMABUF(GPU_INTEL, "use_ze_dmabuf", "--use_ze", "7.0"),
ACCELERATOR_ADDRESS(GPU_HABANA, "use_hl",
		    "Allocate the buffers on the Intel Gaudi (Habana) at this PCI address, always as a dmabuf"),
ACCELERATOR_NUMBER(GPU_NEURON, "use_neuron", "Allocate the buffers on this AWS Neuron core, counted from 0",
		   "6.29"),
ACCELERATOR_DMABUF(GPU_NEURON, "use_neuron_dmabuf", "--use_neuron", "6.29"),
ACCELERATOR_NUMBER(GPU_MLU, "use_mlu", "Allocate the buffers on this Cambricon MLU, counted from 0", "6.29"),
ACCELERATOR_DMABUF(GPU_MLU, "use_mlu_dmabuf", "--use_mlu", "6.29"),
ACCELERATOR_NUMBER(GPU_MUSA, "use_musa", "Allocate the buffers on this Moore Threads GPU, counted from 0", "6.29"),
ACCELERATOR_ADDRESS(GPU_MUSA, "use_musa_bus_id", "The same, with the GPU's PCI address, such as 0000:3b:00.0"),
ACCELERATOR_DMABUF(GPU_MUSA, "use_musa_dmabuf", "--use_musa", "6.29"),
ACCELERATOR_FLAG(GPU_MUSA, pcie_mapping, "use_musa_pcie_mapping",
		 "With --use_musa, register the buffers as a dmabuf mapped through PCIe, and fail if that is not "
		 "possible", "6.29"),
ACCELERATOR_NUMBER(GPU_OPENCL, "use_opencl",
		   "Allocate the buffers in memory shared with this OpenCL device, counted from 0; needs --odp", "6.29"),
{INTEGER(NO_LETTER, "opencl_platform_id", "NUMBER", memory.opencl_platform, 0, 63), .default_text = "0",
	.help = "With --use_opencl, the platform of the device, counted from 0", ACCELERATOR("6.29")},
{CHOICE(NO_LETTER, "gpu_touch", "HOW", memory.touch), DEFAULT_WORD("off", GPU_TOUCH_NONE),
	CHOICES({"once", GPU_TOUCH_ONCE, 0}, {"infinite", GPU_TOUCH_INFINITE, 0}),
	.help = "Let the GPU read each page, once before the test or repeatedly while it runs, so that migratable "
		"pages move: those of CUDA's managed and malloc memory and of OpenCL", ACCELERATOR("6.29")},
