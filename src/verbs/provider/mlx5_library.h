/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Direct verbs of NVIDIA's adapters, from libmlx5. For files that are only built if its headers are there. */
#pragma once

#include "config.h"

#include <infiniband/mlx5dv.h>

struct device; /* verbs/device/device.h */

/* Each function is a member here and a row in mlx5_library.c. */
struct mlx5_library {
	__typeof__(&mlx5dv_is_supported) is_supported;
	__typeof__(&mlx5dv_query_device) query_device;
	__typeof__(&mlx5dv_create_qp) create_qp;
	__typeof__(&mlx5dv_qp_ex_from_ibv_qp_ex) qp_ex_from_ibv_qp_ex;
	__typeof__(&mlx5dv_create_cq) create_cq; /* this and all below may be NULL for the software device */
	__typeof__(&mlx5dv_create_mkey) create_mkey;
	__typeof__(&mlx5dv_destroy_mkey) destroy_mkey;
#ifdef HAVE_STRUCT_MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN
	__typeof__(&mlx5dv_dek_create) dek_create;
	__typeof__(&mlx5dv_dek_destroy) dek_destroy;
	__typeof__(&mlx5dv_crypto_login) crypto_login;
	__typeof__(&mlx5dv_crypto_logout) crypto_logout;
#endif
};

/* NULL if the device has another driver, or libmlx5 is missing, reported. what: what needs it, "-c DC". */
const struct mlx5_library *mlx5_library_of(const struct device *device, const char *what);
