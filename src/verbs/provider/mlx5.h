/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Direct verbs of NVIDIA's adapters, from libmlx5, and the features of QPs that use them. For files that are only built
 * if its headers are there. Never run on such an adapter.
 */
#pragma once

#include "config.h"

#include <infiniband/mlx5dv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "traffic/transport.h"

struct device; /* verbs/device/device.h */
struct verbs_config;

#ifdef HAVE_STRUCT_MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN
#define MLX5_CRYPTO_FUNCTIONS(X)                                                                                       \
	X(dek_create, "MLX5_1.21", 44, true)                                                                           \
	X(dek_destroy, "MLX5_1.21", 44, true)                                                                          \
	X(crypto_login, "MLX5_1.21", 44, true)                                                                         \
	X(crypto_logout, "MLX5_1.21", 44, true)
#else
#define MLX5_CRYPTO_FUNCTIONS(X)
#endif

/* mlx5dv_*(), version, since, optional: as in struct library_symbol. The optional ones may be NULL for soft0. */
#define MLX5_FUNCTIONS(X)                                                                                              \
	X(is_supported, "MLX5_1.8", 33, false)                                                                         \
	X(query_device, "MLX5_1.0", 33, false)                                                                         \
	X(create_qp, "MLX5_1.3", 33, false)                                                                            \
	X(qp_ex_from_ibv_qp_ex, "MLX5_1.10", 33, false)                                                                \
	X(create_cq, "MLX5_1.1", 33, true)                                                                             \
	X(init_obj, "MLX5_1.2", 33, true)                                                                              \
	X(create_mkey, "MLX5_1.10", 33, true)                                                                          \
	X(destroy_mkey, "MLX5_1.10", 33, true)                                                                         \
	MLX5_CRYPTO_FUNCTIONS(X)

#define MLX5_MEMBER(name, ...) __typeof__(&mlx5dv_##name) name;
struct mlx5_library {
	MLX5_FUNCTIONS(MLX5_MEMBER)
};

/* NULL if the device has another driver, or libmlx5 is missing, reported. what: what needs it, "-c DC". */
const struct mlx5_library *mlx5_library_of(const struct device *device, const char *what);

#define MLX5_CONTEXT_MAX_DC_RD_ATOM (1U << 14) /* MLX5DV_CONTEXT_MASK_MAX_DC_RD_ATOM */
#define MLX5_CONTEXT_OOO_RECV_WRS   (1U << 16) /* MLX5DV_CONTEXT_MASK_OOO_RECV_WRS */

/*
 * struct mlx5dv_context as of rdma-core 65, which mlx5dv_query_device(3) fills: for builds with older headers, and a
 * libmlx5 of any age at run time. It only writes what comp_mask requests.
 */
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

/* The most out-of-order receives of a QP of the type to which messages are sent; 0: not supported. */
uint32_t mlx5_qp_out_of_order(const struct mlx5_context *context, enum qp_kind target);
/* enum mlx5dv_qp_create_flags */
uint32_t mlx5_qp_create_flags(const struct verbs_config *config);

#ifdef HAVE_STRUCT_MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN

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
