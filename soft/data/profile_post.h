/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* soft_post_send() and soft_post_recv() of profiles (host/profile.h). */
#pragma once

#include <infiniband/verbs.h>

int soft_profile_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr);
int soft_profile_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad_wr);
