/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --unsolicited_write: RDMA WRITE with immediate data whose completion at the target consumes no receive, a feature of
 * EFA. The loops replace each consumed receive and count the posted ones; here these receives are discarded.
 */
#pragma once

#include <infiniband/verbs.h>

/* Only for ibv_post_recv(), which accepts every receive and discards it. */
struct ibv_qp *unsolicited_receives(void);
