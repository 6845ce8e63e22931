// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Interposes ibv_query_qp_data_in_order(), and the vendor: its answer is ORDER, with
 * IBV_QUERY_QP_DATA_IN_ORDER_RETURN_CAPS. With TARGET only that of a DC target is, which is in RTR.
 */
#include "as_vendor.c"

int ibv_query_qp_data_in_order(struct ibv_qp *qp, enum ibv_wr_opcode op, uint32_t flags)
{
	const enum ibv_qp_state state = getenv("TARGET") ? IBV_QPS_RTR : IBV_QPS_RTS;
	const int order = atoi(getenv("ORDER"));

	return qp->state == state && op == IBV_WR_RDMA_WRITE ? flags ? order : order & 1 : 0;
}
