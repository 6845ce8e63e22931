// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* QPs created with mlx5dv_create_qp(3). See maker.h, mlx5_qp.h and inline_recv.h. */
#include "verbs/provider/mlx5_qp.h"

#include <errno.h>

#include "traffic/transport.h"
#include "util/log.h"
#include "verbs/device/device.h"
#include "verbs/maker.h"
#include "verbs/mkey.h"
#include "verbs/provider/mlx5_context.h"
#include "verbs/provider/mlx5_library.h"
#include "verbs/qp/inline_recv.h"

#define OPTION "--use_ooo"
/* Missing in older headers. */
#define CREATE_OOO_DP	    (1U << 7) /* MLX5DV_QP_CREATE_OOO_DP */
#define WITH_MKEY_CONFIGURE (1U << 2) /* MLX5DV_QP_EX_WITH_MKEY_CONFIGURE */

uint32_t mlx5_qp_out_of_order(const struct mlx5_context *context, enum qp_kind target)
{
	if (!(context->comp_mask & MLX5_CONTEXT_OOO_RECV_WRS))
		return 0;
	switch (target) {
	case QP_KIND_RC:
		return context->ooo_recv_wrs.max_rc;
	case QP_KIND_XRC_RECV:
		return context->ooo_recv_wrs.max_xrc;
	case QP_KIND_DCT:
		return context->ooo_recv_wrs.max_dct;
	case QP_KIND_UD:
		return context->ooo_recv_wrs.max_ud;
	case QP_KIND_UC:
		return context->ooo_recv_wrs.max_uc;
	default:
		return 0;
	}
}

static uint32_t mlx5_qp_most_unordered(const struct device *device, const struct transport_traits *transport)
{
	const struct mlx5_library *library = mlx5_library_of(device, OPTION);
	struct mlx5_context context = {.comp_mask = MLX5_CONTEXT_OOO_RECV_WRS};

	if (!library || library->query_device(device->context, (struct mlx5dv_context *)(void *)&context))
		return 0;
	return mlx5_qp_out_of_order(&context, transport->target_qp);
}

/* A library that does not support the query leaves its bit of comp_mask clear. */
int mlx5_qp_check_order(const struct device *device, const struct verbs_config *config)
{
	const struct mlx5_library *library = mlx5_library_of(device, OPTION);
	struct mlx5_context context = {.comp_mask = MLX5_CONTEXT_OOO_RECV_WRS};
	const struct transport_traits *transport = transport_traits(config->transport);
	uint32_t most;
	int err;

	if (!library)
		return -EOPNOTSUPP;
	err = library->query_device(device->context, (struct mlx5dv_context *)(void *)&context);
	if (err)
		return log_fail(-err, "cannot query the mlx5 attributes of %s: %s", device->name, strerror(err));
	most = mlx5_qp_out_of_order(&context, transport->target_qp);
	if (!most)
		return log_fail(-EOPNOTSUPP,
				"%s or its libmlx5 does not support out-of-order data placement for %s "
				"(MLX5DV_QP_CREATE_OOO_DP): omit --use_ooo",
				device->name, transport->name);
	if (!config->traffic.receives || config->rx_depth <= most)
		return 0;
	return log_fail(-EINVAL,
			"%s supports at most %u out-of-order receives for %s, not --rx-depth %u with --use_ooo",
			device->name, most, transport->name, config->rx_depth);
}

uint32_t mlx5_qp_create_flags(const struct verbs_config *config)
{
	return (config->inline_recv ? MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE : 0) |
	       (config->out_of_order ? CREATE_OOO_DP : 0);
}

static int mlx5_qp_check(const struct device *device, const struct verbs_config *config)
{
	int err = config->inline_recv ? inline_recv_ops.check(device, transport_traits(config->transport)) : 0;

	if (!err && config->out_of_order)
		err = mlx5_qp_check_order(device, config);
	if (!err && config->crypto.is_used)
		err = mkey_ops.check(device, config);
	return err;
}

static struct ibv_qp *mlx5_qp_create(const struct device *device, const struct verbs_config *config,
				     struct ibv_qp_init_attr_ex *attr, const struct qp_steps *row)
{
	const struct mlx5_library *library = mlx5_library_of(device, OPTION);
	struct mlx5dv_qp_init_attr init = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS,
		.create_flags = mlx5_qp_create_flags(config),
	};

	(void)row;
	if (config->crypto.is_used) {
		/* Received data must not be in CQEs, from which libraries copy it using the address as a pointer. */
		init.create_flags |= MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE;
		init.comp_mask |= MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS;
		init.send_ops_flags = WITH_MKEY_CONFIGURE;
	}
	if (library)
		return library->create_qp(device->context, attr, &init);
	errno = EOPNOTSUPP;
	return NULL;
}

const struct qp_maker maker_mlx5_features = {
	.check = mlx5_qp_check,
	.most_unordered = mlx5_qp_most_unordered,
	.create = mlx5_qp_create,
};
