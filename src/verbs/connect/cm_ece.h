/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Enhanced connection establishment (ECE): negotiates vendor-specific features of a connection. The rdma_cm request
 * carries the options of the initiator's device, the reply those that both devices support, and each QP is configured
 * with them before RTR. This is what rdma_create_qp(3) does, for QPs that were created without it: ibv_query_ece(3),
 * rdma_set_local_ece(3). Nothing changes if a device has no ECE or the peer's vendor differs. Called by cm_connect.c.
 */
#pragma once

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>

/* Adds the QP's options to the next request or reply. 0 or -errno, not reported. */
int cm_ece_offer(struct rdma_cm_id *id, struct ibv_qp *qp);
/*
 * Applies the options of the peer's request or reply; to be called before RTR. *taken: the QP was configured with them;
 * false if they mean nothing to this device.
 */
int cm_ece_apply(struct rdma_cm_id *id, struct ibv_qp *qp, bool *taken);
/* The options that the QP has accepted. Some devices know them only in RTR (mlx5). */
int cm_ece_agreed(struct ibv_qp *qp, struct ibv_ece *agreed);
