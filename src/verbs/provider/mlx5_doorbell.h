/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* BlueFlame of NVIDIA's adapters: the CPU writes a small request to the device together with the doorbell. */
#pragma once

#include <infiniband/verbs.h>

struct mlx5_doorbell_ops {
	/*
	 * Bytes of a request that libmlx5 can write so for this QP. 0: none, and the device reads each request from
	 * memory, where the host has no write-combining (virtual machines, some virtual functions). Below 0: unknown,
	 * or another device. NULL in a build without the headers of mlx5dv.
	 */
	int (*bytes)(struct ibv_qp *qp);
};

extern const struct mlx5_doorbell_ops mlx5_doorbell_ops;
