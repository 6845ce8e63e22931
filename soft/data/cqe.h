/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ring of completions that initiators store into. See cqe.c. */
#ifndef SOFT_CQE_H
#define SOFT_CQE_H

#include "host/core.h"

#define STATUS_VOID 0xffff /* of a queue pair that is gone: not shown */

void soft_cq_report_overrun(struct core_cq *cq);
/* False: the queue can't be had now, or its process is dead. One that is full takes it, and says so to its owner. */
bool soft_cqe_push(struct soft_peer *peer, uint32_t cq_index, const struct cqe *completion, bool is_solicited);
void soft_cqe_push_own(struct core_cq *cq, const struct cqe *completion); /* always; wakes every sleeper */
void soft_cq_purge(struct core_cq *cq, struct core_qp *qp); /* of its sends; receives go by their generation */
void soft_cq_carry_over(struct core_qp *qp, uint32_t before, uint32_t taken);
uint32_t soft_cq_received(struct core_qp *qp); /* receives of it that have completed, polled or not */
/* Frees what a dead producer held of a struct core_cq, if it did. */
void soft_cq_repair(void *cq, uint32_t instance);

#endif
