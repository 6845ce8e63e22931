// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --use-null-mr. See kinds.h. The device never accesses the host memory of such a buffer. */
#include "memory/kinds.h"

#include <infiniband/verbs.h>

/* Drivers only fill in the lkey; it is used as the rkey as well, as in linux-rdma perftest. */
static struct ibv_mr *null_region_register(const struct buffer *buffer, struct ibv_pd *pd, unsigned access)
{
	struct ibv_mr *mr = ibv_alloc_null_mr(pd);

	(void)buffer;
	(void)access;
	if (mr && !mr->rkey)
		mr->rkey = mr->lkey;
	return mr;
}

const struct memory_ops memory_null_region = {
	.name = "null",
	.alloc = memory_host_alloc,
	.free = memory_host_free,
	.copy = memory_host_copy,
	.register_mr = null_region_register,
};
