/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Receive queues. See receive_queue.c. */
#pragma once

#include "host/core.h"

/* Opened and closed with soft_self.lock held; closed after soft_receive_settle(). */
int soft_receive_open(struct receive_queue *queue, uint32_t depth, uint32_t max_sge, uint32_t pd, bool is_shared);
void soft_receive_close(struct receive_queue *queue);
/* Waits until the initiator that uses the queue is done, unless it is stopped. */
void soft_receive_settle(struct receive_queue *queue);
/* Releases the lock if a dead initiator held it; waits for another thread that does until then (soft_monotonic_ms). */
void soft_receive_repair(struct receive_queue *queue, uint32_t instance, int64_t until);
/* Drops all posted requests. The queue may have another index afterwards: a stopped process has kept its row. */
void soft_receive_clear(struct receive_queue *queue);
/*
 * Completes requests posted to the queue pair's own queue with WR_FLUSH_ERR. False: a process uses that queue or the
 * completion queue, perhaps a stopped one: the caller has to try again.
 */
bool soft_receive_flush(struct core_qp *qp);
bool soft_receive_flush_locked(struct core_qp *qp); /* the queue is locked, and its own */
/*
 * For a shared queue: an event is due once fewer requests than `limit` are posted; *is_reached: already now. 0: no
 * limit. -EBUSY, also of the next: a stopped process uses the queue.
 */
int soft_receive_limit(struct receive_queue *queue, uint32_t limit, bool *is_reached);
/* -EINVAL: more than `depth` are outstanding. */
int soft_receive_resize(struct receive_queue *queue, uint32_t depth);

static inline struct receive *soft_receive_entry(const struct receive_queue *queue, uint32_t index)
{
	return (struct receive *)(queue->ring + ((uint64_t)(index & queue->mask) << queue->shift));
}
