// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Inline receives in a build without the headers of mlx5: refused. See inline_recv.h. */
#include <errno.h>
#include <stddef.h>

#include "util/log.h"
#include "verbs/device.h"
#include "verbs/inline_recv.h"

static int absent_check(const struct device *device, const struct transport_traits *transport)
{
	(void)transport;
	log_error("--inline_recv on %s needs infiniband/mlx5dv.h, without which this program was built\ninstall "
		  "libibverbs-dev (Debian) or rdma-core-devel (Fedora) on an architecture that has it, and rebuild it",
		  device->name);
	return -EOPNOTSUPP;
}

/* Nothing is created after that. */
const struct inline_recv_ops inline_recv_ops = {.check = absent_check};
