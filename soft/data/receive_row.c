// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The row and the ring of a receive queue in the control file. Separate from the queue, which continues with another
 * row when a process stops with its lock.
 */
#include "config.h"

#include "data/receive_row.h"

#include "host/ring_alloc.h"

uint32_t soft_receive_shift(uint64_t value)
{
	uint32_t shift = 0;

	while (1ull << shift < value)
		shift++;
	return shift;
}

uint32_t soft_receive_generation(void)
{
	static uint32_t last;

	return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

int soft_receive_row_open(struct receive_queue *queue)
{
	uint64_t offset;
	int err = soft_ring_take(soft_receive_ring_size(queue), &offset);

	if (err)
		return err;
	/* Rows left to stopped processes are never reused. */
	err = soft_index_find(soft_self.rqs, 0, LAYOUT_RQ_COUNT, &soft_self.rq_next, &queue->index);
	if (err) {
		soft_ring_give(offset, soft_receive_ring_size(queue));
		return err;
	}
	soft_self.rqs[queue->index] = queue;
	queue->row = &soft_self.rq_rows[queue->index];
	queue->ring = soft_self.control + offset;
	queue->generation = soft_receive_generation();
	*queue->row = (struct rq_row){.mask = queue->mask,
				      .shift = queue->shift,
				      .generation = queue->generation,
				      .pd = queue->pd,
				      .is_shared = queue->is_shared,
				      .ring = offset};
	return 0;
}

void soft_receive_ring_give(const struct receive_queue *queue)
{
	soft_ring_give((uint64_t)(queue->ring - soft_self.control), soft_receive_ring_size(queue));
}
