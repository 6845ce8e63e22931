/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parts of --aes_xts and --sig_offload that use libmlx5: mlx5_mkey.c creates the mkeys, mlx5_crypto.c and
 * mlx5_signature.c fill in the attributes of each feature. For these files and their tests.
 */
#pragma once

#include <infiniband/mlx5dv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "verbs/provider/mlx5_library.h"

struct crypto_config; /* verbs/verbs_config.h */
struct resources;     /* verbs/resources.h */

#ifdef HAVE_STRUCT_MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN
/* --- AES-XTS --- */

/*
 * Why the device cannot do it: "does not ..."; NULL: it can. message: bytes of one that are encrypted. *is_wrapped: it
 * accepts only wrapped keys.
 */
const char *mlx5_crypto_lack(const struct mlx5dv_context *context, const struct crypto_config *crypto, uint64_t message,
			     bool *is_wrapped);
/* 0: no block of that size is supported. */
int mlx5_block_size(uint32_t bytes, enum mlx5dv_block_size *size);
/*
 * Derives the attributes of a wrapped key from its length (mlx5dv_dek_create(3)): 40 or 72 bytes, with a keytag 8 more.
 * False for any other length.
 */
bool mlx5_wrapped_key(size_t length, struct mlx5dv_dek_init_attr *attr);
void mlx5_crypto_fill(const struct crypto_config *crypto, struct mlx5dv_dek *dek, struct mlx5dv_crypto_attr *attr);

struct mlx5_deks; /* data encryption keys, mlx5_crypto.c */

/* 0, or -EOPNOTSUPP, reported. context: queried by mlx5dv_query_device(). */
int mlx5_crypto_check(const struct mlx5_library *library, const struct device *device,
		      const struct mlx5dv_context *context, const struct crypto_config *crypto, uint64_t message);
/* 0, or -errno, reported; *deks must be closed in any case. */
int mlx5_deks_make(const struct mlx5_library *library, const struct resources *resources, struct mlx5_deks **deks);
void mlx5_deks_close(struct mlx5_deks *deks); /* NULL is allowed */
/* Adds the encryption attributes to the request that configures the mkey of QP `index`. */
void mlx5_crypto_set(struct mlx5dv_qp_ex *qp, const struct mlx5_deks *deks, const struct crypto_config *crypto,
		     bool is_second, unsigned index);

/* --- signatures --- */

/* Its members point to each other. */
struct mlx5_signature {
	struct mlx5dv_sig_t10dif dif;
	struct mlx5dv_sig_block_domain domain;
	struct mlx5dv_sig_block_attr attr;
};

/* Why the device cannot do it; NULL: it can. */
const char *mlx5_signature_lack(const struct mlx5dv_context *context);
void mlx5_signature_fill(struct mlx5_signature *signature);
/* "a wrong guard at offset 512 of a message: 0x1, and not 0x2". Returns text; NULL: no error. */
const char *mlx5_signature_text(const struct mlx5dv_mkey_err *error, char *text, size_t size);
#endif
