/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --use_ooo: a QP may consume receives and place data in another order than the messages were sent in, so that adaptive
 * routing need not preserve it. Completions stay in order. Both sides' QPs must have it, or neither
 * (mlx5dv_create_qp(3), MLX5DV_QP_CREATE_OOO_DP). Called by dc.c, and through maker.h. Never run on such an
 * adapter.
 */
#pragma once

#include <stdint.h>

#include "traffic/transport.h"

struct device;
struct mlx5_context;
struct verbs_config;

/* The most receives of such a QP, of the type to which messages are sent; 0: not supported. */
uint32_t mlx5_qp_out_of_order(const struct mlx5_context *context, enum qp_kind target);
/* Does the device support such QPs, with this many receives? 0, or -errno, reported. */
int mlx5_qp_check_order(const struct device *device, const struct verbs_config *config);
/* enum mlx5dv_qp_create_flags */
uint32_t mlx5_qp_create_flags(const struct verbs_config *config);
