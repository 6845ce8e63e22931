// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How many frames per second does a side send back? Each is sent from the buffer that it arrived in, with its MAC
 * addresses swapped, and its receive is posted again once it was sent. Nothing is copied. The send queues have room for
 * all receives (qp_send_depth()), so that every arrival can be sent.
 */
#include <errno.h>
#include <string.h>

#include "frames/frame.h"
#include "loops/poll_monitor.h"
#include "loops/post.h"
#include "stats/clock.h"
#include "verbs/queue.h"

#define LOOK_PERIOD   64
#define SLEEP_NS      1000000
#define LARGEST_BATCH 64 /* completions; they are on the stack */

struct forwarder {
	uint64_t target;     /* frames; UINT64_MAX: by time */
	uint64_t end_cycles; /* UINT64_MAX: by number, or the time is over */
	uint32_t full;	     /* receives per queue */
	uint32_t bytes;	     /* of a frame, in memory */
	int batch;
	uint64_t now; /* after the last poll that found something */
	struct poll_monitor monitor;
	struct cq_wait cq_wait;
};

static void forwarder_open(struct forwarder *forwarder, struct run *run)
{
	const uint32_t batch = run->plan.cqe_poll && !run->plan.dynamic_poll ? run->plan.cqe_poll : LARGEST_BATCH;

	*forwarder = (struct forwarder){
		.target = run->plan.iters ? run->plan.iters * run->queues.num_tx : UINT64_MAX,
		.end_cycles = run->plan.end_cycles,
		.full = run->queues.rx[0].posted,
		.bytes = run->queues.tx[0].sge->length,
		.batch = batch < LARGEST_BATCH ? (int)batch : LARGEST_BATCH,
	};
	poll_monitor_open(&forwarder->monitor, LOOK_PERIOD, clock_cycles());
	cq_wait_add(&forwarder->cq_wait, run->queues.recv_channel, run->queues.recv_cq);
	cq_wait_add(&forwarder->cq_wait, run->queues.send_channel, run->queues.send_cq);
}

static void swap_ends(uint8_t *frame)
{
	uint8_t destination[FRAME_MAC_BYTES];

	memcpy(destination, frame, FRAME_MAC_BYTES);
	memcpy(frame, frame + FRAME_MAC_BYTES, FRAME_MAC_BYTES);
	memcpy(frame + FRAME_MAC_BYTES, destination, FRAME_MAC_BYTES);
}

/*
 * Sends back the frame in the oldest receive. A frame of another length is not of the test and is not sent; if it is
 * the first, the sides have different sizes: -EMSGSIZE. 0 or -errno.
 */
static int send_back(struct run *run, const struct forwarder *forwarder, struct rx_queue *rx, const struct ibv_wc *wc)
{
	struct tx_queue *tx = &run->queues.tx[wc->wr_id];
	const uint64_t frame = post_oldest(rx);
	struct ibv_send_wr *bad;
	int err;

	rx->posted--;
	if (wc->byte_len != forwarder->bytes) {
		run->result.first_arrival_bytes = wc->byte_len;
		return run->result.received ? 0 : -EMSGSIZE;
	}
	run->result.received++;
	tx->sge->addr = frame;
	swap_ends((uint8_t *)(uintptr_t)frame);
	err = ibv_post_send(tx->qp, tx->wr, &bad);
	if (__builtin_expect(err, 0))
		return post_refusal(err);
	run->result.posted++;
	return 0;
}

/* Frames that arrived, or -errno. */
static int64_t take_frames(struct run *run, struct forwarder *forwarder)
{
	const uint64_t before = run->result.received;
	struct ibv_wc wc[LARGEST_BATCH];
	int found = cq_poll(run->queues.recv_cq, forwarder->batch, wc);
	int err;

	if (__builtin_expect(found < 0, 0))
		return found;
	if (found && !before)
		run->result.begin_cycles = clock_cycles();
	for (int i = 0; i < found; i++) {
		if (__builtin_expect(wc[i].status != IBV_WC_SUCCESS, 0))
			return post_note_failure(run, &wc[i], wc + found, true /* receive */);
		if (wc[i].wr_id >= run->queues.num_rx)
			return -EBADMSG;
		err = send_back(run, forwarder, &run->queues.rx[wc[i].wr_id], &wc[i]);
		if (__builtin_expect(err, 0))
			return err;
	}
	/* When they were sent is unknown here. */
	if (!before)
		run->result.unrated = run->result.received;
	return found;
}

static int post_receive(struct rx_queue *rx)
{
	return post_receives(rx, 1, false /* has slots */, false /* shared */);
}

/* Nothing is in flight: also reposts the receives of frames that were not sent back. */
static int fill_receives(struct run *run, const struct forwarder *forwarder)
{
	int err = 0;

	for (unsigned i = 0; i < run->queues.num_rx; i++)
		while (!err && run->queues.rx[i].posted < forwarder->full)
			err = post_receive(&run->queues.rx[i]);
	return err;
}

static void count_forwarded(struct run *run, uint64_t frames, uint64_t now)
{
	if (now >= run->plan.begin_sample_cycles && now <= run->plan.end_sample_cycles)
		run->result.sampled += frames;
	else if (now <= run->plan.over_cycles)
		run->result.margins += frames;
}

/* Frames that were sent, or -errno. */
static int64_t reap_frames(struct run *run, struct forwarder *forwarder)
{
	struct ibv_wc wc[LARGEST_BATCH];
	int err = 0, found;

	/* A frame that is not sent back has used up a receive. */
	if (run->result.completed == run->result.posted) {
		err = fill_receives(run, forwarder);
		return err ? post_refusal(err) : 0;
	}
	found = cq_poll(run->queues.send_cq, forwarder->batch, wc);
	if (__builtin_expect(found < 0, 0))
		return found;
	for (int i = 0; i < found && !err; i++) {
		if (__builtin_expect(wc[i].status != IBV_WC_SUCCESS, 0))
			return post_note_failure(run, &wc[i], wc + found, false /* receive */);
		if (wc[i].wr_id >= run->queues.num_rx)
			return -EBADMSG;
		run->result.completed++;
		err = post_receive(&run->queues.rx[wc[i].wr_id]);
	}
	if (!err && found && run->result.completed == run->result.posted)
		err = fill_receives(run, forwarder);
	if (found) {
		forwarder->now = clock_cycles();
		count_forwarded(run, (uint64_t)found, forwarder->now);
	}
	return err ? post_refusal(err) : found;
}

/* By time: nothing counts until the first frame starts the clock. */
static inline bool awaits_frame(const struct run *run)
{
	return run->plan.begin_sample_cycles == UINT64_MAX;
}

/* Before the frame is counted. Done by a tick. */
static void begin_with_first(struct run *run, struct forwarder *forwarder)
{
	if (!run->result.received)
		return;
	poll_monitor_tick(run, run->result.begin_cycles);
	forwarder->end_cycles = run->plan.end_cycles;
}

/* After each round, in which this many frames moved. 0: continue; 1: the run ends; or -errno. */
static int forwarder_look(struct run *run, struct forwarder *forwarder, int64_t moved)
{
	const uint64_t now = clock_cycles();
	int ret = 0;

	if (__builtin_expect(now >= run->hooks.next_tick_cycles, 0) && poll_monitor_tick(run, now))
		return 1;
	if (now >= forwarder->end_cycles)
		forwarder->target = 0;
	if (!moved && forwarder->cq_wait.count)
		ret = cq_wait_rest(&forwarder->cq_wait, &forwarder->monitor, SLEEP_NS);
	if (ret || !poll_monitor_due(&forwarder->monitor, moved))
		return ret;
	return poll_monitor_ends(&forwarder->monitor, run, run->result.completed + run->result.received, now);
}

static void forwarder_close(struct run *run, struct forwarder *forwarder)
{
	const uint64_t now = clock_cycles();
	uint64_t end = forwarder->now;

	if (run->plan.end_sample_cycles != UINT64_MAX && now >= run->plan.begin_sample_cycles) {
		run->result.begin_cycles = run->plan.begin_sample_cycles;
		run->result.unrated = 0;
		end = now < run->plan.end_sample_cycles ? end : run->plan.end_sample_cycles;
	} else if (run->plan.end_sample_cycles != UINT64_MAX) {
		run->result.sampled = run->result.completed;
		run->result.margins = 0;
	}
	run->result.finish_cycles = end > run->result.begin_cycles ? end : run->result.begin_cycles;
	run->result.last_cycles = forwarder->now;
	run->result.sent_all = run->result.completed == run->result.posted;
	cq_wait_close(&forwarder->cq_wait);
}

int loop_forward(struct run *run)
{
	struct forwarder forwarder;
	int64_t came, gone;
	int ret = 0;

	forwarder_open(&forwarder, run);
	for (unsigned i = 0; i < run->queues.num_tx; i++)
		run->queues.tx[i].wr->send_flags = IBV_SEND_SIGNALED;
	while (!ret && (run->result.received < forwarder.target || run->result.completed < run->result.posted)) {
		came = forwarder.target ? take_frames(run, &forwarder) : 0;
		if (__builtin_expect(awaits_frame(run), 0))
			begin_with_first(run, &forwarder);
		gone = came < 0 ? came : reap_frames(run, &forwarder);
		ret = gone < 0 ? (int)gone : forwarder_look(run, &forwarder, came + gone);
	}
	forwarder_close(run, &forwarder);
	return poll_monitor_result(run, ret);
}
