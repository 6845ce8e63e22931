// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Records failed work requests; and posts the receives that a run needs before it begins. */
#include "loops/post.h"

#include <errno.h>

int post_note_failure(struct run *run, const struct ibv_wc *wc, const struct ibv_wc *end, bool receive)
{
	const struct ibv_wc *next = wc;

	while (next < end && (next->status == IBV_WC_SUCCESS || next->status == IBV_WC_WR_FLUSH_ERR))
		next++;
	if (wc->status == IBV_WC_WR_FLUSH_ERR && next < end)
		wc = next;
	run->result.failure = (struct wc_failure){
		.status = wc->status,
		.qp_num = wc->qp_num,
		.vendor_err = wc->vendor_err,
		.receive = receive,
	};
	return -EIO;
}

int loop_post_receives(struct run *run)
{
	const uint32_t list = run->plan.recv_post_list;
	const bool has_slots = run->plan.slots;

	for (unsigned i = 0; i < run->queues.num_rx; i++) {
		struct rx_queue *rx = &run->queues.rx[i];

		/* One per message of the run, including receives left over from the last one. */
		if (has_slots) {
			const uint32_t due = (uint32_t)run->plan.iters * (run->queues.num_tx / run->queues.num_rx);

			rx->left = due > rx->posted ? due - rx->posted : 0;
		}
		while ((!has_slots || rx->left) && rx->posted + list <= run->plan.rx_depth) {
			int err = post_receives(rx, list, has_slots, rx->srq);

			if (err)
				return post_refusal(err);
		}
	}
	return 0;
}
