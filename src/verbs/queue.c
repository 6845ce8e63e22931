// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Queue sets: which one does a QP belong to, and which QP did a message arrive at? See queue.h. */
#include "verbs/queue.h"

#include <errno.h>
#include <stdlib.h>

struct queue_set *queue_set_of(struct queue_set *sets, unsigned index)
{
	while (index >= sets->num_tx)
		index -= sets++->num_tx;
	return sets;
}

int queue_set_number(struct queue_set *set, struct ibv_qp *const *targets, bool always)
{
	uint32_t size = 2;

	if (!set->rx[0].srq && !always)
		return 0;
	/* At most half full, so that every search terminates. */
	while (size < 2 * set->num_tx)
		size *= 2;
	set->numbers = calloc(size, sizeof(*set->numbers));
	if (!set->numbers)
		return -ENOMEM;
	set->numbers_mask = size - 1;
	for (unsigned i = 0; i < set->num_tx; i++) {
		const uint32_t qp_num = targets ? targets[i]->qp_num : set->tx[i].qp->qp_num;
		uint32_t at = qp_num;

		while (set->numbers[at & set->numbers_mask].tx)
			at++;
		set->numbers[at & set->numbers_mask] = (struct queue_number){.qp_num = qp_num, .tx = i + 1};
	}
	return 0;
}

void queue_set_forget(struct queue_set *set)
{
	free(set->numbers);
	set->numbers = NULL;
	set->numbers_mask = 0;
}
