/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --use_data_direct: memory of a GPU that adapters of NVIDIA reach by a PCIe function of their own beside it, past the
 * CPU (mlx5dv_reg_dmabuf_mr(3), MLX5DV_REG_DMABUF_ACCESS_DATA_DIRECT). libmlx5 is opened at run time.
 */
#ifndef VERBS_DATA_DIRECT_H
#define VERBS_DATA_DIRECT_H

#include <infiniband/verbs.h>
#include <stddef.h>

struct buffer;

/* Can the device do it? 0, or -EOPNOTSUPP and a sentence. */
int data_direct_probe(struct ibv_context *context, char *reason, size_t reason_size);
/* The same, reported. */
int data_direct_check(struct ibv_context *context);
/* A buffer with a dmabuf; after one of both. NULL with errno when the device refuses. */
struct ibv_mr *data_direct_register(const struct buffer *buffer, struct ibv_pd *pd, unsigned access);

#endif
