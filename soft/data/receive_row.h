/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The row that initiators know a receive queue by, and its ring. See receive_row.c. */
#ifndef SOFT_RECEIVE_ROW_H
#define SOFT_RECEIVE_ROW_H

#include "host/core.h"

/* Of the smallest power of two that is not below. */
uint32_t soft_receive_shift(uint64_t value);
/* Completions of the queue as it was before are of another generation, and are not shown. */
uint32_t soft_receive_generation(void);
/* A fresh row and ring. soft_self.lock held. */
int soft_receive_row_open(struct receive_queue *queue);
void soft_receive_ring_give(const struct receive_queue *queue);

static inline uint64_t soft_receive_ring_size(const struct receive_queue *queue)
{
	return (queue->mask + 1ull) << queue->shift;
}

static inline struct receive *soft_receive_entry(const struct receive_queue *queue, uint32_t index)
{
	return (struct receive *)(queue->ring + ((uint64_t)(index & queue->mask) << queue->shift));
}

#endif
