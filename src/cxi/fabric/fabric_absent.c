// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --provider in a build without libfabric's headers: open() refuses. */
#include <errno.h>

#include "cxi/ops.h"

static int absent_open(struct cxi_link *link, const struct cxi_place *place)
{
	return cxi_fault(link, -EOPNOTSUPP,
			 "--provider=%s: this program was built without libfabric's headers\ninstall libfabric-dev "
			 "(Debian) or libfabric-devel (Fedora), and rebuild it",
			 place->provider);
}

/* Only open() is called, and it always fails. */
const struct cxi_ops cxi_fabric_ops = {.name = "libfabric", .open = absent_open};
