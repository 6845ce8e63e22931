// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Options of enhanced connection establishment (ECE), with which adapters of one vendor negotiate features outside the
 * specification. Here a single option represents all of them and has no effect, except to show what programs and
 * rdma_cm exchange. Called through export.c.
 */
#include <errno.h>

#include "abi/abi.h"

#define ECE_OPTIONS 1u /* the supported options */

/* Only connected queue pairs have options, which take effect when the connection is established. */
static bool takes_options(const struct ibv_qp *qp)
{
	return qp->state == IBV_QPS_RESET || qp->state == IBV_QPS_INIT;
}

static bool is_connected(const struct ibv_qp *qp)
{
	return qp->qp_type == IBV_QPT_RC || qp->qp_type == IBV_QPT_UC || qp->qp_type == IBV_QPT_XRC_SEND ||
	       qp->qp_type == IBV_QPT_XRC_RECV;
}

int soft_query_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	const struct soft_qp *soft = (const struct soft_qp *)qp;

	if (!is_connected(qp))
		return EOPNOTSUPP;
	*ece = (struct ibv_ece){.vendor_id = SOFT_VENDOR_ID, .options = ECE_OPTIONS & ~soft->ece_without};
	return 0;
}

int soft_set_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	struct soft_qp *soft = (struct soft_qp *)qp;

	if (!is_connected(qp))
		return EOPNOTSUPP;
	if (ece->comp_mask || ece->vendor_id != SOFT_VENDOR_ID || !takes_options(qp))
		return EINVAL;
	soft->ece_without = ~ece->options;
	return 0;
}
