// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See profile.h. A row rests on the driver in the kernel (drivers/infiniband/hw) and its provider in rdma-core
 * (providers), as far as docs/soft.md says which were compared; where the firmware reports a limit, the row has one
 * that adapters on sale report.
 */
#include "host/profile.h"

#include "host/core.h"

#define PROFILE_WORD "profile="

#define OPCODE(name) (1u << IBV_WR_##name)
#define SENDS	     (OPCODE(SEND) | OPCODE(SEND_WITH_IMM))
#define WRITES	     (OPCODE(RDMA_WRITE) | OPCODE(RDMA_WRITE_WITH_IMM))
#define ATOMICS	     (OPCODE(ATOMIC_CMP_AND_SWP) | OPCODE(ATOMIC_FETCH_AND_ADD))
#define INVALIDATES  (OPCODE(LOCAL_INV) | OPCODE(BIND_MW) | OPCODE(SEND_WITH_INV))
#define ROCE_OPCODES (SENDS | WRITES | OPCODE(RDMA_READ) | INVALIDATES)
#define ALL_CALLS    (QP_RC | QP_UC | QP_UD | QP_XRC | QP_RAW | QP_SRD | QP_DC)
#define REMOTE_RDMA  (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)

#define ROCE_FLAGS (IBV_DEVICE_RC_RNR_NAK_GEN | IBV_DEVICE_SYS_IMAGE_GUID | IBV_DEVICE_PORT_ACTIVE_EVENT)
#define WINDOWS	   (IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_MEM_WINDOW_TYPE_2B)

/* Entries of each kind of list. */
#define SGES(most) .max_send_sge = (most), .max_recv_sge = (most), .max_sge_rd = (most)

/* What the generations of a driver's adapters have in common. */
#define IRDMA                                                                                                          \
	.vendor = 0x8086, .max_qp_wr = 4063, .max_cqe = 1048574, .max_message = 0x7fffffff, .max_mr_size = 1ull << 46, \
	.has_one_life = true
#define HNS                                                                                                            \
	.vendor = 0x19e5, .part = 0xa222,                                                                              \
	.opcodes = SENDS | WRITES | OPCODE(RDMA_READ) | OPCODE(SEND_WITH_INV) | ATOMICS,                               \
	.has = PROFILE_EXTENDED_CQS | PROFILE_DOMAINS | PROFILE_THREADS | PROFILE_QUERY_QP | PROFILE_CHANGES,          \
	.domains_lack = ~0u, .atomic = IBV_ATOMIC_HCA, .refuses_pages = ENOMEM, .max_qp_wr = 32768,                    \
	.max_cqe = SOFT_MAX_CQE, .max_srq = SOFT_MAX_SRQ, .max_send_sge = SOFT_MAX_SGE, .max_recv_sge = SOFT_MAX_SGE,  \
	.max_sge_rd = 1, .max_rd_atomic = SOFT_MAX_RD_ATOMIC, .max_mr_size = SOFT_MAX_MR_SIZE,                         \
	.max_message = 1u << 31, .inlines_packets = true, .grants_less = true

/* clang-format off */
static const struct soft_profile profiles[] = {
	{.name = "", .vendor = SOFT_VENDOR_ID, .part = 0x736f66, /* "sof" */ .types = 0xffffffffu, .calls = ALL_CALLS,
	 .opcodes = ~0u, .has = ~0u, .atomic = IBV_ATOMIC_GLOB,
	 .flags = IBV_DEVICE_CURR_QP_STATE_MOD | IBV_DEVICE_SRQ_RESIZE | IBV_DEVICE_XRC | ROCE_FLAGS | WINDOWS,
	 .max_qp_wr = SOFT_MAX_QP_WR, .max_cqe = SOFT_MAX_CQE,
	 .max_srq = SOFT_MAX_SRQ, SGES(SOFT_MAX_SGE), .max_inline = SOFT_MAX_INLINE,
	 .max_rd_atomic = SOFT_MAX_RD_ATOMIC, .max_mr_size = SOFT_MAX_MR_SIZE, .max_message = SOFT_MAX_MSG_SIZE},
	/* ConnectX-6 Dx. */
	{.name = "mlx5", .vendor = 0x02c9, .part = 0x101d,
	 .types = QP_RC | QP_UC | QP_UD | QP_XRC | QP_RAW | QP_RSS | QP_DC, .calls = ALL_CALLS,
	 .opcodes = ROCE_OPCODES | ATOMICS,
	 .flags = IBV_DEVICE_XRC | ROCE_FLAGS | WINDOWS,
	 .has = ~0u, .atomic = IBV_ATOMIC_HCA, .max_qp_wr = 32768, .max_cqe = SOFT_MAX_CQE - 1, .max_srq = SOFT_MAX_SRQ,
	 .max_send_sge = 30, .max_recv_sge = 32, .max_sge_rd = 30, .max_inline = 828, .max_rd_atomic = 16,
	 .max_mr_size = SOFT_MAX_MR_SIZE, .max_message = 1u << 30, .reverses = true},
	/* Its device demands at the target an address handle of the initiator: efa_io_defs.h, "no valid AH". */
	{.name = "efa", .vendor = 0x1d0f, .part = 0xefa2, .transport = IBV_TRANSPORT_UNSPECIFIED,
	 .types = QP_UD | QP_SRD, .calls = QP_UD | QP_SRD, .opcodes = SENDS | WRITES | OPCODE(RDMA_READ),
	 .has = PROFILE_EXTENDED_CQS | PROFILE_DOMAINS | PROFILE_THREADS | PROFILE_QUERY_QP,
	 .domains_lack = ~(uint32_t)IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT, .max_qp_wr = 4096, .max_wide_wr = 2048,
	 .max_recv_wr = 32768, .max_cqe = 32768, .max_send_sge = 2, .max_recv_sge = 3, .max_sge_rd = 1,
	 .max_inline = 32, .accesses = REMOTE_RDMA, .refuses_access = EOPNOTSUPP,
	 .send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE, .max_mr_size = SOFT_MAX_MR_SIZE, .max_message = 8928,
	 .max_receive = UINT16_MAX, .has_one_gid = true, .needs_signals = true, .reverses = true, .needs_handle = true,
	 .has_no_cm = true, .has_no_path = true},
	/* Its library tests the attributes before it asks the kernel, and returns NULL alone. */
	{.name = "bnxt_re", .vendor = 0x14e4, .part = 0x1750, .types = QP_RC | QP_UD | QP_RAW, .calls = QP_RC | QP_UD,
	 .refuses_silently = true, .opcodes = SENDS | WRITES | OPCODE(RDMA_READ) | OPCODE(SEND_WITH_INV) | ATOMICS,
	 .refuses_opcode = -EINVAL, .refuses_inline = ENOMEM,
	 .flags = IBV_DEVICE_CURR_QP_STATE_MOD | ROCE_FLAGS | WINDOWS,
	 .has = PROFILE_QUERY_QP, .atomic = IBV_ATOMIC_GLOB, .max_qp_wr = 16384, .max_cqe = 65536, .max_srq = 2048,
	 SGES(6), .max_inline = 96, .max_rd_atomic = 126, .max_mr_size = 1ull << 39, .refuses_size = ENOMEM,
	 .max_message = 1u << 30, .has_short_srqs = true},
	/* E810: no atomics, no shared receive queues. */
	{.name = "irdma", IRDMA, .part = 0x1592, .types = QP_RC | QP_UD, .opcodes = ROCE_OPCODES,
	 .flags = IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_RC_RNR_NAK_GEN,
	 .has = PROFILE_EXTENDED_CQS | PROFILE_WINDOWS | PROFILE_QUERY_QP | PROFILE_MULTICAST | PROFILE_CHANGES,
	 SGES(13), .max_inline = 101, .max_rd_atomic = 32},
	/* The third generation: IPU E2000, RoCE. */
	{.name = "irdma-gen3", IRDMA, .part = 0x1452, .types = QP_RC | QP_UD, .opcodes = ROCE_OPCODES | ATOMICS,
	 .flags = IBV_DEVICE_RC_RNR_NAK_GEN | WINDOWS,
	 .has = PROFILE_EXTENDED_CQS | PROFILE_TIMES | PROFILE_WINDOWS | PROFILE_QUERY_QP | PROFILE_MULTICAST |
		PROFILE_CHANGES,
	 .atomic = IBV_ATOMIC_HCA, .max_srq = SOFT_MAX_SRQ, SGES(14), .max_inline = 216, .max_rd_atomic = 64},
	{.name = "irdma-iwarp", IRDMA, .part = 0x1592, .transport = IBV_TRANSPORT_IWARP, .types = QP_RC,
	 .opcodes = ROCE_OPCODES & ~OPCODE(SEND_WITH_IMM), .flags = IBV_DEVICE_MEM_WINDOW,
	 .has = PROFILE_EXTENDED_CQS | PROFILE_WINDOWS | PROFILE_QUERY_QP | PROFILE_CHANGES, SGES(13),
	 .max_inline = 101, .max_rd_atomic = 32, .has_one_gid = true, .has_no_path = true},
	/* HIP09. */
	{.name = "hns", HNS, .types = QP_RC | QP_UD | QP_XRC, .calls = QP_RC | QP_UD | QP_XRC_SEND,
	 .flags = IBV_DEVICE_XRC | IBV_DEVICE_RC_RNR_NAK_GEN | IBV_DEVICE_PORT_ACTIVE_EVENT,
	 .max_inline = SOFT_MAX_INLINE},
	/* Its library has no datagrams, and of inline data only what fits into a request is granted. */
	{.name = "hns-hip08", HNS, .types = QP_RC, .calls = QP_RC,
	 .flags = IBV_DEVICE_RC_RNR_NAK_GEN | IBV_DEVICE_PORT_ACTIVE_EVENT, .max_inline = 32},
	/*
	 * Linux 6.16 to 7.0. The part is the kind of its GDMA device; the port says no max_msg_sz, and UC queue
	 * pairs came later. Its library copies no data into requests, whatever IBV_SEND_INLINE says; any size
	 * is accepted. READs of one entry each fill one page of its own.
	 */
	{.name = "mana", .vendor = 0x1414, .part = 3, .types = QP_RC, .opcodes = SENDS | WRITES | OPCODE(RDMA_READ),
	 .flags = IBV_DEVICE_RC_RNR_NAK_GEN, .has = PROFILE_DOMAINS | PROFILE_DEVICE_MEMORY,
	 .domains_lack = ~(uint32_t)IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT, .max_qp_wr = 8192, .max_cqe = 8192,
	 .max_send_sge = 30, .max_recv_sge = 15, .max_sge_rd = 15, .max_inline = SOFT_MAX_INLINE, .max_rd_atomic = 32,
	 .max_reads = 128, .accesses = REMOTE_RDMA | IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_ZERO_BASED,
	 .refuses_access = EINVAL, .max_mr_size = SOFT_MAX_MR_SIZE, .max_message = 0},
	{.name = "ionic", .vendor = 0x1dd8, .part = 0x1002, .types = QP_RC | QP_UD, .calls = QP_RC,
	 .opcodes = ROCE_OPCODES | ATOMICS, .flags = WINDOWS,
	 .has = PROFILE_EXTENDED_CQS | PROFILE_DOMAINS | PROFILE_THREADS | PROFILE_WINDOWS | PROFILE_QUERY_QP,
	 .atomic = IBV_ATOMIC_GLOB, .max_qp_wr = 65535, .max_cqe = 65435, .min_recv_sge = 1, SGES(8), .max_inline = 480,
	 .max_rd_atomic = 16, .max_mr_size = 1ull << 40, .max_message = 1u << 30, .takes_plain_pds = true},
	/* T6. */
	{.name = "cxgb4", .vendor = 0x1425, .part = 0x6401, .transport = IBV_TRANSPORT_IWARP, .types = QP_RC,
	 .opcodes = OPCODE(SEND) | OPCODE(SEND_WITH_INV) | WRITES | OPCODE(RDMA_READ), .refuses_inline = EMSGSIZE,
	 .flags = IBV_DEVICE_MEM_WINDOW, .has = PROFILE_MULTICAST | PROFILE_QUERY_QP, .max_qp_wr = 8190,
	 .max_cqe = 65518, .max_srq = 1024, .max_send_sge = 17, .max_recv_sge = 4, .max_sge_rd = 1, .max_inline = 280,
	 .max_rd_atomic = 32, .max_mr_size = UINT64_MAX, .refuses_pages = ENOMEM, .max_message = UINT32_MAX,
	 .has_one_gid = true, .negates = true, .has_no_path = true},
	/* FastLinQ 45000, RoCE. */
	{.name = "qedr", .vendor = 0x1077, .part = 0x1656, .types = QP_RC | QP_XRC, .opcodes = ROCE_OPCODES | ATOMICS,
	 .flags = IBV_DEVICE_CURR_QP_STATE_MOD | IBV_DEVICE_RC_RNR_NAK_GEN | IBV_DEVICE_XRC, .has = PROFILE_QUERY_QP,
	 .atomic = IBV_ATOMIC_HCA, .max_qp_wr = 32767, .max_cqe = 1u << 17, .max_srq = 8192, SGES(4), .max_inline = 256,
	 .max_rd_atomic = 16, .max_mr_size = 1ull << 35, .max_message = 1u << 30, .negates = true},
	/* iWARP. */
	{.name = "erdma", .vendor = 0x1ded, .part = 0x107f, .transport = IBV_TRANSPORT_IWARP, .types = QP_RC,
	 .opcodes = (ROCE_OPCODES & ~OPCODE(BIND_MW)) | ATOMICS, .has = PROFILE_QUERY_QP, .atomic = IBV_ATOMIC_GLOB,
	 .max_qp_wr = 8192, .max_cqe = 1u << 20, .min_recv_wr = 1, .max_send_sge = 6, .max_recv_sge = 1,
	 .max_sge_rd = 1, .max_inline = 96, .max_rd_atomic = 128, .max_mr_size = 1ull << 36, .max_message = UINT32_MAX,
	 .has_one_gid = true, .has_no_path = true, .negates = true},
};
/* clang-format on */

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
	const char *name = mode + strlen(PROFILE_WORD);

	own = &profiles[0];
	if (!soft_profile_is_asked(mode))
		return true;
	for (size_t i = 1; i < PROFILE_COUNT; i++) {
		if (strlen(profiles[i].name) == strcspn(name, ",") &&
		    strncmp(name, profiles[i].name, strlen(profiles[i].name)) == 0) {
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
