/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * struct mlx5dv_context as of rdma-core 65, which mlx5dv_query_device(3) fills: for builds with older headers, and a
 * libmlx5 of any age at run time. It only writes what comp_mask requests.
 */
#pragma once

#include <infiniband/mlx5dv.h>
#include <stdint.h>

#define MLX5_CONTEXT_MAX_DC_RD_ATOM (1U << 14) /* MLX5DV_CONTEXT_MASK_MAX_DC_RD_ATOM */
#define MLX5_CONTEXT_OOO_RECV_WRS   (1U << 16) /* MLX5DV_CONTEXT_MASK_OOO_RECV_WRS */

struct mlx5_context {
	uint8_t version;
	uint64_t flags;
	uint64_t comp_mask;
	uint8_t before[128]; /* up to crypto_caps, and it */
	uint64_t max_dc_rd_atom;
	uint64_t max_dc_init_rd_atom;
	uint32_t reg_c0[2];
	/* Receives of a QP that accepts them out of order; 0: not supported for that type. */
	struct {
		uint32_t max_rc, max_xrc, max_dct, max_ud, max_uc;
	} ooo_recv_wrs;
	uint64_t later[32];
};

/* READs and atomics in flight on a DC QP, for both roles; 0: the library does not know. */
static inline uint32_t mlx5_context_dc_outs(const struct mlx5_context *context)
{
	const uint64_t one = context->max_dc_rd_atom, other = context->max_dc_init_rd_atom;
	const uint64_t least = one < other ? one : other;

	if (!(context->comp_mask & MLX5_CONTEXT_MAX_DC_RD_ATOM))
		return 0;
	return least < UINT32_MAX ? (uint32_t)least : UINT32_MAX;
}

_Static_assert(sizeof(struct mlx5_context) >= sizeof(struct mlx5dv_context), "a newer one is longer");
