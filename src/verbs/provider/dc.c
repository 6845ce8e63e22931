// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * NVIDIA's dynamically connected transport (DC), through mlx5dv: an initiator (DCI) connects to the target (DCT) of
 * each request, for as long as that takes.
 */
#include "config.h"

#include <errno.h>

#include "util/log.h"
#include "verbs/device/device.h"
#include "verbs/maker.h"
#include "verbs/provider/mlx5.h"
#include "verbs/qp/qp_row.h"
#include "verbs/queue.h"

#define OPTION "-c DC"
#define KEY    0xffeeddcc /* as in linux-rdma perftest */

/* In rdma-core 37 and newer. */
#ifdef HAVE_STRUCT_MLX5DV_QP_EX_WR_SET_DC_ADDR_STREAM

static int streams_are_there(const struct mlx5_library *library, const struct device *device,
			     const struct verbs_config *config)
{
	struct mlx5dv_context attr = {.comp_mask = MLX5DV_CONTEXT_MASK_DCI_STREAMS};
	unsigned most = 0;

	if (!library->query_device(device->context, &attr) && attr.comp_mask & MLX5DV_CONTEXT_MASK_DCI_STREAMS)
		most = attr.dci_streams_caps.max_log_num_concurent;
	if (config->log_dci_streams <= most)
		return 0;
	if (most)
		log_error("%s supports at most 2^%u streams for a DC initiator, not --log_dci_streams %u", device->name,
			  most, config->log_dci_streams);
	else
		log_error("%s has no streams for DC initiators: omit --log_dci_streams", device->name);
	return -EOPNOTSUPP;
}

static void ask_for_streams(const struct verbs_config *config, struct mlx5dv_qp_init_attr *mlx5)
{
	if (!config->log_dci_streams)
		return;
	mlx5->comp_mask |= MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS;
	mlx5->dc_init_attr.dci_streams.log_num_concurent = config->log_dci_streams;
}

static void dc_set_address(struct ibv_qp_ex *qpx, struct wr_address *address)
{
	(void)qpx;
	if (address->streams)
		mlx5dv_wr_set_dc_addr_stream(address->extension, address->ah, address->number, address->key,
					     (uint16_t)(address->stream++ & (address->streams - 1)));
	else
		mlx5dv_wr_set_dc_addr(address->extension, address->ah, address->number, address->key);
}

#else

static int streams_are_there(const struct mlx5_library *library, const struct device *device,
			     const struct verbs_config *config)
{
	(void)library;
	(void)device;
	(void)config;
	return log_fail(-EOPNOTSUPP,
			"--log_dci_streams is not in this build: it was built with an rdma-core older than 37");
}

static void ask_for_streams(const struct verbs_config *config, struct mlx5dv_qp_init_attr *mlx5)
{
	(void)config;
	(void)mlx5;
}

static void dc_set_address(struct ibv_qp_ex *qpx, struct wr_address *address)
{
	(void)qpx;
	mlx5dv_wr_set_dc_addr(address->extension, address->ah, address->number, address->key);
}

#endif

static int dc_check(const struct device *device, const struct verbs_config *config)
{
	const struct mlx5_library *library = mlx5_library_of(device, OPTION);

	if (!library)
		return -EOPNOTSUPP;
	return config->log_dci_streams ? streams_are_there(library, device, config) : 0;
}

static uint32_t dc_paging(const struct device *device)
{
	const struct mlx5_library *library = mlx5_library_of(device, OPTION);
	struct mlx5dv_context attr = {.comp_mask = MLX5DV_CONTEXT_MASK_DC_ODP_CAPS};

	if (!library || library->query_device(device->context, &attr) ||
	    !(attr.comp_mask & MLX5DV_CONTEXT_MASK_DC_ODP_CAPS))
		return 0;
	return attr.dc_odp_caps;
}

/*
 * The kernel refuses RTS above the device's limit for DC, which may be below that of RC. libmlx5's manual page and the
 * names disagree about which of the two is the requester's: the smaller one satisfies both.
 */
static uint32_t dc_most_outs(const struct device *device)
{
	const struct mlx5_library *library = mlx5_library_of(device, OPTION);
	struct mlx5_context context = {.comp_mask = MLX5_CONTEXT_MAX_DC_RD_ATOM};

	if (!library || library->query_device(device->context, (struct mlx5dv_context *)(void *)&context))
		return 0;
	return mlx5_context_dc_outs(&context);
}

/* Like linux-rdma perftest: responses of READs are not scattered to the CQE. */
static struct ibv_qp *dc_create(const struct device *device, const struct verbs_config *config,
				struct ibv_qp_init_attr_ex *attr, const struct qp_steps *row)
{
	const struct mlx5_library *library = mlx5_library_of(device, OPTION);
	struct mlx5dv_qp_init_attr init = {.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
					   .create_flags = mlx5_qp_create_flags(config)};

	if (!row->sends) {
		init.dc_init_attr.dc_type = MLX5DV_DCTYPE_DCT;
		init.dc_init_attr.dct_access_key = KEY;
	} else {
		init.dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI;
		init.create_flags |= MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE;
		ask_for_streams(config, &init);
	}
	if (init.create_flags)
		init.comp_mask |= MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS;
	if (library)
		return library->create_qp(device->context, attr, &init);
	errno = EOPNOTSUPP;
	return NULL;
}

static void *dc_extension(const struct device *device, struct ibv_qp_ex *qpx)
{
	return mlx5_library_of(device, OPTION)->qp_ex_from_ibv_qp_ex(qpx);
}

const struct qp_maker maker_mlx5 = {
	.check = dc_check,
	.paging = dc_paging,
	.most_outs = dc_most_outs,
	.create = dc_create,
	.extension = dc_extension,
	.set_address = dc_set_address,
	.key = KEY,
};
