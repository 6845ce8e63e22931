/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What stands in for posting and polling with a profile, which refuses some requests (post.c), and in null mode
 * (null.c). */
#pragma once

#include <infiniband/verbs.h>

int soft_profile_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr);
int soft_profile_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);
int soft_null_poll_cq(struct ibv_cq *cq, int count, struct ibv_wc *wc);
int soft_null_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr);
int soft_null_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);
