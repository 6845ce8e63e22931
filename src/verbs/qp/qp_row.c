// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * All QP types, one row each. The attributes of each transition are from the InfiniBand Architecture Specification 1.3,
 * table 95, and for providers' QP types from the tables of their kernel drivers.
 */
#include "verbs/qp/qp_row.h"

#include "verbs/resources.h"

const struct qp_steps qp_rows[QP_KIND_COUNT] = {
	[QP_KIND_RC] =
		{
			.type = IBV_QPT_RC,
			.sends = true,
			.init_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
			.rtr_mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				    IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
			.rts_mask = IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				    IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC,
			.inline_latency = 236,
		},
	[QP_KIND_UC] =
		{
			.type = IBV_QPT_UC,
			.sends = true,
			.init_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
			.rtr_mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN,
			.rts_mask = IBV_QP_STATE | IBV_QP_SQ_PSN,
			.inline_latency = 236,
		},
	[QP_KIND_UD] =
		{
			.type = IBV_QPT_UD,
			.sends = true,
			.init_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY,
			.rtr_mask = IBV_QP_STATE,
			.rts_mask = IBV_QP_STATE | IBV_QP_SQ_PSN,
			.inline_latency = 188,
		},
	[QP_KIND_RAW_PACKET] =
		{
			.type = IBV_QPT_RAW_PACKET,
			.sends = true,
			.init_mask = IBV_QP_STATE | IBV_QP_PORT,
			.rtr_mask = IBV_QP_STATE,
			.rts_mask = IBV_QP_STATE,
			.inline_latency = 236,
		},
	[QP_KIND_XRC_SEND] =
		{
			.type = IBV_QPT_XRC_SEND,
			.sends = true,
			.receives = QP_RECEIVES_NONE,
			.init_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
			.rtr_mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN,
			.rts_mask = IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				    IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC,
			.inline_latency = 236,
		},
	[QP_KIND_XRC_RECV] =
		{
			.type = IBV_QPT_XRC_RECV,
			.receives = QP_RECEIVES_OF_DOMAIN,
			.init_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
			.rtr_mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				    IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
			.rts_mask = IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT,
		},
	[QP_KIND_DCI] =
		{
			.type = IBV_QPT_DRIVER,
			.sends = true,
			.receives = QP_RECEIVES_NONE,
			.init_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT,
			.rtr_mask = IBV_QP_STATE | IBV_QP_PATH_MTU | IBV_QP_AV,
			.rts_mask = IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				    IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC,
			.inline_latency = 150,
		},
	[QP_KIND_DCT] =
		{
			.type = IBV_QPT_DRIVER,
			.receives = QP_RECEIVES_OF_SRQ,
			.init_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
			.rtr_mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_MIN_RNR_TIMER,
		},
	[QP_KIND_SRD] =
		{
			.type = IBV_QPT_DRIVER,
			.sends = true,
			.init_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY,
			.rtr_mask = IBV_QP_STATE,
			.rts_mask = IBV_QP_STATE | IBV_QP_SQ_PSN,
			.inline_latency = 32,
		},
};

enum qp_kind qp_kind_of(const struct resources *resources, unsigned endpoint)
{
	const struct traffic *traffic = &resources->traffic;
	const bool is_target = endpoint >= resources->num_qps || (!traffic->posts && !traffic->splits);

	return is_target ? traffic->transport->target_qp : traffic->transport->initiator_qp;
}
