/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* soft_post_send(), soft_post_recv() and soft_poll_cq() of profiles (host/profile.h). */
#ifndef SOFT_PROFILE_POST_H
#define SOFT_PROFILE_POST_H

#include <infiniband/verbs.h>
#include <stdbool.h>

/* False: this process's profile refuses none, and the plain calls are as good. */
bool soft_profile_checks_posts(void);
int soft_profile_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr);
int soft_profile_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);
/* Of a device whose messages arrive in no order. */
int soft_profile_poll_cq(struct ibv_cq *cq, int count, struct ibv_wc *wc);

#endif
