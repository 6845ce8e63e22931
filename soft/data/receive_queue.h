/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where do receive requests wait for a message? See receive_queue.c. */
#ifndef SOFT_RECEIVE_QUEUE_H
#define SOFT_RECEIVE_QUEUE_H

#include "host/core.h"

/* Opened and closed with soft_self.lock held. */
int soft_receive_open(struct receive_queue *queue, uint32_t depth, uint32_t max_sge, uint32_t pd, bool is_shared);
void soft_receive_close(struct receive_queue *queue);
/* What is posted is forgotten. */
void soft_receive_clear(struct receive_queue *queue);
/* What is posted to the queue pair's own queue completes with WR_FLUSH_ERR. False: later, see soft_service_lock(). */
bool soft_receive_flush(struct core_qp *qp);
/* The queue's lock is held, or soft_self.lock: a thread that gives the queue another row or a request back has both. */
void soft_receive_flush_locked(struct core_qp *qp);
/* Requests that are posted and not taken. */
uint32_t soft_receive_count(const struct receive_queue *queue);
/* Of a shared queue: an event is due once fewer requests than `limit` are posted; *is_reached: at once. 0: none is. */
int soft_receive_limit(struct receive_queue *queue, uint32_t limit, bool *is_reached);
/* -EINVAL: more than `depth` are outstanding. */
int soft_receive_resize(struct receive_queue *queue, uint32_t depth);

#endif
