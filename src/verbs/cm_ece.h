/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What can both devices of a connection beyond the specification? Enhanced connection establishment (ECE): a request of
 * rdma_cm carries the options of one vendor's device, the answer those that both have, and each queue pair is told
 * before it is ready to receive. As rdma_create_qp(3) does it, for queue pairs that are made without it:
 * ibv_query_ece(3), rdma_set_local_ece(3). A device that has none, or a peer of another vendor, changes nothing. Called
 * by cm_connect.c.
 */
#ifndef VERBS_CM_ECE_H
#define VERBS_CM_ECE_H

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>

/* With the next request, or answer: what the queue pair has. 0 or -errno, not reported. */
int cm_ece_tell(struct rdma_cm_id *id, struct ibv_qp *qp);
/*
 * What the peer's request, or answer, has said; before ready-to-receive. *taken: the queue pair was told; otherwise it
 * said nothing that means anything here.
 */
int cm_ece_heed(struct rdma_cm_id *id, struct ibv_qp *qp, bool *taken);
/* Of what it was told, that which the queue pair has: a device may say so only when it is ready to receive (mlx5). */
int cm_ece_agreed(struct ibv_qp *qp, struct ibv_ece *agreed);

#endif
