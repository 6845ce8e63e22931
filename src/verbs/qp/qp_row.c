// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * All QP types, one row each. The attributes of each transition are from the InfiniBand Architecture Specification 1.3,
 * table 95, and for providers' QP types from the tables of their kernel drivers.
 */
#include "verbs/qp/qp_row.h"

#include "verbs/resources.h"

#define TO_INIT	 (IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT)
#define TO_RTR	 (IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)
#define RESPONDS (IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define TO_RTS	 (IBV_QP_STATE | IBV_QP_SQ_PSN)
#define REPEATS	 (IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC)
#define SENDS	 true
#define DRIVER	 IBV_QPT_DRIVER

/* clang-format off */
/* Type; does it send and receive; the attributes of INIT, RTR and RTS; inline bytes of a latency test. */
const struct qp_steps qp_rows[QP_KIND_COUNT] = {
	[QP_KIND_RC] = {IBV_QPT_RC, SENDS, QP_RECEIVES_OWN, TO_INIT | IBV_QP_ACCESS_FLAGS, TO_RTR | RESPONDS,
		TO_RTS | REPEATS, 236},
	[QP_KIND_UC] = {IBV_QPT_UC, SENDS, QP_RECEIVES_OWN, TO_INIT | IBV_QP_ACCESS_FLAGS, TO_RTR, TO_RTS, 236},
	[QP_KIND_UD] = {IBV_QPT_UD, SENDS, QP_RECEIVES_OWN, TO_INIT | IBV_QP_QKEY, IBV_QP_STATE, TO_RTS, 188},
	[QP_KIND_RAW_PACKET] = {IBV_QPT_RAW_PACKET, SENDS, QP_RECEIVES_OWN, IBV_QP_STATE | IBV_QP_PORT, IBV_QP_STATE,
		IBV_QP_STATE, 236},
	[QP_KIND_XRC_SEND] = {IBV_QPT_XRC_SEND, SENDS, QP_RECEIVES_NONE, TO_INIT | IBV_QP_ACCESS_FLAGS, TO_RTR,
		TO_RTS | REPEATS, 236},
	[QP_KIND_XRC_RECV] = {IBV_QPT_XRC_RECV, !SENDS, QP_RECEIVES_OF_DOMAIN, TO_INIT | IBV_QP_ACCESS_FLAGS,
		TO_RTR | RESPONDS, TO_RTS | IBV_QP_TIMEOUT, 0},
	[QP_KIND_DCI] = {DRIVER, SENDS, QP_RECEIVES_NONE, TO_INIT, IBV_QP_STATE | IBV_QP_PATH_MTU | IBV_QP_AV,
		TO_RTS | REPEATS, 150},
	[QP_KIND_DCT] = {DRIVER, !SENDS, QP_RECEIVES_OF_SRQ, TO_INIT | IBV_QP_ACCESS_FLAGS,
		IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_MIN_RNR_TIMER, 0, 0},
	[QP_KIND_SRD] = {DRIVER, SENDS, QP_RECEIVES_OWN, TO_INIT | IBV_QP_QKEY, IBV_QP_STATE, TO_RTS, 32},
};
/* clang-format on */

enum qp_kind qp_kind_of(const struct resources *resources, unsigned endpoint)
{
	const struct traffic *traffic = &resources->traffic;
	const bool is_target = endpoint >= resources->num_qps || (!traffic->posts && !traffic->splits);

	return is_target ? traffic->transport->target_qp : traffic->transport->initiator_qp;
}
