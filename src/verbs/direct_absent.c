// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A build without the headers of mlx5dv and efadv: DC and SRD are refused before anything is created, and nothing is
 * known of doorbells.
 */
#include <errno.h>
#include <stddef.h>

#include "util/log.h"
#include "verbs/maker.h"
#include "verbs/mlx5_doorbell.h"

static int dc_is_absent(const struct device *device, const struct verbs_config *config)
{
	(void)device;
	(void)config;
	log_error("-c DC is not in this build, which was built without rdma-core's <infiniband/mlx5dv.h>");
	return -EOPNOTSUPP;
}

static int srd_is_absent(const struct device *device, const struct verbs_config *config)
{
	(void)device;
	(void)config;
	log_error("-c SRD is not in this build, which was built without rdma-core's <infiniband/efadv.h>");
	return -EOPNOTSUPP;
}

const struct qp_maker maker_mlx5 = {.check = dc_is_absent};
const struct qp_maker maker_efa = {.check = srd_is_absent};
const struct mlx5_doorbell_ops mlx5_doorbell_ops = {.bytes = NULL};
