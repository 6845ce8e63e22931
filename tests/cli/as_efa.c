// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * In front of efadv_create_qp_ex(): says which flags and service level a queue pair is to have. With LACKS=both it is
 * an older library, to which they are reserved. In front of efadv_query_device(): with RECEIVES=N that many fit into a
 * receive queue.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <infiniband/efadv.h>
#include <stdio.h>
#include <stdlib.h>

#include "in_front.h"

#define FLAGS_AT 12 /* 16 bits, of which none in the upper half is known */
#define LEVEL_AT 14

int efadv_query_device(struct ibv_context *context, struct efadv_device_attr *attr, uint32_t size)
{
	const char *receives = getenv("RECEIVES");
	int err;

	NEXT(efadv_query_device);
	err = next(context, attr, size);
	if (!err && receives)
		attr->max_rq_wr = (uint32_t)atoi(receives);
	return err;
}

struct ibv_qp *efadv_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr,
				  struct efadv_qp_init_attr *efa, uint32_t size)
{
	const uint8_t flags = ((const uint8_t *)efa)[FLAGS_AT], level = ((const uint8_t *)efa)[LEVEL_AT];

	NEXT(efadv_create_qp_ex);
	if ((flags || level) && getenv("LACKS")) {
		errno = EINVAL;
		return NULL;
	}
	fprintf(stderr, "a queue pair with flags 0x%x, service level %u\n", flags, level);
	return next(context, attr, efa, size);
}
