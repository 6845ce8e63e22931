// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* DC and SRD in a build without the headers of mlx5dv and efadv: refused before anything is created. */
#include <errno.h>

#include "util/log.h"
#include "verbs/maker.h"

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
