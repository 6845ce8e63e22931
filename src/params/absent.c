// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The options of linux-rdma perftest 5.70 to 6.29 that this suite does not have, so that a script that uses one is
 * told. */
#include "params/purposes.h"

#include "params/options.h"

#define GPU	   "memory of a GPU or an accelerator"
#define ENCRYPTION "encryption and signatures by the device"
#define HINTS	   "processing hints on PCIe"

/* A name stands for those that go on behind a dash, too: use_cuda_bus_id. */
const struct opt_absent params_absent[] = {
	{"use_cuda", '\0', GPU},
	{"cuda_mem_type", '\0', GPU},
	{"use_data_direct", '\0', GPU},
	{"gpu_touch", '\0', GPU},
	{"use_musa", '\0', GPU},
	{"use_rocm", '\0', GPU},
	{"use_neuron", '\0', GPU},
	{"use_hl", '\0', GPU},
	{"use_mlu", '\0', GPU},
	{"use_opencl", '\0', GPU},
	{"opencl_platform_id", '\0', GPU},
	{"use_ib_dm_dmabuf", '\0', "memory of the RDMA device"},
	{"mmap", '\0', "memory mapped from a file"},
	{"odp", '\0', "on-demand paging"},
	{"use_null_mr", '\0', "null memory regions"},
	{"inline_recv", '\0', "inline receives"},
	{"mcg", 'g', "multicast"},
	{"MGID", 'M', "multicast"},
	{"dualport", 'O', "two ports of a device at once"},
	{"report_per_port", '\0', "two ports of a device at once"},
	{"connectionless", '\0', "tests without a connection to the other side"},
	{"unsolicited_write", '\0', "unsolicited RDMA WRITE"},
	{"no_enhanced_reorder", '\0', "out-of-order completion"},
	{"use_ooo", '\0', "out-of-order completion"},
	{"congest_type", '\0', "a choice of congestion control"},
	{"no_lock", '\0', "queue pairs without locks"},
	{"aes", '\0', ENCRYPTION},
	{"encrypt_on_tx", '\0', ENCRYPTION},
	{"sig_before", '\0', ENCRYPTION},
	{"sig_offload", '\0', ENCRYPTION},
	{"kek_path", '\0', ENCRYPTION},
	{"credentials_path", '\0', ENCRYPTION},
	{"data_enc", '\0', ENCRYPTION},
	{"log_dci_streams", '\0', ABSENT_DC},
	{"log_active_dci_streams", '\0', ABSENT_DC},
	{"tph_mem", '\0', HINTS},
	{"cpu_id", '\0', HINTS},
	{"ph", '\0', HINTS},
	{"mac_fwd", 'v', "forwarding of frames"},
	{"use_rss", 'G', "receive-side scaling"},
	{"reply_every", '\0', "latency of bursts"},
	{"typical_pkt_size", '\0', ABSENT_PACING},
	{NULL, '\0', NULL},
};
