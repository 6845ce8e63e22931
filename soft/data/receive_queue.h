/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Receive queues. See receive_queue.c. */
#pragma once

#include "host/core.h"

/* Opened and closed with soft_self.lock held. */
int soft_receive_open(struct receive_queue *queue, uint32_t depth, uint32_t max_sge, uint32_t pd, bool is_shared);
void soft_receive_close(struct receive_queue *queue);
/* Drops all posted requests. */
void soft_receive_clear(struct receive_queue *queue);
/* Completes requests posted to the queue pair's own queue with WR_FLUSH_ERR. False: later, see soft_service_lock(). */
bool soft_receive_flush(struct core_qp *qp);
/*
 * The queue's lock or soft_self.lock is held: a thread that moves the queue to another row, or returns a request, has
 * both.
 */
void soft_receive_flush_locked(struct core_qp *qp);
/* Number of requests posted and not consumed. */
uint32_t soft_receive_count(const struct receive_queue *queue);
/*
 * For a shared queue: an event is due once fewer requests than `limit` are posted; *is_reached: already now. 0: no
 * limit.
 */
int soft_receive_limit(struct receive_queue *queue, uint32_t limit, bool *is_reached);
/* -EINVAL: more than `depth` are outstanding. */
int soft_receive_resize(struct receive_queue *queue, uint32_t depth);
