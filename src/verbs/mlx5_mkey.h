/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What of --aes_xts is told libmlx5, apart from the calls: for mlx5_mkey.c and its tests. */
#ifndef VERBS_MLX5_MKEY_H
#define VERBS_MLX5_MKEY_H

#include <infiniband/mlx5dv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct crypto_config;

/* What is wrong with a device for that: "can't ..."; NULL: nothing. *is_wrapped: it takes keys that are wrapped alone.
 */
const char *mlx5_crypto_lack(const struct mlx5dv_context *context, const struct crypto_config *crypto,
			     bool *is_wrapped);
/* 0: no block of that size. */
int mlx5_block_size(uint32_t bytes, enum mlx5dv_block_size *size);
/*
 * What the length of a wrapped key says of it (mlx5dv_dek_create(3)): 40 bytes or 72, and 8 more with a keytag. False:
 * there is none of that length.
 */
bool mlx5_wrapped_key(size_t length, struct mlx5dv_dek_init_attr *attr);
void mlx5_crypto_fill(const struct crypto_config *crypto, struct mlx5dv_dek *dek, struct mlx5dv_crypto_attr *attr);

#endif
