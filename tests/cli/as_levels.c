// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * In front of efadv_create_qp_ex(): says of which service level a queue pair is to be, in the 8 bits that rdma-core has
 * for it since 55. With LACKS=levels it is an older library, to which they are reserved.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>

#include "in_front.h"

#define LEVEL_AT 14

struct ibv_qp *efadv_create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr, void *efa,
				  uint32_t size)
{
	const uint8_t level = ((const uint8_t *)efa)[LEVEL_AT];

	NEXT(efadv_create_qp_ex);
	if (level && getenv("LACKS")) {
		errno = EINVAL;
		return NULL;
	}
	fprintf(stderr, "a queue pair of service level %u\n", level);
	return next(context, attr, efa, size);
}
