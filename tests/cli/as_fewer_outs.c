// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Interposes ibv_query_qp(): a queue pair keeps one READ or atomic less in flight than it was given, as ionic's. */
#include "as_vendor.c"

int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init)
{
	int err;

	NEXT(ibv_query_qp);
	err = next(qp, attr, mask, init);
	if (!err && mask & IBV_QP_MAX_QP_RD_ATOMIC && attr->max_rd_atomic)
		attr->max_rd_atomic--;
	return err;
}
