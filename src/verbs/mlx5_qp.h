/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --use_ooo: receives of a queue pair may be used up, and data placed, in another order than the messages were sent in,
 * so that adaptive routing need not keep it. Completions keep their order. Both sides' queue pairs have it, or neither
 * (mlx5dv_create_qp(3), MLX5DV_QP_CREATE_OOO_DP). For dc.c, and through provider_qp.h. Never run on such an adapter.
 */
#ifndef VERBS_MLX5_QP_H
#define VERBS_MLX5_QP_H

#include <stdint.h>

#include "traffic/transport.h"

struct device;
struct mlx5_context;
struct verbs_config;

/* Receives that a queue pair of that kind, which messages go to, may have then; 0: there are no such. */
uint32_t mlx5_qp_out_of_order(const struct mlx5_context *context, enum qp_kind target);
/* Has the device such queue pairs, with that many receives? 0, or -errno, reported. */
int mlx5_qp_check_order(const struct device *device, const struct verbs_config *config);
/* enum mlx5dv_qp_create_flags */
uint32_t mlx5_qp_create_flags(const struct verbs_config *config);

#endif
