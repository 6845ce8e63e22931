/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests that cannot be executed yet, in order. See retry_queue.c. The send queue is locked. */
#pragma once

#include "host/core.h"

int soft_retry_queue_add(struct core_qp *qp, const struct ibv_send_wr *wr, uint32_t position, int reason);
/* The position of a request that lets the next one overtake it, once; NULL: none does. */
uint32_t *soft_retry_queue_yield(struct core_qp *qp);
void soft_retry_queue_advance(struct core_qp *qp); /* waiting requests may be ready */
void soft_retry_queue_flush(struct core_qp *qp);   /* they complete with WR_FLUSH_ERR */
void soft_retry_queue_drop(struct core_qp *qp);
void soft_retry_queue_free(struct core_qp *qp);
void soft_retry_queue_attend(struct core_qp *qp); /* any polling thread then lets it advance; any lock may be held */
/* No queue is locked: */
void soft_retry_queue_forget(struct core_qp *qp);
void soft_retry_queue_progress(void); /* for every queue pair that has some */
uint64_t soft_retry_queue_progress_count(void);
void soft_retry_queue_reset(void); /* in a forked child */
extern pthread_mutex_t soft_retry_queue_lock SOFT_HIDDEN;
extern uint32_t soft_retry_queue_count SOFT_HIDDEN; /* queue pairs that may advance */
