// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Allowed state transitions of a queue pair, and their attributes: one table, after the InfiniBand Architecture
 * Specification, 11.2.5.2 and its table 91; every state may go to RESET and to ERR. Called by qp_modify.c.
 */
#include "objects/objects.h"

#include "host/identity.h"
#include "host/profile.h"

struct attributes {
	int required;
	int optional;
};

struct transition {
	enum ibv_qp_state from;
	enum ibv_qp_state to;
	uint32_t types; /* QP_*, to which it applies */
	struct attributes attributes;
};

#define CONNECTED	   (QP_RC | QP_UC | QP_XRC)
#define ALL_TYPES	   (CONNECTED | QP_UD | QP_RAW | QP_SRD)
#define PATH_OF_CONNECTION (IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)
#define RUNNING_UC	   (IBV_QP_CUR_STATE | IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PATH_MIG_STATE)
#define RUNNING_RC	   (RUNNING_UC | IBV_QP_MIN_RNR_TIMER)
#define RUNNING_UD	   (IBV_QP_CUR_STATE | IBV_QP_QKEY)
#define INIT_CONNECTED	   (IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)
#define INIT_DCI	   (IBV_QP_PKEY_INDEX | IBV_QP_PORT)
#define INIT_UD		   (IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY)
#define DRAINED_UC	   (IBV_QP_AV | IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | IBV_QP_PATH_MIG_STATE)
#define DRAINED_RC                                                                                                     \
	(DRAINED_UC | IBV_QP_PORT | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC |   \
	 IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)

/* clang-format off */
static const struct transition transitions[] = {
	{IBV_QPS_RESET, IBV_QPS_INIT, CONNECTED, {INIT_CONNECTED, 0}},
	{IBV_QPS_RESET, IBV_QPS_INIT, QP_UD | QP_SRD, {INIT_UD, 0}},
	{IBV_QPS_RESET, IBV_QPS_INIT, QP_RAW, {IBV_QP_PORT, 0}},
	{IBV_QPS_INIT, IBV_QPS_INIT, CONNECTED, {0, INIT_CONNECTED}},
	{IBV_QPS_INIT, IBV_QPS_INIT, QP_UD | QP_SRD, {0, INIT_UD}},
	{IBV_QPS_INIT, IBV_QPS_RTR, QP_RC | QP_XRC_RECV,
	 {PATH_OF_CONNECTION | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
	  IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX}},
	{IBV_QPS_INIT, IBV_QPS_RTR, QP_UC | QP_XRC_SEND,
	 {PATH_OF_CONNECTION, IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX}},
	{IBV_QPS_INIT, IBV_QPS_INIT, QP_RAW, {0, IBV_QP_PORT}},
	{IBV_QPS_INIT, IBV_QPS_RTR, QP_RAW, {0, 0}},
	{IBV_QPS_RTR, IBV_QPS_RTS, QP_RAW, {0, IBV_QP_CUR_STATE}},
	{IBV_QPS_RTS, IBV_QPS_RTS, QP_RAW, {0, IBV_QP_CUR_STATE}},
	{IBV_QPS_SQD, IBV_QPS_RTS, QP_RAW, {0, IBV_QP_CUR_STATE}},
	{IBV_QPS_SQE, IBV_QPS_RTS, QP_RAW, {0, IBV_QP_CUR_STATE}},
	{IBV_QPS_INIT, IBV_QPS_RTR, QP_UD | QP_SRD, {0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY}},
	{IBV_QPS_RTR, IBV_QPS_RTS, QP_RC | QP_XRC_SEND,
	 {IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC, RUNNING_RC}},
	{IBV_QPS_RTR, IBV_QPS_RTS, QP_XRC_RECV, {IBV_QP_TIMEOUT | IBV_QP_SQ_PSN, RUNNING_RC}},
	{IBV_QPS_RTR, IBV_QPS_RTS, QP_UC, {IBV_QP_SQ_PSN, RUNNING_UC}},
	{IBV_QPS_RTR, IBV_QPS_RTS, QP_UD, {IBV_QP_SQ_PSN, RUNNING_UD}},
	{IBV_QPS_RTR, IBV_QPS_RTS, QP_SRD, {IBV_QP_SQ_PSN, RUNNING_UD | IBV_QP_RNR_RETRY}},
	{IBV_QPS_RTS, IBV_QPS_RTS, QP_RC | QP_XRC, {0, RUNNING_RC}},
	{IBV_QPS_RTS, IBV_QPS_RTS, QP_UC, {0, RUNNING_UC}},
	{IBV_QPS_RTS, IBV_QPS_RTS, QP_UD | QP_SRD, {0, RUNNING_UD}},
	{IBV_QPS_RTS, IBV_QPS_SQD, ALL_TYPES, {0, IBV_QP_EN_SQD_ASYNC_NOTIFY}},
	{IBV_QPS_SQD, IBV_QPS_RTS, QP_RC | QP_XRC, {0, RUNNING_RC}},
	{IBV_QPS_SQD, IBV_QPS_RTS, QP_UC, {0, RUNNING_UC}},
	{IBV_QPS_SQD, IBV_QPS_RTS, QP_UD | QP_SRD, {0, RUNNING_UD}},
	{IBV_QPS_SQD, IBV_QPS_SQD, QP_RC | QP_XRC, {0, DRAINED_RC}},
	{IBV_QPS_SQD, IBV_QPS_SQD, QP_UC, {0, DRAINED_UC}},
	{IBV_QPS_SQD, IBV_QPS_SQD, QP_UD | QP_SRD, {0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY}},
	{IBV_QPS_SQE, IBV_QPS_RTS, QP_UC, {0, IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS}},
	{IBV_QPS_SQE, IBV_QPS_RTS, QP_UD | QP_SRD, {0, RUNNING_UD}},
	/* As in the kernel's mlx5 driver. */
	{IBV_QPS_RESET, IBV_QPS_INIT, QP_DCI, {INIT_DCI, 0}},
	{IBV_QPS_RESET, IBV_QPS_INIT, QP_DCT, {INIT_CONNECTED, 0}},
	{IBV_QPS_INIT, IBV_QPS_INIT, QP_DCI, {0, INIT_DCI}},
	{IBV_QPS_INIT, IBV_QPS_RTR, QP_DCI, {IBV_QP_PATH_MTU, IBV_QP_PKEY_INDEX | IBV_QP_AV}},
	{IBV_QPS_INIT, IBV_QPS_RTR, QP_DCT, {IBV_QP_MIN_RNR_TIMER | IBV_QP_AV | IBV_QP_PATH_MTU, 0}},
	{IBV_QPS_RTR, IBV_QPS_RTS, QP_DCI,
	 {IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_SQ_PSN,
	  IBV_QP_MIN_RNR_TIMER}},
	{IBV_QPS_RTS, IBV_QPS_RTS, QP_DCI, {0, IBV_QP_MIN_RNR_TIMER}},
};
/* clang-format on */

int soft_qp_state_check(uint32_t type, enum ibv_qp_state from, enum ibv_qp_state to, int mask)
{
	int given = mask & ~IBV_QP_STATE;

	if (to == IBV_QPS_RESET || to == IBV_QPS_ERR)
		return given & ~IBV_QP_CUR_STATE ? -EINVAL : 0;
	for (size_t i = 0; i < sizeof(transitions) / sizeof(transitions[0]); i++) {
		const struct transition *row = &transitions[i];

		if (row->from != from || row->to != to || !(row->types & type))
			continue;
		if ((given & row->attributes.required) != row->attributes.required)
			return -EINVAL;
		return given & ~(row->attributes.required | row->attributes.optional) ? -EINVAL : 0;
	}
	return -EINVAL;
}

static bool address_is_valid(struct ibv_context *context, const struct ibv_ah_attr *attr)
{
	union ibv_gid gid;

	if (!soft_has_port(attr->port_num))
		return false;
	if (soft_profile()->has_no_path)
		return true;
	return attr->is_global && soft_query_gid(context, attr->port_num, attr->grh.sgid_index, &gid) == 0;
}

int soft_qp_attr_check(struct ibv_context *context, const struct ibv_qp_attr *attr, int mask)
{
	/* 0: it has no such attributes, and ignores them. */
	const uint32_t most = soft_profile()->max_rd_atomic ? soft_profile()->max_rd_atomic : UINT8_MAX;

	if ((mask & IBV_QP_PORT && !soft_has_port(attr->port_num)) ||
	    (mask & IBV_QP_PKEY_INDEX && attr->pkey_index != 0) ||
	    (mask & IBV_QP_AV && !address_is_valid(context, &attr->ah_attr)) ||
	    (mask & IBV_QP_PATH_MTU && (attr->path_mtu < IBV_MTU_256 || attr->path_mtu > IBV_MTU_4096)) ||
	    (mask & IBV_QP_MAX_QP_RD_ATOMIC && attr->max_rd_atomic > most) ||
	    (mask & IBV_QP_MAX_DEST_RD_ATOMIC && attr->max_dest_rd_atomic > most) ||
	    (mask & IBV_QP_TIMEOUT && attr->timeout > 31) || (mask & IBV_QP_RETRY_CNT && attr->retry_cnt > 7) ||
	    (mask & IBV_QP_RNR_RETRY && attr->rnr_retry > 7) ||
	    (mask & IBV_QP_MIN_RNR_TIMER && attr->min_rnr_timer > 31) ||
	    (mask & IBV_QP_DEST_QPN && attr->dest_qp_num > 0xffffff) ||
	    (mask & (IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE)))
		return -EINVAL;
	return 0;
}
