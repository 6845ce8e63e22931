/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What of --aes_xts and --sig_offload is told libmlx5: mlx5_mkey.c makes the keys, mlx5_crypto.c and mlx5_signature.c
 * know what is said of each. For these files and their tests.
 */
#ifndef VERBS_MLX5_MKEY_H
#define VERBS_MLX5_MKEY_H

#include <infiniband/mlx5dv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "verbs/mlx5_library.h"

struct crypto_config; /* verbs/verbs_config.h */
struct resources;     /* verbs/resources.h */

/* --- AES-XTS --- */

#ifdef HAVE_STRUCT_MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN
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

struct mlx5_deks; /* data encryption keys, mlx5_crypto.c */

/* 0, or -EOPNOTSUPP, reported. context: what mlx5dv_query_device() answers to mlx5_crypto_mask(). */
int mlx5_crypto_check(const struct mlx5_library *library, const struct device *device,
		      const struct mlx5dv_context *context, const struct crypto_config *crypto);
uint64_t mlx5_crypto_mask(void);
uint32_t mlx5_crypto_flag(void); /* of a key that encrypts, as it is made */
/* 0, or -errno, reported; *deks is to be closed in any case. */
int mlx5_deks_make(const struct mlx5_library *library, const struct resources *resources, struct mlx5_deks **deks);
void mlx5_deks_close(struct mlx5_deks *deks); /* NULL, too */
/* Of the request that sets up a key of the queue pair with that index. */
void mlx5_crypto_set(struct mlx5dv_qp_ex *qp, const struct mlx5_deks *deks, const struct crypto_config *crypto,
		     bool is_second, unsigned index);

/* --- signatures --- */

#ifdef HAVE_STRUCT_MLX5DV_QP_EX_WR_SET_MKEY_SIG_BLOCK
/* Its parts point to each other. */
struct mlx5_signature {
	struct mlx5dv_sig_t10dif dif;
	struct mlx5dv_sig_block_domain domain;
	struct mlx5dv_sig_block_attr attr;
};

/* What is wrong with a device for that; NULL: nothing. */
const char *mlx5_signature_lack(const struct mlx5dv_context *context);
void mlx5_signature_fill(struct mlx5_signature *signature);
/* "a wrong guard at offset 512 of a message: 0x1, and not 0x2". Returns text; NULL: there is no error. */
const char *mlx5_signature_text(const struct mlx5dv_mkey_err *error, char *text, size_t size);
#endif

#endif
