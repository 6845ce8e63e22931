// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A build without the headers of mlx5dv and efadv: DC, SRD, inline receives and libmlx5's other QP features are refused
 * before anything is created, and nothing is known of doorbells.
 */
#include <errno.h>
#include <stddef.h>

#include "util/log.h"
#include "verbs/device/device.h"
#include "verbs/maker.h"

static int dc_is_absent(const struct device *device, const struct verbs_config *config)
{
	(void)device;
	(void)config;
	return log_fail(-EOPNOTSUPP,
			"-c DC is not in this build, which was built without rdma-core's <infiniband/mlx5dv.h>");
}

static int srd_is_absent(const struct device *device, const struct verbs_config *config)
{
	(void)device;
	(void)config;
	return log_fail(-EOPNOTSUPP,
			"-c SRD is not in this build, which was built without rdma-core's <infiniband/efadv.h>");
}

static int mlx5_is_absent(const struct device *device, const struct verbs_config *config)
{
	return log_fail(
		-EOPNOTSUPP,
		"%s on %s needs infiniband/mlx5dv.h, without which this program was built\ninstall libibverbs-dev "
		"(Debian) or rdma-core-devel (Fedora) on an architecture that has it, and rebuild it",
		config->inline_recv    ? "--inline_recv"
		: config->out_of_order ? "--use_ooo"
				       : "--aes_xts",
		device->name);
}

const struct qp_maker maker_mlx5 = {.check = dc_is_absent};
const struct qp_maker maker_efa = {.check = srd_is_absent};
const struct mlx5_ops mlx5_ops = {.create_cq = NULL};
const struct mkey_ops mkey_ops = {.open = NULL};
const struct qp_maker maker_mlx5_features = {.check = mlx5_is_absent};
