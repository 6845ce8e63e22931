// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Opens libmlx5 for mlx5 devices. See mlx5_library.h. */
#include "verbs/provider/mlx5_library.h"

#include <stddef.h>

#include "util/log.h"
#include "verbs/device/device.h"
#include "verbs/device/direct_library.h"

static const struct direct_symbol symbols[] = {
	{"mlx5dv_is_supported", "MLX5_1.8", 33, false, offsetof(struct mlx5_library, is_supported)},
	{"mlx5dv_query_device", "MLX5_1.0", 33, false, offsetof(struct mlx5_library, query_device)},
	{"mlx5dv_create_qp", "MLX5_1.3", 33, false, offsetof(struct mlx5_library, create_qp)},
	{"mlx5dv_qp_ex_from_ibv_qp_ex", "MLX5_1.10", 33, false, offsetof(struct mlx5_library, qp_ex_from_ibv_qp_ex)},
	{"mlx5dv_create_cq", "MLX5_1.1", 33, true /* optional */, offsetof(struct mlx5_library, create_cq)},
	{"mlx5dv_create_mkey", "MLX5_1.10", 33, true, offsetof(struct mlx5_library, create_mkey)},
	{"mlx5dv_destroy_mkey", "MLX5_1.10", 33, true, offsetof(struct mlx5_library, destroy_mkey)},
#ifdef HAVE_STRUCT_MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN
	{"mlx5dv_dek_create", "MLX5_1.21", 44, true, offsetof(struct mlx5_library, dek_create)},
	{"mlx5dv_dek_destroy", "MLX5_1.21", 44, true, offsetof(struct mlx5_library, dek_destroy)},
	{"mlx5dv_crypto_login", "MLX5_1.21", 44, true, offsetof(struct mlx5_library, crypto_login)},
	{"mlx5dv_crypto_logout", "MLX5_1.21", 44, true, offsetof(struct mlx5_library, crypto_logout)},
#endif
};

static const struct direct_library file = {
	.file = "libmlx5.so.1",
	.package = "ibverbs-providers (Debian) or libibverbs (Fedora)",
	.is_of_soft = true,
	.symbols = symbols,
	.count = sizeof(symbols) / sizeof(symbols[0]),
	.bytes = sizeof(struct mlx5_library),
};

const struct mlx5_library *mlx5_library_of(const struct device *device, const char *what)
{
	const struct mlx5_library *library = direct_library_of(device->direct, &file, what);

	if (!library || library->is_supported(device->context->device))
		return library;
	log_error("%s is for adapters with the driver mlx5 (NVIDIA ConnectX and BlueField), which %s is not", what,
		  device->name);
	return NULL;
}
