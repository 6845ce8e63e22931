// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See profile.h. A row rests on the driver in the kernel (drivers/infiniband/hw) and its provider in rdma-core
 * (providers), as far as docs/soft.md says which were compared; where the firmware reports a limit, the row has one
 * that adapters on sale report.
 */
#include "host/profile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "host/core.h"

#define PROFILE_WORD "profile="

#define OPCODE(name) (1u << IBV_WR_##name)
#define SENDS	     (OPCODE(SEND) | OPCODE(SEND_WITH_IMM))
#define WRITES	     (OPCODE(RDMA_WRITE) | OPCODE(RDMA_WRITE_WITH_IMM))
#define ATOMICS	     (OPCODE(ATOMIC_CMP_AND_SWP) | OPCODE(ATOMIC_FETCH_AND_ADD))
#define INVALIDATES  (OPCODE(LOCAL_INV) | OPCODE(BIND_MW) | OPCODE(SEND_WITH_INV))
#define ROCE_OPCODES (SENDS | WRITES | OPCODE(RDMA_READ) | INVALIDATES)

#define WINDOWS (IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_MEM_WINDOW_TYPE_2B)

static const struct soft_profile profiles[] = {
	{
		.name = "",
		.vendor = SOFT_VENDOR_ID,
		.part = 0x736f66, /* "sof" */
		.node = IBV_NODE_CA,
		.transport = IBV_TRANSPORT_IB,
		.types = 0xffffffffu,
		.refuses_type = EOPNOTSUPP,
		.refuses_cap = EINVAL,
		.opcodes = PROFILE_ANY_OPCODE,
		.flags = IBV_DEVICE_CURR_QP_STATE_MOD | IBV_DEVICE_SRQ_RESIZE | IBV_DEVICE_XRC |
			 IBV_DEVICE_RC_RNR_NAK_GEN | IBV_DEVICE_SYS_IMAGE_GUID | IBV_DEVICE_PORT_ACTIVE_EVENT | WINDOWS,
		.atomic = IBV_ATOMIC_GLOB,
		.max_qp_wr = SOFT_MAX_QP_WR,
		.max_cqe = SOFT_MAX_CQE,
		.max_srq = SOFT_MAX_SRQ,
		.max_send_sge = SOFT_MAX_SGE,
		.max_recv_sge = SOFT_MAX_SGE,
		.max_sge_rd = SOFT_MAX_SGE,
		.max_inline = SOFT_MAX_INLINE,
		.max_rd_atomic = SOFT_MAX_RD_ATOMIC,
		.max_mr_size = SOFT_MAX_MR_SIZE,
		.max_message = SOFT_MAX_MSG_SIZE,
		.gids = SOFT_GID_COUNT,
		.has_calls = true,
		.has_times = true,
		.has_paging = true,
		.has_device_memory = true,
		.has_null_region = true,
		.has_flush = true,
	},
	{
		/* ConnectX-6 Dx. */
		.name = "mlx5",
		.vendor = 0x02c9,
		.part = 0x101d,
		.node = IBV_NODE_CA,
		.transport = IBV_TRANSPORT_IB,
		.types = QP_RC | QP_UC | QP_UD | QP_XRC | QP_RAW | QP_RSS | QP_DC,
		.refuses_type = EOPNOTSUPP,
		.refuses_cap = EINVAL,
		.opcodes = ROCE_OPCODES | ATOMICS,
		.flags = IBV_DEVICE_XRC | IBV_DEVICE_RC_RNR_NAK_GEN | IBV_DEVICE_SYS_IMAGE_GUID |
			 IBV_DEVICE_PORT_ACTIVE_EVENT | WINDOWS,
		.atomic = IBV_ATOMIC_HCA,
		.max_qp_wr = 32768,
		.max_cqe = SOFT_MAX_CQE - 1,
		.max_srq = SOFT_MAX_SRQ,
		.max_send_sge = 30,
		.max_recv_sge = 32,
		.max_sge_rd = 30,
		.max_inline = 828,
		.max_rd_atomic = 16,
		.max_mr_size = SOFT_MAX_MR_SIZE,
		.max_message = 1u << 30,
		.gids = SOFT_GID_COUNT,
		.has_calls = true,
		.has_times = true,
		.has_paging = true,
		.has_device_memory = true,
		.has_null_region = true,
	},
	{
		/* Its device demands at the target an address handle of the initiator: efa_io_defs.h, "no valid AH". */
		.name = "efa",
		.vendor = 0x1d0f,
		.part = 0xefa2,
		.node = IBV_NODE_UNSPECIFIED,
		.transport = IBV_TRANSPORT_UNSPECIFIED,
		.types = QP_UD | QP_SRD,
		.refuses_type = EOPNOTSUPP,
		.refuses_cap = EINVAL,
		.opcodes = SENDS | WRITES | OPCODE(RDMA_READ),
		.atomic = IBV_ATOMIC_NONE,
		.max_qp_wr = 4096,
		.max_cqe = 32768,
		.max_send_sge = 2,
		.max_recv_sge = 3,
		.max_sge_rd = 1,
		.max_inline = 32,
		.max_mr_size = SOFT_MAX_MR_SIZE,
		.max_message = 8928,
		.max_receive = UINT16_MAX,
		.gids = 1,
		.has_calls = true,
		.needs_signals = true,
		.reverses = true,
		.needs_handle = true,
		.has_no_path = true,
	},
	{
		/* Its library tests the attributes before it asks the kernel, and returns NULL alone. */
		.name = "bnxt_re",
		.vendor = 0x14e4,
		.part = 0x1750,
		.node = IBV_NODE_CA,
		.transport = IBV_TRANSPORT_IB,
		.types = QP_RC | QP_UD | QP_RAW,
		.refuses_type = PROFILE_SILENT,
		.refuses_cap = PROFILE_SILENT,
		.opcodes = ROCE_OPCODES | ATOMICS,
		.flags = IBV_DEVICE_CURR_QP_STATE_MOD | IBV_DEVICE_RC_RNR_NAK_GEN | IBV_DEVICE_SYS_IMAGE_GUID |
			 IBV_DEVICE_PORT_ACTIVE_EVENT | WINDOWS,
		.atomic = IBV_ATOMIC_GLOB,
		.max_qp_wr = 16384,
		.max_cqe = 65536,
		.max_srq = 2048,
		.max_send_sge = 6,
		.max_recv_sge = 6,
		.max_sge_rd = 6,
		.max_inline = 96,
		.max_rd_atomic = 126,
		.max_mr_size = 1ull << 39,
		.max_message = 1u << 30,
		.gids = SOFT_GID_COUNT,
		.has_calls = true,
		.has_times = true,
	},
	{
		/* E810: no atomics, no shared receive queues. */
		.name = "irdma",
		.vendor = 0x8086,
		.part = 0x1592,
		.node = IBV_NODE_CA,
		.transport = IBV_TRANSPORT_IB,
		.types = QP_RC | QP_UD,
		.refuses_type = EOPNOTSUPP,
		.refuses_cap = EINVAL,
		.opcodes = ROCE_OPCODES,
		.flags = IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_RC_RNR_NAK_GEN,
		.atomic = IBV_ATOMIC_NONE,
		.max_qp_wr = 4063,
		.max_cqe = 1048574,
		.max_send_sge = 13,
		.max_recv_sge = 13,
		.max_sge_rd = 13,
		.max_inline = 101,
		.max_rd_atomic = 32,
		.max_mr_size = 1ull << 46,
		.max_message = 0x7fffffff,
		.gids = SOFT_GID_COUNT,
		.has_times = true,
	},
	{
		.name = "irdma-iwarp",
		.vendor = 0x8086,
		.part = 0x1592,
		.node = IBV_NODE_RNIC,
		.transport = IBV_TRANSPORT_IWARP,
		.types = QP_RC,
		.refuses_type = EOPNOTSUPP,
		.refuses_cap = EINVAL,
		.opcodes = ROCE_OPCODES & ~OPCODE(SEND_WITH_IMM),
		.flags = IBV_DEVICE_MEM_WINDOW,
		.atomic = IBV_ATOMIC_NONE,
		.max_qp_wr = 4063,
		.max_cqe = 1048574,
		.max_send_sge = 13,
		.max_recv_sge = 13,
		.max_sge_rd = 13,
		.max_inline = 101,
		.max_rd_atomic = 32,
		.max_mr_size = 1ull << 46,
		.max_message = 0x7fffffff,
		.gids = 1,
		.has_times = true,
		.has_no_path = true,
	},
	{
		/* HIP09. */
		.name = "hns",
		.vendor = 0x19e5,
		.part = 0xa222,
		.node = IBV_NODE_CA,
		.transport = IBV_TRANSPORT_IB,
		.types = QP_RC | QP_UD | QP_XRC,
		.refuses_type = EOPNOTSUPP,
		.refuses_cap = EINVAL,
		.opcodes = SENDS | WRITES | OPCODE(RDMA_READ) | OPCODE(SEND_WITH_INV) | ATOMICS,
		.flags = IBV_DEVICE_XRC | IBV_DEVICE_RC_RNR_NAK_GEN | IBV_DEVICE_PORT_ACTIVE_EVENT,
		.atomic = IBV_ATOMIC_HCA,
		.max_qp_wr = 32768,
		.max_cqe = SOFT_MAX_CQE,
		.max_srq = SOFT_MAX_SRQ,
		.max_send_sge = SOFT_MAX_SGE,
		.max_recv_sge = SOFT_MAX_SGE,
		.max_sge_rd = 1,
		.max_inline = SOFT_MAX_INLINE,
		.max_rd_atomic = SOFT_MAX_RD_ATOMIC,
		.max_mr_size = SOFT_MAX_MR_SIZE,
		.max_message = 1u << 31,
		.gids = SOFT_GID_COUNT,
		.has_calls = true,
	},
	{
		/* Its library copies no data into requests, whatever IBV_SEND_INLINE says; any size is accepted. */
		.name = "mana",
		.vendor = 0x1414,
		.part = 0x00ba,
		.node = IBV_NODE_CA,
		.transport = IBV_TRANSPORT_IB,
		.types = QP_RC,
		.refuses_type = EOPNOTSUPP,
		.refuses_cap = EINVAL,
		.opcodes = SENDS | WRITES | OPCODE(RDMA_READ),
		.flags = IBV_DEVICE_RC_RNR_NAK_GEN,
		.atomic = IBV_ATOMIC_NONE,
		.max_qp_wr = 8192,
		.max_cqe = 8192,
		.max_send_sge = 30,
		.max_recv_sge = 15,
		.max_sge_rd = 15,
		.max_inline = SOFT_MAX_INLINE,
		.max_rd_atomic = 32,
		.max_mr_size = SOFT_MAX_MR_SIZE,
		.max_message = SOFT_MAX_MSG_SIZE,
		.gids = SOFT_GID_COUNT,
	},
	{
		.name = "ionic",
		.vendor = 0x1dd8,
		.part = 0x1002,
		.node = IBV_NODE_CA,
		.transport = IBV_TRANSPORT_IB,
		.types = QP_RC | QP_UD,
		.refuses_type = EINVAL,
		.refuses_cap = EINVAL,
		.opcodes = ROCE_OPCODES | ATOMICS,
		.flags = WINDOWS,
		.atomic = IBV_ATOMIC_GLOB,
		.max_qp_wr = 65535,
		.max_cqe = 65535,
		.max_send_sge = 8,
		.max_recv_sge = 8,
		.max_sge_rd = 8,
		.max_inline = 476,
		.max_rd_atomic = 16,
		.max_mr_size = 1ull << 40,
		.max_message = 1u << 30,
		.gids = SOFT_GID_COUNT,
		.has_calls = true,
	},
	{
		/* T6. */
		.name = "cxgb4",
		.vendor = 0x1425,
		.part = 0x6401,
		.node = IBV_NODE_RNIC,
		.transport = IBV_TRANSPORT_IWARP,
		.types = QP_RC,
		.refuses_type = EOPNOTSUPP,
		.refuses_cap = EINVAL,
		.opcodes = OPCODE(SEND) | OPCODE(SEND_WITH_INV) | WRITES | OPCODE(RDMA_READ),
		.flags = IBV_DEVICE_MEM_WINDOW,
		.atomic = IBV_ATOMIC_NONE,
		.max_qp_wr = 8190,
		.max_cqe = 65518,
		.max_srq = 1024,
		.max_send_sge = 17,
		.max_recv_sge = 4,
		.max_sge_rd = 1,
		.max_inline = 280,
		.max_rd_atomic = 32,
		.max_mr_size = UINT64_MAX,
		.max_message = UINT32_MAX,
		.gids = 1,
		.has_no_path = true,
	},
	{
		/* FastLinQ 45000, RoCE. */
		.name = "qedr",
		.vendor = 0x1077,
		.part = 0x1656,
		.node = IBV_NODE_CA,
		.transport = IBV_TRANSPORT_IB,
		.types = QP_RC | QP_XRC,
		.refuses_type = EOPNOTSUPP,
		.refuses_cap = EINVAL,
		.opcodes = ROCE_OPCODES | ATOMICS,
		.flags = IBV_DEVICE_CURR_QP_STATE_MOD | IBV_DEVICE_RC_RNR_NAK_GEN | IBV_DEVICE_XRC,
		.atomic = IBV_ATOMIC_HCA,
		.max_qp_wr = 32767,
		.max_cqe = 1u << 17,
		.max_srq = 8192,
		.max_send_sge = 4,
		.max_recv_sge = 4,
		.max_sge_rd = 4,
		.max_inline = 256,
		.max_rd_atomic = 16,
		.max_mr_size = 1ull << 35,
		.max_message = 1u << 30,
		.gids = SOFT_GID_COUNT,
	},
};

#define PROFILE_COUNT (sizeof(profiles) / sizeof(profiles[0]))

static const struct soft_profile *own = &profiles[0];

const struct soft_profile *soft_profile(void)
{
	return own;
}

bool soft_profile_is_asked(const char *mode)
{
	return strncmp(mode, PROFILE_WORD, strlen(PROFILE_WORD)) == 0;
}

bool soft_profile_read(const char *mode)
{
	own = &profiles[0];
	if (!soft_profile_is_asked(mode))
		return true;
	for (size_t i = 1; i < PROFILE_COUNT; i++) {
		if (strcmp(mode + strlen(PROFILE_WORD), profiles[i].name) == 0) {
			own = &profiles[i];
			return true;
		}
	}
	return false;
}

void soft_profile_report_unknown(const char *mode)
{
	char names[16 * PROFILE_COUNT] = "";
	size_t used = 0;

	for (size_t i = 1; i < PROFILE_COUNT; i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i > 1 ? ", " : "",
					 profiles[i].name);
	soft_error("PERFTEST_SOFT=%s: the profiles are %s", mode, names);
}
