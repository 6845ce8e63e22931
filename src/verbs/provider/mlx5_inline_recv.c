// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See inline_recv.h. */
#include <errno.h>

#include "traffic/transport.h"
#include "util/log.h"
#include "verbs/device/device.h"
#include "verbs/provider/mlx5_library.h"
#include "verbs/qp/inline_recv.h"

#define OPTION	    "--inline_recv"
#define SMALL_BYTES 32	/* of a message, in a CQE of 64 bytes; twice that in one of 128 */
#define LARGE_CQE   128 /* bytes */

static int mlx5_check(const struct device *device, const struct transport_traits *transport)
{
	const struct mlx5_library *library;

	if (!transport->reliable || transport->datagram || transport->xrc_domain || transport->maker)
		return log_fail(-EOPNOTSUPP, OPTION " is for RC queue pairs, not for %s", transport->name);
	library = mlx5_library_of(device, OPTION);
	if (!library)
		return -EOPNOTSUPP;
	if (library->create_cq)
		return 0;
	return log_fail(-EOPNOTSUPP, OPTION " needs mlx5dv_create_cq(), which %s does not provide", device->name);
}

static struct ibv_cq_ex *mlx5_create_cq(const struct device *device, struct ibv_cq_init_attr_ex *attr, uint32_t bytes)
{
	const struct mlx5_library *library = mlx5_library_of(device, OPTION);
	struct mlx5dv_cq_init_attr large = {.comp_mask = MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE, .cqe_size = LARGE_CQE};

	if (library && bytes > SMALL_BYTES)
		return library->create_cq(device->context, attr, &large);
	return ibv_create_cq_ex(device->context, attr);
}

const struct inline_recv_ops inline_recv_ops = {
	.check = mlx5_check,
	.create_cq = mlx5_create_cq,
};
