/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The row by which initiators find a receive queue, and its ring. See receive_row.c. */
#pragma once

#include "host/core.h"

/* log2, rounded up. */
uint32_t soft_receive_shift(uint64_t value);
/* A new generation: completions with an earlier one are not returned to the program. */
uint32_t soft_receive_generation(void);
/* Allocates a new row and ring. soft_self.lock is held. */
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
