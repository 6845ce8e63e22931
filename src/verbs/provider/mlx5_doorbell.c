// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See mlx5_doorbell.h. */
#define _GNU_SOURCE /* dlvsym() */
#include "verbs/provider/mlx5_doorbell.h"

#include <dlfcn.h>
#include <infiniband/mlx5dv.h>

static int doorbell_bytes(struct ibv_qp *qp)
{
	struct mlx5dv_qp direct = {0};
	struct mlx5dv_obj objects = {.qp = {.in = qp, .out = &direct}};
	__typeof__(&mlx5dv_is_supported) is_supported;
	__typeof__(&mlx5dv_init_obj) init_obj;
	/* Of an mlx5 device libibverbs has loaded it. */
	void *library = dlopen("libmlx5.so.1", RTLD_LAZY | RTLD_NOLOAD);
	int bytes = -1;

	if (!library)
		return -1;
	*(void **)(void *)&is_supported = dlvsym(library, "mlx5dv_is_supported", "MLX5_1.8");
	*(void **)(void *)&init_obj = dlvsym(library, "mlx5dv_init_obj", "MLX5_1.2");
	if (is_supported && init_obj && is_supported(qp->context->device) && init_obj(&objects, MLX5DV_OBJ_QP) == 0)
		bytes = (int)direct.bf.size;
	dlclose(library);
	return bytes;
}

const struct mlx5_doorbell_ops mlx5_doorbell_ops = {.bytes = doorbell_bytes};
