// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Opens libmlx5 for mlx5 devices; QPs and CQs with features that verbs lacks. See mlx5.h and maker.h. */
#include "verbs/provider/mlx5.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "util/log.h"
#include "verbs/device/device.h"
#include "verbs/device/direct_library.h"
#include "verbs/maker.h"

/* Missing in older headers. */
#define CREATE_OOO_DP	    (1U << 7) /* MLX5DV_QP_CREATE_OOO_DP */
#define WITH_MKEY_CONFIGURE (1U << 2) /* MLX5DV_QP_EX_WITH_MKEY_CONFIGURE */
#define SMALL_BYTES	    32	      /* of a message, in a CQE of 64 bytes; twice that in one of 128 */
#define LARGE_CQE	    128	      /* bytes */

#define ROW(name, node, release, optional)                                                                             \
	LIBRARY_ROW_IN(struct mlx5_library, name, "mlx5dv_" #name, .version = (node), .since = (release),              \
		       .is_optional = (optional)),
static const struct library_symbol symbols[] = {MLX5_FUNCTIONS(ROW){.name = NULL}};
static const struct direct_library file = {
	{{"libmlx5.so.1"}, symbols, DIRECT_PROVIDERS, false}, .is_of_soft = true, .bytes = sizeof(struct mlx5_library)};

const struct mlx5_library *mlx5_library_of(const struct device *device, const char *what)
{
	const struct mlx5_library *library = direct_library_of(device->direct, &file, what);

	if (!library || library->is_supported(device->context->device))
		return library;
	log_error("%s is for adapters with the driver mlx5 (NVIDIA ConnectX and BlueField), which %s is not", what,
		  device->name);
	return NULL;
}

/* --- queue pairs --- */

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

/*
 * *most: of such a QP. A library that does not support the query leaves its bit of comp_mask clear. 0, -EOPNOTSUPP,
 * reported, or an errno, not reported.
 */
static int query_order(const struct device *device, const struct transport_traits *transport, uint32_t *most)
{
	const struct mlx5_library *library = mlx5_library_of(device, "--use_ooo");
	struct mlx5_context context = {.comp_mask = MLX5_CONTEXT_OOO_RECV_WRS};
	int err;

	if (!library)
		return -EOPNOTSUPP;
	err = library->query_device(device->context, (struct mlx5dv_context *)(void *)&context);
	*most = err ? 0 : mlx5_qp_out_of_order(&context, transport->target_qp);
	return err;
}

static uint32_t mlx5_qp_most_unordered(const struct device *device, const struct transport_traits *transport)
{
	uint32_t most;

	return query_order(device, transport, &most) ? 0 : most;
}

/*
 * --use_ooo: a QP may consume receives and place data in another order than the messages were sent in, so that adaptive
 * routing need not preserve it. Completions stay in order. Both sides' QPs must have it, or neither
 * (mlx5dv_create_qp(3), MLX5DV_QP_CREATE_OOO_DP).
 */
static int check_order(const struct device *device, const struct verbs_config *config)
{
	const struct transport_traits *transport = transport_traits(config->transport);
	uint32_t most;
	int err = query_order(device, transport, &most);

	if (err > 0)
		return log_fail(-err, "cannot query the mlx5 attributes of %s: %s", device->name, strerror(err));
	if (err)
		return err;
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

/*
 * Inline receives: the device puts the data of a short message into the CQE, and the library copies it into the buffer
 * when the CQE is polled, which saves a separate PCIe write. This is mlx5's "scatter to CQE" of RC QPs, not an option
 * of verbs. Whether the device does it cannot be queried; if the CQE is too small, it writes into the buffer as usual.
 */
static int check_inline_recv(const struct device *device, const struct transport_traits *transport)
{
	const struct mlx5_library *library;

	if (!transport->reliable || transport->datagram || transport->xrc_domain || transport->maker)
		return log_fail(-EOPNOTSUPP, "--inline_recv is for RC queue pairs, not for %s", transport->name);
	library = mlx5_library_of(device, "--inline_recv");
	if (!library)
		return -EOPNOTSUPP;
	if (library->create_cq)
		return 0;
	return log_fail(-EOPNOTSUPP, "--inline_recv needs mlx5dv_create_cq(), which %s does not provide", device->name);
}

static int mlx5_qp_check(const struct device *device, const struct verbs_config *config)
{
	int err = config->inline_recv ? check_inline_recv(device, transport_traits(config->transport)) : 0;

	if (!err && config->out_of_order)
		err = check_order(device, config);
	if (!err && config->crypto.is_used)
		err = mkey_ops.check(device, config);
	return err;
}

static struct ibv_qp *mlx5_qp_create(const struct device *device, const struct verbs_config *config,
				     struct ibv_qp_init_attr_ex *attr, const struct qp_steps *row)
{
	const struct mlx5_library *library = mlx5_library_of(device, "a QP");
	struct mlx5dv_qp_init_attr init = {.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS,
					   .create_flags = mlx5_qp_create_flags(config)};

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
	.check = mlx5_qp_check, .most_unordered = mlx5_qp_most_unordered, .create = mlx5_qp_create};

/* --- completion queues and doorbells --- */

static struct ibv_cq_ex *mlx5_create_cq(const struct device *device, struct ibv_cq_init_attr_ex *attr, uint32_t bytes)
{
	const struct mlx5_library *library = mlx5_library_of(device, "--inline_recv");
	struct mlx5dv_cq_init_attr large = {.comp_mask = MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE, .cqe_size = LARGE_CQE};

	if (library && bytes > SMALL_BYTES)
		return library->create_cq(device->context, attr, &large);
	return ibv_create_cq_ex(device->context, attr);
}

static int doorbell_bytes(const struct device *device, struct ibv_qp *qp)
{
	struct mlx5dv_qp direct = {0};
	struct mlx5dv_obj objects = {.qp = {.in = qp, .out = &direct}};
	char reason[LOG_TEXT_SIZE];
	const struct mlx5_library *library = direct_library_find(device->direct, &file, "", reason, sizeof(reason));

	if (!library || !library->init_obj || !library->is_supported(device->context->device) ||
	    library->init_obj(&objects, MLX5DV_OBJ_QP))
		return -1;
	return (int)direct.bf.size;
}

const struct mlx5_ops mlx5_ops = {.create_cq = mlx5_create_cq, .doorbell_bytes = doorbell_bytes};
