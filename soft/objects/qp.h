/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What happens to queue pairs that no verb did? See qp.c. */
#ifndef SOFT_QP_H
#define SOFT_QP_H

#include "host/core.h"

extern struct soft_peer soft_nobody SOFT_HIDDEN; /* where queue pairs are connected whose peer does not exist */
void soft_qp_error(struct core_qp *qp);		 /* to ERR, both queues flushed; send queue locked */
void soft_qp_notice(uint32_t qpn, uint32_t kind, uint32_t event); /* what an initiator did to ours */
void soft_qp_peer_died(struct soft_peer *peer);			  /* fails what is connected to it */

#endif
