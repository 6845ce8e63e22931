/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * --unsolicited_write: RDMA WRITE with immediate data whose completion at the target uses up no receive, which EFA has.
 * Loops post a receive for each that is used up, and count those that wait: here that keeps nothing.
 */
#ifndef VERBS_UNSOLICITED_H
#define VERBS_UNSOLICITED_H

#include <infiniband/verbs.h>

/* For ibv_post_recv() alone, which takes all and keeps nothing. */
struct ibv_qp *unsolicited_receives(void);

#endif
