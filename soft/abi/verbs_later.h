/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Verbs that the headers of rdma-core 33 do not declare: later ones that take an object that may be ours, and the
 * private one that ibv_devinfo uses; for export.c, which defines them. The structures are opaque here: they are passed
 * on or refused, never read.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

struct ibv_buf;
struct ibv_comp_cntr;
struct ibv_comp_cntr_caps;
struct ibv_comp_cntr_init_attr;
struct ibv_dmah;
struct ibv_dmah_init_attr;
struct ibv_qp_attach_comp_cntr_attr;

/* IBVERBS_1.12 to 1.14, rdma-core 34 to 42 */
struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access);
struct ibv_dm *ibv_import_dm(struct ibv_context *context, uint32_t handle);
void ibv_unimport_dm(struct ibv_dm *dm);
int ibv_query_qp_data_in_order(struct ibv_qp *qp, enum ibv_wr_opcode opcode, uint32_t flags);

/* IBVERBS_1.15, rdma-core 59 */
#ifndef HAVE_STRUCT_IBV_MR_INIT_ATTR_LENGTH
enum {
	IBV_REG_MR_MASK_IOVA = 1 << 0,
	IBV_REG_MR_MASK_ADDR = 1 << 1,
	IBV_REG_MR_MASK_FD = 1 << 2,
	IBV_REG_MR_MASK_FD_OFFSET = 1 << 3,
	IBV_REG_MR_MASK_DMAH = 1 << 4,
};

struct ibv_mr_init_attr {
	size_t length;
	int access;
	uint64_t comp_mask;
	uint64_t iova;
	void *addr;
	int fd;
	uint64_t fd_offset;
	struct ibv_dmah *dmah;
};
#endif
/* As of rdma-core 65, which added the bit: the new field follows those that every version of the headers has. */
#define SOFT_REG_MR_MASK_BUF (1ull << 5)
struct soft_mr_init_attr_later {
	uint8_t before[offsetof(struct ibv_mr_init_attr, dmah) + sizeof(struct ibv_dmah *)];
	struct ibv_buf *buf;
};
struct ibv_dmah *ibv_alloc_dmah(struct ibv_context *context, struct ibv_dmah_init_attr *attr);
struct ibv_mr *ibv_reg_mr_ex(struct ibv_pd *pd, struct ibv_mr_init_attr *attr);

/* IBVERBS_1.16, rdma-core 62. *speed: units of 100 Mb/s. */
int ibv_query_port_speed(struct ibv_context *context, uint32_t port, uint64_t *speed);
int ibv_dm_export_dmabuf_fd(struct ibv_dm *dm); /* a descriptor, or -1 with errno */

/* IBVERBS_1.17, rdma-core 64. The address returned is aligned to a page. */
void *ibv_alloc_buf(struct ibv_pd *pd, size_t size, struct ibv_buf **buf);
void ibv_free_buf(struct ibv_buf *buf);
struct ibv_mr *ibv_reg_buf_mr(struct ibv_pd *pd, struct ibv_buf *buf, void *addr, size_t length, int access);

/* IBVERBS_1.18, rdma-core 65 */
int _ibv_query_comp_cntr_caps(struct ibv_context *context, struct ibv_comp_cntr_caps *caps, size_t size);
struct ibv_comp_cntr *ibv_create_comp_cntr(struct ibv_context *context, struct ibv_comp_cntr_init_attr *attr);
int ibv_qp_attach_comp_cntr(struct ibv_qp *qp, struct ibv_comp_cntr *counter,
			    struct ibv_qp_attach_comp_cntr_attr *attr);
int ibv_export_buf_dmabuf_fd(struct ibv_buf *buf); /* a descriptor, or -1 with errno */

/* Private, its node changes with each release. *type: 0 for InfiniBand and RoCE v1, 1 for RoCE v2. */
int ibv_query_gid_type(struct ibv_context *context, uint8_t port, unsigned int index, unsigned int *type);
