// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Records failed work requests; and what precedes a run: receives are posted, and the first message is awaited. */
#include "loops/post.h"

#include <errno.h>

#include "loops/poll_monitor.h"
#include "stats/clock.h"
#include "verbs/queue.h"

int post_note_failure(struct run *run, const struct ibv_wc *wc, const struct ibv_wc *end, bool receive)
{
	const struct ibv_wc *next = wc;

	while (next < end && (next->status == IBV_WC_SUCCESS || next->status == IBV_WC_WR_FLUSH_ERR))
		next++;
	if (wc->status == IBV_WC_WR_FLUSH_ERR && next < end)
		wc = next;
	run->result.failure = (struct wc_failure){
		.status = wc->status, .qp_num = wc->qp_num, .vendor_err = wc->vendor_err, .receive = receive};
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

/* --- without a side channel: the first message says that the other side has started --- */

#define LOOK_PERIOD 64
#define SLEEP_NS    1000000

/* 0: nothing arrived; 1: a message did; or -errno. */
static int take_one(struct run *run)
{
	struct ibv_wc wc;
	const int found = cq_poll(run->queues.recv_cq, 1, &wc);
	struct rx_queue *rx;
	int err;

	if (found <= 0)
		return found;
	if (wc.status != IBV_WC_SUCCESS)
		return post_note_failure(run, &wc, &wc + 1, true /* receive */);
	if (wc.wr_id >= run->queues.num_rx)
		return -EBADMSG;
	if (run->plan.arrival_bytes && wc.byte_len != run->plan.arrival_bytes) {
		run->result.first_arrival_bytes = wc.byte_len;
		return -EMSGSIZE;
	}
	if (run->plan.lengths && !post_note_length(run, &wc, clock_cycles()) && !run->plan.sees_others) {
		run->result.first_arrival_bytes = wc.byte_len;
		return -EMSGSIZE;
	}
	run->result.received += !run->plan.lengths;
	if (run->plan.by_queue.received)
		run->plan.by_queue.received[wc.wr_id]++;
	rx = &run->queues.rx[wc.wr_id];
	err = post_replace(rx, post_repost_at(run), run->plan.recv_post_list, false /* has slots */, rx->srq != NULL);
	return err ? post_refusal(err) : run->result.received > 0;
}

/* 0: continue; 1: the run was stopped; or -errno. */
static int wait_on(struct run *run, struct poll_monitor *monitor, struct cq_wait *cq_wait)
{
	const int ret = cq_wait->count ? cq_wait_rest(cq_wait, monitor, SLEEP_NS) : 0;

	if (ret || !poll_monitor_due(monitor, 0 /* moved */))
		return ret;
	poll_monitor_ends(monitor, run, 0 /* messages */, clock_cycles());
	return run->result.stopped;
}

int loop_await_first(struct run *run)
{
	struct cq_wait cq_wait = {0};
	struct poll_monitor monitor;
	int ret;

	poll_monitor_open(&monitor, LOOK_PERIOD, clock_cycles());
	cq_wait_add(&cq_wait, run->queues.recv_channel, run->queues.recv_cq);
	do {
		ret = take_one(run);
		if (!ret)
			ret = wait_on(run, &monitor, &cq_wait);
	} while (!ret);
	cq_wait_close(&cq_wait);
	return ret < 0 ? ret : 0;
}
