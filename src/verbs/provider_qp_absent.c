// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* libmlx5's QP features in a build without its headers: refused. See provider_qp.h and mkey.h. */
#include <errno.h>

#include "traffic/transport.h"
#include "util/log.h"
#include "verbs/device.h"
#include "verbs/inline_recv.h"
#include "verbs/mkey.h"
#include "verbs/provider_qp.h"

static int mlx5_is_absent(const struct device *device, const struct verbs_config *config)
{
	if (config->inline_recv)
		return inline_recv_ops.check(device, transport_traits(config->transport));
	log_error("%s on %s needs infiniband/mlx5dv.h, without which this program was built; install libibverbs-dev "
		  "(Debian) or rdma-core-devel (Fedora), and rebuild it",
		  config->out_of_order	   ? "--use_ooo"
		  : config->crypto.is_used ? "--aes_xts"
					   : "--sig_offload",
		  device->name);
	return -EOPNOTSUPP;
}

static struct ibv_context *open_plainly(struct ibv_device *device)
{
	return ibv_open_device(device);
}

static void mkey_close_nothing(struct resources *resources)
{
	(void)resources;
}

/* Nothing is created after that. */
const struct mkey_ops mkey_ops = {.open = open_plainly, .close = mkey_close_nothing};
const struct provider_qp_ops provider_qp_mlx5 = {.check = mlx5_is_absent};
