/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --use_data_direct: NVIDIA adapters access GPU memory through an additional PCIe function, bypassing the CPU
 * (mlx5dv_reg_dmabuf_mr(3), MLX5DV_REG_DMABUF_ACCESS_DATA_DIRECT). libmlx5 is opened at run time.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stddef.h>

struct buffer;
struct device;

/* Does the device support it? 0, or -EOPNOTSUPP and a sentence. */
int data_direct_probe(const struct device *device, char *reason, size_t reason_size);
/* The same, reported. */
int data_direct_check(const struct device *device);
/* Registers a buffer that has a dmabuf; after one of the two checks. NULL with errno if the device refuses. */
struct ibv_mr *data_direct_register(const struct device *device, const struct buffer *buffer, struct ibv_pd *pd,
				    unsigned access);
