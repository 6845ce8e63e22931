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

/* Posts one per message of the run, including receives left over from the last one, and the rest when there is room. */
static int post_slots(struct run *run)
{
	const uint32_t list = run->plan.recv_post_list;
	const uint32_t due = (uint32_t)run->plan.iters * (run->queues.num_tx / run->queues.num_rx);

	for (unsigned i = 0; i < run->queues.num_rx; i++) {
		struct rx_queue *rx = &run->queues.rx[i];

		rx->left = due > rx->posted ? due - rx->posted : 0;
		while (rx->left && rx->posted + list <= run->plan.rx_depth) {
			int err = post_receives(rx, true /* has slots */, rx->srq);

			if (err)
				return post_refusal(err);
			rx->posted += list;
			rx->left -= list < rx->left ? list : rx->left;
		}
	}
	return 0;
}

int loop_post_receives(struct run *run)
{
	uint32_t list = run->plan.recv_post_list;

	if (run->plan.slots)
		return post_slots(run);
	for (unsigned i = 0; i < run->queues.num_rx; i++) {
		struct rx_queue *rx = &run->queues.rx[i];

		while (rx->posted + list <= run->plan.rx_depth) {
			int err = post_receives(rx, false /* has slots */, rx->srq);

			if (err)
				return post_refusal(err);
			rx->posted += list;
		}
	}
	return 0;
}
