/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What --aes_xts queries from an mlx5 adapter and requests of it. For mlx5_crypto.c and its tests. */
#pragma once

#include "verbs/provider/mlx5.h"

#ifdef HAVE_STRUCT_MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct crypto_config; /* verbs/verbs_config.h */

/*
 * Why the device cannot do it: "does not ..."; NULL: it can. message: bytes of one that are encrypted. *is_wrapped: it
 * accepts only wrapped keys.
 */
const char *mlx5_crypto_lack(const struct mlx5dv_context *context, const struct crypto_config *crypto, uint64_t message,
			     bool *is_wrapped);
/* -EINVAL: no block of that size is supported. */
int mlx5_block_size(uint32_t bytes, enum mlx5dv_block_size *size);
/*
 * Derives the attributes of a wrapped key from its length (mlx5dv_dek_create(3)): 40 or 72 bytes, with a keytag 8 more.
 * False for any other length.
 */
bool mlx5_wrapped_key(size_t length, struct mlx5dv_dek_init_attr *attr);
void mlx5_crypto_fill(const struct crypto_config *crypto, struct mlx5dv_dek *dek, struct mlx5dv_crypto_attr *attr);
#endif
