// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Interposes rdma_init_qp_attr(): packets of 256 bytes are the largest that the way to the peer carries. */
#define _GNU_SOURCE
#include <rdma/rdma_cma.h>

#include "in_front.h"

int rdma_init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *attr, int *mask)
{
	int err;

	NEXT(rdma_init_qp_attr);
	err = next(id, attr, mask);
	if (!err && *mask & IBV_QP_PATH_MTU)
		attr->path_mtu = IBV_MTU_256;
	return err;
}
