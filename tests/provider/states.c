// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Would the kernel take a queue pair to that state? Its core and its drivers refuse an attribute that is missing, and
 * one that does not belong there. Facts: Linux 6.12, drivers/infiniband: qp_state_table and modify_qp() of core,
 * modify_dci_qp_is_ok(), mlx5_ib_modify_dct() and validate_rd_atomic() of hw/mlx5, srd_qp_state_table of hw/efa.
 */
#include <infiniband/verbs.h>

#include "rig.h"

#define PLACE	   (IBV_QP_PKEY_INDEX | IBV_QP_PORT)
#define PATH	   (IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)
#define ANSWERS	   (IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define ASKS	   (IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC)
#define RTR_CHANGE (IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX)
#define RTS_CHANGE (IBV_QP_CUR_STATE | IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PATH_MIG_STATE)

struct attributes {
	uint32_t needed, allowed;
};

/* To INIT, RTR and RTS, each from the state before it. */
static const struct {
	uint32_t type;
	bool has_rts;
	struct attributes init, rtr, rts;
} rows[] = {
	{IBV_QPT_RC,
	 true,
	 {PLACE | IBV_QP_ACCESS_FLAGS, 0},
	 {PATH | ANSWERS, RTR_CHANGE},
	 {ASKS | IBV_QP_SQ_PSN, RTS_CHANGE | IBV_QP_MIN_RNR_TIMER}},
	{IBV_QPT_UC, true, {PLACE | IBV_QP_ACCESS_FLAGS, 0}, {PATH, RTR_CHANGE}, {IBV_QP_SQ_PSN, RTS_CHANGE}},
	{IBV_QPT_UD,
	 true,
	 {PLACE | IBV_QP_QKEY, 0},
	 {0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY},
	 {IBV_QP_SQ_PSN, IBV_QP_CUR_STATE | IBV_QP_QKEY}},
	{IBV_QPT_XRC_SEND,
	 true,
	 {PLACE | IBV_QP_ACCESS_FLAGS, 0},
	 {PATH, RTR_CHANGE},
	 {ASKS | IBV_QP_SQ_PSN, RTS_CHANGE}},
	{IBV_QPT_XRC_RECV,
	 true,
	 {PLACE | IBV_QP_ACCESS_FLAGS, 0},
	 {PATH | ANSWERS, RTR_CHANGE},
	 {IBV_QP_TIMEOUT | IBV_QP_SQ_PSN, RTS_CHANGE | IBV_QP_MIN_RNR_TIMER}},
	{IBV_QPT_RAW_PACKET, true, {IBV_QP_PORT, 0}, {0, 0}, {0, IBV_QP_RATE_LIMIT}},
	{RIG_SRD,
	 true,
	 {PLACE | IBV_QP_QKEY, 0},
	 {0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY},
	 {IBV_QP_SQ_PSN, IBV_QP_CUR_STATE | IBV_QP_QKEY | IBV_QP_RNR_RETRY}},
	{RIG_DCI,
	 true,
	 {PLACE, 0},
	 {IBV_QP_PATH_MTU, IBV_QP_PKEY_INDEX | IBV_QP_AV},
	 {ASKS | IBV_QP_SQ_PSN, IBV_QP_MIN_RNR_TIMER}},
	{RIG_DCT,
	 false,
	 {PLACE | IBV_QP_ACCESS_FLAGS, 0},
	 {IBV_QP_MIN_RNR_TIMER | IBV_QP_AV | IBV_QP_PATH_MTU, 0},
	 {0, 0}},
};

static bool are_right(struct attributes attributes, uint32_t mask)
{
	return (mask & attributes.needed) == attributes.needed &&
	       !(mask & ~(attributes.needed | attributes.allowed | IBV_QP_STATE));
}

static bool step_is_right(const struct rig_qp *qp, uint32_t mask, uint32_t state)
{
	size_t i = 0;

	if (state == IBV_QPS_RESET || state == IBV_QPS_ERR)
		return true;
	while (i < sizeof(rows) / sizeof(rows[0]) && rows[i].type != qp->steps)
		i++;
	if (i == sizeof(rows) / sizeof(rows[0]))
		return false;
	if (qp->state == IBV_QPS_RESET && state == IBV_QPS_INIT)
		return are_right(rows[i].init, mask);
	if (qp->state == IBV_QPS_INIT && state == IBV_QPS_RTR)
		return are_right(rows[i].rtr, mask);
	/* In RTS what is allowed may be changed, as the rate of frames. */
	if (qp->state == IBV_QPS_RTS && state == IBV_QPS_RTS)
		return are_right((struct attributes){0, rows[i].rts.allowed}, mask);
	return rows[i].has_rts && qp->state == IBV_QPS_RTR && state == IBV_QPS_RTS && are_right(rows[i].rts, mask);
}

bool states_accept(const struct rig_qp *qp, const struct ib_uverbs_modify_qp *in,
		   const struct ib_uverbs_query_device_resp *limits)
{
	const uint32_t mask = in->attr_mask;

	/* The kernel's rdma_cm moves those of iWARP, with attributes of its own. */
	if (rig_is_iwarp())
		return true;
	if (!step_is_right(qp, mask, mask & IBV_QP_STATE ? in->qp_state : qp->state))
		return false;
	if (mask & IBV_QP_PORT && in->port_num != 1)
		return false;
	if (mask & IBV_QP_PKEY_INDEX && in->pkey_index)
		return false;
	if (mask & IBV_QP_AV && (in->dest.port_num != 1 || (rig_roce && !in->dest.is_global)))
		return false;
	if (mask & IBV_QP_PATH_MTU && (in->path_mtu < IBV_MTU_256 || in->path_mtu > IBV_MTU_4096))
		return false;
	return !(mask & IBV_QP_MAX_QP_RD_ATOMIC && in->max_rd_atomic > limits->max_qp_init_rd_atom) &&
	       !(mask & IBV_QP_MAX_DEST_RD_ATOMIC && in->max_dest_rd_atomic > limits->max_qp_rd_atom);
}
