// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What went wrong with a work request; and the receives that must wait before a run begins. */
#include "loops/post.h"

#include <errno.h>

int post_note_failure(struct run *run, const struct ibv_wc *wc, const struct ibv_wc *end, bool receive)
{
	const struct ibv_wc *next = wc;

	while (next < end && (next->status == IBV_WC_SUCCESS || next->status == IBV_WC_WR_FLUSH_ERR))
		next++;
	if (wc->status == IBV_WC_WR_FLUSH_ERR && next < end)
		wc = next;
	run->result.failure = (struct completion_failure){
		.status = wc->status,
		.qp_num = wc->qp_num,
		.vendor_err = wc->vendor_err,
		.receive = receive,
	};
	return -EIO;
}

/* As many as the run has messages, those that are left over of the last one included, and the rest when there is room.
 */
static int post_places(struct run *run)
{
	const uint32_t list = run->plan.recv_post_list;

	for (unsigned i = 0; i < run->num_flows; i++) {
		struct flow *flow = &run->flows[i];

		flow->recv_left =
			run->plan.iters > flow->recv_posted ? (uint32_t)run->plan.iters - flow->recv_posted : 0;
		while (flow->recv_left && flow->recv_posted + list <= run->plan.rx_depth) {
			int err = post_receives(flow, true /* has places */);

			if (err)
				return -err;
			flow->recv_posted += list;
			flow->recv_left -= list < flow->recv_left ? list : flow->recv_left;
		}
	}
	return 0;
}

int loop_post_receives(struct run *run)
{
	uint32_t list = run->plan.recv_post_list;

	if (run->plan.places)
		return post_places(run);
	for (unsigned i = 0; i < run->num_flows; i++) {
		struct flow *flow = &run->flows[i];

		while (flow->recv_posted + list <= run->plan.rx_depth) {
			int err = post_receives(flow, false /* has places */);

			if (err)
				return -err;
			flow->recv_posted += list;
		}
	}
	return 0;
}
