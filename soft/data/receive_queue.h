/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where do receive requests wait for a message? See receive_queue.c. */
#ifndef SOFT_RECEIVE_QUEUE_H
#define SOFT_RECEIVE_QUEUE_H

#include "host/core.h"

int soft_receive_open(struct core_qp *qp, uint32_t depth, uint32_t max_sge);
void soft_receive_close(struct receive_queue *queue);
bool soft_receive_settle(struct core_qp *qp); /* whoever was in it is out; false: he does not come out */
void soft_receive_cut(struct core_qp *qp);    /* goes on without him */
void soft_receive_clear(struct core_qp *qp);  /* what is posted is forgotten */
void soft_receive_flush(struct core_qp *qp);  /* what is posted completes with WR_FLUSH_ERR */
void soft_receive_repair(struct core_qp *qp, uint32_t instance); /* frees what a dead initiator held, if it did */

#endif
