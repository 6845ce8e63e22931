// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How many messages a second go through? The loops of all bandwidth tests: one body, body(), that
 * posts, polls and counts, and around it what happens once per run.
 *
 * What a message costs the program, and so what is kept out of its way:
 * - A queue pair has a lane: what is left to post, how much room its queue has, how far the next signalled
 *   message is. All are counted down; nothing is divided.
 * - Queues are refilled where a completion was found, so many queue pairs cost no more than one.
 * - The clock, the user and session are looked at every LOOK_PERIOD polls, or four times as many
 *   messages; the clock at each poll that found something only when it is wanted (BW_CLOCK).
 */
#include "loops/bandwidth.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>

#include "loops/nap.h"
#include "loops/post.h"
#include "loops/watch.h"
#include "loops/wr_api.h"
#include "stats/clock.h"
#include "traffic/traffic.h"

#define LOOK_PERIOD   64
#define DYNAMIC_BATCH 64      /* 3 KiB of completions stay in the first-level cache */
#define LARGEST_BATCH 1024    /* 48 KiB stay in the second-level cache */
#define SLEEP_NS      1000000 /* so that session is asked in time */

struct lane {
	struct ibv_qp *qp; /* of the interface that the run uses */
	struct ibv_send_wr *wr;
	struct ibv_sge *sge;
	uint64_t *remote_addr;		/* in wr; for two-sided operations a place that nobody reads */
	const struct wr_poster *poster; /* BW_WR_API */
	struct wr_walk walk;
	uint64_t left;	    /* messages to post */
	uint32_t room;	    /* messages that the queue takes */
	uint32_t to_signal; /* messages up to and with the next signalled one */
	uint32_t number;    /* BW_PLACES: of the next message */
};

struct work {
	struct lane *lanes;
	struct ibv_wc *wc;
	int batch;
	int found;	      /* completions of sends that the last poll found; fewer than batch: there are no more */
	uint32_t stride;      /* messages that a completion stands for; the last of a queue pair for fewer */
	unsigned plain_flags; /* of an unsignalled message */
	uint32_t repost_at;   /* receives that wait when a chain is due */
	bool refill;	      /* many queue pairs: room has to be looked for in every lane */
	unsigned refill_from; /* BW_RATE: the lane with which the next burst begins */
	int64_t budget;	      /* BW_RATE: messages of this burst still to post; a chain may overdraw it */
	uint64_t burst_at;    /* BW_RATE: when the next burst is due */
	uint64_t send_target; /* completed, when all is done */
	uint64_t receive_target; /* received, when all is done */
	uint64_t end_cycles;	 /* when posting ends; UINT64_MAX once it has */
	uint64_t early_arrivals; /* BW_CLOCK: messages received before the sample window */
	uint64_t early_receives; /* receiver: so many hold all that its first look left behind */
	bool begun;		 /* receiver: its clock has started for good */
	uint64_t now;		 /* BW_CLOCK: behind the last poll that found something */
	uint64_t before;	 /* BW_CLOCK: before the last poll of the sends that may have filled a peak window */
	uint64_t posted_before;	 /* BW_CLOCK, BW_MANY: messages posted before that poll */
	uint64_t sent_cycles;	 /* without BW_CLOCK, with -b: when the last send had completed; 0: not yet */
	struct watch watch;
	struct nap nap;
	uint64_t nowhere; /* where remote_addr points for two-sided operations */
};

/* --- posting --- */

/* A chain, by either interface. 0 or a positive errno. */
LOOP_INLINE int post_chain(const struct lane *lane, const unsigned flags)
{
	struct ibv_send_wr *bad;

	if (flags & BW_WR_API)
		return lane->poster->post_list((struct ibv_qp_ex *)lane->qp,
					       lane->wr); /* qp_base is its first member */
	return ibv_post_send(lane->qp, lane->wr, &bad);
}

/* n messages one by one, with the flags that the request has now. *n: those not posted when it fails. */
LOOP_INLINE int post_run(struct lane *lane, const unsigned flags, uint32_t *n)
{
	struct ibv_send_wr *wr = lane->wr;
	struct ibv_sge *sge = lane->sge;
	uint64_t *remote_addr = lane->remote_addr;
	const uint64_t local_base = lane->walk.local_base, remote_base = lane->walk.remote_base;
	const uint32_t step = lane->walk.step, mask = lane->walk.mask;
	uint32_t offset = lane->walk.offset;
	uint32_t rest = *n;
	int err = 0;

	if ((flags & BW_WR_API) && !(flags & BW_PLACES))
		return lane->poster->post_run((struct ibv_qp_ex *)lane->qp, wr, &lane->walk, n);
	for (; rest; rest--) {
		sge->addr = local_base + offset;
		*remote_addr = remote_base + offset;
		if (flags & BW_PLACES)
			wr->imm_data = htobe32(lane->number);
		err = post_chain(lane, flags);
		if (__builtin_expect(err, 0))
			break;
		if (flags & BW_PLACES)
			lane->number++;
		offset = (offset + step) & mask;
	}
	lane->walk.offset = offset;
	*n = rest;
	return err;
}

/* One message, in the place of one that completed: what fill() would come to, where each message is signalled. */
LOOP_INLINE int post_next(struct run *run, struct lane *lane, const unsigned flags)
{
	uint32_t rest = 1;
	int err;

	if (__builtin_expect(!lane->left, 0)) {
		lane->room++;
		return 0;
	}
	err = post_run(lane, flags, &rest);
	if (__builtin_expect(err, 0))
		return -err;
	lane->left--;
	run->result.posted++;
	return 0;
}

/* The next list goes to the places behind the last one. */
static void aim_list(const struct run *run, struct lane *lane)
{
	struct wr_walk *walk = &lane->walk;
	const bool one_sided = traffic_opcode_is_one_sided(run->plan.opcode);

	for (struct ibv_send_wr *wr = lane->wr; wr; wr = wr->next) {
		wr->sg_list->addr = walk->local_base + walk->offset;
		if (one_sided)
			wr->wr.rdma.remote_addr = walk->remote_base + walk->offset;
		wr->imm_data = htobe32(lane->number++);
		walk->offset = (walk->offset + walk->step) & walk->mask;
	}
}

/* As many messages as the lane has room for. */
LOOP_INLINE int fill(struct run *run, struct work *work, struct lane *lane, const unsigned flags)
{
	uint32_t n;
	uint32_t rest;
	bool marks;
	int err;

	if (flags & BW_LIST) {
		while (lane->room >= run->plan.post_list && lane->left && (!(flags & BW_RATE) || work->budget > 0)) {
			if (flags & BW_PLACES)
				aim_list(run, lane);
			err = post_chain(lane, flags);
			if (__builtin_expect(err, 0))
				return -err;
			lane->room -= run->plan.post_list;
			lane->left -= run->plan.post_list;
			run->result.posted += run->plan.post_list;
			if (flags & BW_RATE)
				work->budget -= run->plan.post_list;
		}
		return 0;
	}
	for (;;) {
		n = lane->left < lane->room ? (uint32_t)lane->left : lane->room;
		if ((flags & BW_RATE) && n > work->budget)
			n = work->budget > 0 ? (uint32_t)work->budget : 0;
		if ((flags & BW_MODERATED) && n > lane->to_signal)
			n = lane->to_signal;
		if (n == 0)
			return 0;
		marks = (flags & BW_MODERATED) && (n == lane->to_signal || n == lane->left);
		rest = n - marks;
		err = post_run(lane, flags, &rest);
		if ((flags & BW_MODERATED) && __builtin_expect(!err, 1)) {
			lane->to_signal -= n;
			if (marks) {
				lane->wr->send_flags = work->plain_flags | IBV_SEND_SIGNALED;
				rest = 1;
				err = post_run(lane, flags, &rest);
				lane->wr->send_flags = work->plain_flags;
				lane->to_signal = work->stride;
			}
		} else {
			rest += marks;
		}
		run->result.posted += n - rest;
		if (__builtin_expect(err, 0))
			return -err;
		lane->left -= n;
		lane->room -= n;
		if (flags & BW_RATE)
			work->budget -= n;
		if (!(flags & BW_MODERATED))
			return 0;
	}
}

LOOP_INLINE int fill_all(struct run *run, struct work *work, const unsigned flags)
{
	unsigned at = flags & BW_RATE ? work->refill_from : 0;

	if ((flags & BW_RATE) && work->budget <= 0)
		return 0;
	for (unsigned i = 0; i < run->queues.num_tx; i++) {
		int err = fill(run, work, &work->lanes[at], flags);

		if (err)
			return err;
		/* The next burst begins with the next lane: each has its turn, also where a burst is one message. */
		if (++at == run->queues.num_tx)
			at = 0;
		if ((flags & BW_RATE) && work->budget <= 0)
			break;
	}
	work->refill_from = at;
	return 0;
}

/*
 * A burst is due at multiples of burst_cycles after the run's begin: its time passes before it, so
 * that no average is above the limit, even of one burst. At most one is added at a time and a late
 * one does not move the next, so that a run which fell behind catches up.
 */
static void next_burst(const struct run *run, struct work *work, uint64_t now)
{
	if (work->budget <= 0 && now >= work->burst_at) {
		work->budget += run->plan.burst_size;
		work->burst_at += run->plan.burst_cycles;
	}
}

/* --- reaping --- */

/* How many messages this completion stands for: stride, but for the last of a queue pair. */
LOOP_INLINE uint32_t stands_for(const struct run *run, const struct work *work, const struct lane *lane,
				const unsigned flags)
{
	uint32_t outstanding;

	if (flags & BW_LIST)
		return work->stride;
	if (!(flags & BW_MODERATED))
		return 1;
	outstanding = run->plan.tx_depth - lane->room;
	return work->stride < outstanding ? work->stride : outstanding;
}

/* Polls the sends once. The number of messages that completed, or below 0 a failure. */
LOOP_INLINE int64_t reap_sends(struct run *run, struct work *work, const unsigned flags)
{
	const struct ibv_wc *wc = work->wc;
	uint32_t messages = 0;
	int found;

	/* Before and behind the poll: what is posted in place of what it found is the next window's. */
	if ((flags & BW_CLOCK) && __builtin_expect(run->result.posted >= run->result.window.end_count, 0))
		work->before = clock_cycles();
	found = ibv_poll_cq(run->queues.send_cq, work->batch, work->wc);
	if (__builtin_expect(found < 0, 0))
		return -EIO;
	if ((flags & BW_CLOCK) && found) {
		work->now = clock_cycles();
		work->found = found;
		if (flags & BW_MANY)
			work->posted_before = run->result.posted;
	}
	for (const struct ibv_wc *end = wc + found; wc < end; wc++) {
		struct lane *lane = &work->lanes[flags & BW_MANY ? wc->wr_id : 0];
		uint32_t n;
		int err = 0;

		if (__builtin_expect(wc->status != IBV_WC_SUCCESS, 0)) {
			run->result.completed += messages;
			return post_note_failure(run, wc, end, false /* receive */);
		}
		n = stands_for(run, work, lane, flags);
		messages += n;
		/* One lane is filled once, after the batch; of many, each where its completion is. */
		if (flags & (BW_RATE | BW_MODERATED | BW_LIST))
			lane->room += n;
		if ((flags & BW_MANY) && !(flags & BW_RATE))
			err = flags & (BW_MODERATED | BW_LIST) ? fill(run, work, lane, flags)
							       : post_next(run, lane, flags);
		if (__builtin_expect(err, 0)) {
			run->result.completed += messages;
			return err;
		}
	}
	if (!(flags & (BW_MANY | BW_RATE | BW_MODERATED | BW_LIST)))
		work->lanes[0].room += messages;
	run->result.completed += messages;
	return messages;
}

/* The two sides may have been told different sizes where no options travel; a longer message is an error anyway. */
static bool has_wrong_length(struct run *run, const struct ibv_wc *wc)
{
	if (!run->plan.arrival_bytes || wc->status != IBV_WC_SUCCESS || wc->byte_len == run->plan.arrival_bytes)
		return false;
	run->result.first_arrival_bytes = wc->byte_len;
	return true;
}

/* Polls the receives once, and posts new ones. The number of arrivals, or below 0 a failure. */
LOOP_INLINE int64_t reap_receives(struct run *run, struct work *work, const unsigned flags)
{
	const struct ibv_wc *wc = work->wc;
	int found = ibv_poll_cq(run->queues.recv_cq, work->batch, work->wc);

	if (__builtin_expect(found < 0, 0))
		return -EIO;
	if (__builtin_expect(!run->result.received && found, 0) && has_wrong_length(run, wc))
		return -EMSGSIZE;
	for (const struct ibv_wc *end = wc + found; wc < end; wc++) {
		struct rx_queue *rx = &run->queues.rx[flags & BW_MANY ? wc->wr_id : 0];
		int err;

		if (__builtin_expect(wc->status != IBV_WC_SUCCESS, 0)) {
			run->result.received += (uint64_t)(wc - work->wc);
			return post_note_failure(run, wc, end, true /* receive */);
		}
		if (flags & BW_PLACES) {
			post_note_arrival(run, wc);
			err = post_replace_place(rx, work->repost_at, run->plan.recv_post_list, flags & BW_SHARED);
		} else {
			err = post_replace(rx, work->repost_at, run->plan.recv_post_list, flags & BW_SHARED);
		}
		if (__builtin_expect(err, 0)) {
			run->result.received += (uint64_t)(wc - work->wc) + 1;
			return -err;
		}
	}
	run->result.received += (uint64_t)found;
	return found;
}

/* --- the slow part --- */

/*
 * Posting ends, by time or because the user stopped. What is behind the last signalled message of a
 * queue pair gets one more message that is signalled, so that everything posted is seen to complete.
 */
static void wind_up(struct run *run, struct work *work, unsigned flags)
{
	work->end_cycles = UINT64_MAX;
	if (!(flags & BW_SENDS)) {
		work->receive_target = 0;
		return;
	}
	work->send_target = run->result.posted;
	for (unsigned i = 0; i < run->queues.num_tx; i++) {
		struct lane *lane = &work->lanes[i];
		bool tail = (flags & BW_MODERATED) && lane->left && lane->to_signal < work->stride;

		lane->left = tail;
		work->send_target += tail;
	}
	work->refill = true;
	work->burst_at = 0; /* a rate limit holds nothing back any more */
	work->budget = INT32_MAX;
}

static void update_sampled(struct run *run, unsigned flags)
{
	if (!(flags & BW_CLOCK))
		run->result.sampled = flags & BW_SENDS ? run->result.completed : run->result.received;
}

/* 0: go on; 1: end now. */
static int look(struct run *run, struct work *work, unsigned flags)
{
	uint64_t now = clock_cycles();

	update_sampled(run, flags);
	switch (watch_look(&work->watch, run, run->result.completed + run->result.received, now)) {
	case WATCH_ABORT:
		run->result.stopped = true;
		return 1;
	case WATCH_STOP:
		if (!run->result.stopped) {
			run->result.stopped = true;
			work->receive_target = 0;
			wind_up(run, work, flags);
		}
		break;
	case WATCH_GO:
		break;
	}
	if (now >= work->end_cycles)
		wind_up(run, work, flags);
	return 0;
}

static bool is_done(struct run *run, struct work *work, const unsigned flags)
{
	/* Also when the peer has all: its word may come before the acknowledgements. One that stopped is idle()'s to
	 * see. */
	if ((flags & BW_SENDS) && run->result.completed < work->send_target)
		return false;
	if (!(flags & BW_RECEIVES) || run->result.received >= work->receive_target || work->watch.drained)
		return true;
	if ((flags & BW_SENDS) && !run->result.sent_all) {
		run->result.sent_all = true;
		if (!(flags & BW_CLOCK))
			work->sent_cycles = clock_cycles();
		work->watch.ask_now = true;
		work->watch.countdown = 1;
	}
	return false;
}

/* Nothing was found: sleeps, unless something may have come before the queues were armed. */
static int rest(struct run *run, struct work *work, unsigned flags)
{
	uint64_t timeout_ns = SLEEP_NS;
	int err = nap_arm(&work->nap);

	if (err)
		return err < 0 ? err : 0;
	if ((flags & BW_RATE) && run->result.posted < work->send_target) {
		uint64_t now = clock_cycles();
		double ns = now < work->burst_at ? clock_cycles_to_ns((double)(work->burst_at - now)) : 0;

		if (ns < SLEEP_NS)
			timeout_ns = (uint64_t)ns;
	}
	work->watch.countdown = 1;
	return nap_sleep(&work->nap, timeout_ns);
}

/* --- a run --- */

/* The rules between options and params_cq_mod() see to it that these hold. */
static bool is_consistent(const struct run *run, unsigned flags)
{
	if (flags & BW_SENDS) {
		if (!run->plan.post_list || run->plan.post_list > run->plan.tx_depth || !run->plan.cq_mod ||
		    run->plan.cq_mod > run->plan.tx_depth)
			return false;
		if (run->plan.post_list > 1 &&
		    (run->plan.iters % run->plan.post_list || run->plan.post_list % run->plan.cq_mod))
			return false;
	}
	return !(flags & BW_RECEIVES) || (run->plan.recv_post_list && run->plan.recv_post_list <= run->plan.rx_depth);
}

static void open_lane(const struct run *run, struct work *work, unsigned index, unsigned flags)
{
	const struct tx_queue *tx = &run->queues.tx[index];
	struct lane *lane = &work->lanes[index];

	*lane = (struct lane){
		.qp = tx->qpx ? &tx->qpx->qp_base : tx->qp,
		.wr = tx->wr,
		.sge = tx->sge,
		.remote_addr =
			traffic_opcode_is_one_sided(run->plan.opcode) ? &tx->wr->wr.rdma.remote_addr : &work->nowhere,
		.walk = {.local_base = tx->local_base,
			 .remote_base = tx->remote_base,
			 .step = tx->step,
			 .mask = tx->span - 1},
		.left = run->plan.iters ? run->plan.iters : UINT64_MAX,
		.room = run->plan.tx_depth,
		.to_signal = work->stride,
		.number = run->plan.places ? (uint32_t)run->plan.places->first_message : 0,
	};
	/* Endless lists must not run out of a number that they do not divide. */
	if (!run->plan.iters)
		lane->left -= UINT64_MAX % run->plan.post_list;
	for (uint32_t i = 0; i < run->plan.post_list; i++) {
		bool marks = !(flags & BW_MODERATED) && (i + 1) % run->plan.cq_mod == 0;

		tx->wr[i].send_flags = work->plain_flags | (marks ? IBV_SEND_SIGNALED : 0U);
	}
	if (flags & BW_WR_API)
		lane->poster = wr_poster_of(tx->qpx, tx->wr);
}

/* As many as there can be, so that a poll finds all that there are and a peak window knows what was done. */
static uint32_t dynamic_batch(const struct run *run, unsigned flags)
{
	uint64_t batch = DYNAMIC_BATCH;

	if (flags & BW_SENDS)
		batch = (uint64_t)(run->plan.tx_depth / run->plan.cq_mod + 1) * run->queues.num_tx;
	if (batch < DYNAMIC_BATCH)
		return DYNAMIC_BATCH;
	return batch < LARGEST_BATCH ? (uint32_t)batch : LARGEST_BATCH;
}

static int choose_batch(const struct run *run, unsigned flags)
{
	uint32_t batch = run->plan.cqe_poll ? run->plan.cqe_poll : 1;
	uint32_t dynamic = run->plan.dynamic_poll ? dynamic_batch(run, flags) : 0;

	return (int)(batch < dynamic ? dynamic : batch);
}

/* Messages of a peak window; see stats/window.h. */
static uint64_t window_width(const struct run *run)
{
	const uint64_t in_flight = (uint64_t)run->plan.tx_depth * run->queues.num_tx;
	const uint64_t part = (run->plan.all_iters ? run->plan.all_iters : run->plan.iters) * run->queues.num_tx / 64;

	if (!run->plan.want_peak)
		return UINT64_MAX;
	return in_flight > part ? in_flight : part;
}

static int open_work(struct run *run, struct work *work, unsigned flags)
{
	uint64_t total = run->plan.iters ? run->plan.iters * run->queues.num_tx : UINT64_MAX;

	if (!is_consistent(run, flags))
		return -EINVAL;
	*work = (struct work){
		.batch = choose_batch(run, flags),
		.stride = run->plan.cq_mod,
		.plain_flags = run->plan.inline_data ? IBV_SEND_INLINE : 0,
		.refill = true,
		.send_target = total,
		.receive_target = total,
		.end_cycles = run->plan.end_cycles,
	};
	work->lanes = calloc(run->queues.num_tx, sizeof(*work->lanes));
	work->wc = calloc((size_t)work->batch, sizeof(*work->wc));
	if (!work->lanes || !work->wc) {
		free(work->lanes);
		free(work->wc);
		return -ENOMEM;
	}
	if (flags & BW_SENDS) {
		for (unsigned i = 0; i < run->queues.num_tx; i++)
			open_lane(run, work, i, flags);
		nap_add(&work->nap, run->queues.send_channel, run->queues.send_cq);
	}
	if (flags & BW_RECEIVES) {
		work->repost_at = post_repost_at(run);
		nap_add(&work->nap, run->queues.recv_channel, run->queues.recv_cq);
	}
	return 0;
}

static void begin(struct run *run, struct work *work, uint64_t now)
{
	run->result.begin_cycles = now;
	work->burst_at = now + run->plan.burst_cycles;
	window_open(&run->result.window, window_width(run), now);
	window_limit(&run->result.window, run->plan.begin_sample_cycles, run->plan.end_sample_cycles);
}

/*
 * The clock of a side that only receives starts when something has arrived: a message, or with a rate limit the first
 * burst. When that was posted nobody knows here, so the rate is that of what arrives after it. A full batch may leave
 * behind what has arrived, too, which has no time either: the clock starts anew with each look until one was not full,
 * or all receives that the first look may have found used are through.
 */
static void begin_receiver(struct run *run, struct work *work, uint64_t moved, unsigned flags)
{
	if (!run->result.received || run->result.received < run->plan.begin_after)
		return;
	if (moved) {
		if (!run->result.begin_cycles)
			work->early_receives =
				run->result.received - moved + (uint64_t)run->plan.rx_depth * run->queues.num_rx;
		update_sampled(run, flags);
		run->result.unrated = run->result.sampled;
		begin(run, work, flags & BW_CLOCK ? work->now : clock_cycles());
	}
	work->begun = moved < (uint64_t)work->batch || run->result.received >= work->early_receives;
}

/* How many messages may have been done before the poll that was the last; see stats/window.h. */
static uint64_t done_before_poll(const struct run *run, const struct work *work, unsigned flags)
{
	const uint64_t posted = flags & BW_MANY ? work->posted_before : run->result.posted;
	const uint64_t done = run->result.completed + (uint64_t)(work->stride - 1) * run->queues.num_tx;

	return work->found < work->batch && done < posted ? done : posted;
}

/* When did what is measured end? Natural ends were stamped by their poll (BW_CLOCK), with -b when the sends had
 * completed, or are now; after an abort it is when something moved last. */
static uint64_t last_moved(const struct run *run, const struct work *work, unsigned flags, bool early)
{
	uint64_t end = clock_cycles();

	if (flags & BW_CLOCK)
		end = work->now;
	else if (work->sent_cycles)
		end = work->sent_cycles;
	else if (early)
		end = work->watch.moved_cycles;
	return end > run->result.begin_cycles ? end : run->result.begin_cycles;
}

static void finish(struct run *run, struct work *work, unsigned flags)
{
	/* What happens behind the sample window cuts nothing off. */
	const bool early = clock_cycles() < run->plan.end_sample_cycles &&
			   (run->result.stopped || work->watch.drained || run->result.failure.status != IBV_WC_SUCCESS);
	const bool timed = run->plan.end_sample_cycles != UINT64_MAX;
	uint64_t end = last_moved(run, work, flags, early);

	update_sampled(run, flags);
	run->result.last_cycles = end;
	run->result.peak = run->result.window.peak;
	if (!run->result.begin_cycles) {
		/* A receiver whose clock never started: in a run by time nothing came all the time, or too little. */
		run->result.unrated = run->result.sampled;
		run->result.begin_cycles =
			timed && !early && !run->result.sampled ? run->plan.begin_sample_cycles : end;
	} else if (early && end < run->plan.begin_sample_cycles) {
		run->result.sampled = flags & BW_SENDS ? run->result.completed : run->result.received;
	} else if (run->result.begin_cycles < run->plan.begin_sample_cycles) {
		run->result.begin_cycles = run->plan.begin_sample_cycles;
		run->result.unrated = 0;
	}
	if (timed && (!early || end > run->plan.end_sample_cycles))
		end = run->plan.end_sample_cycles;
	run->result.finish_cycles = end > run->result.begin_cycles ? end : run->result.begin_cycles;
	run->result.sent_all = run->result.completed >= work->send_target;
	nap_close(&work->nap);
	free(work->lanes);
	free(work->wc);
}

LOOP_INLINE int body(struct run *run, const unsigned flags)
{
	const bool both = (flags & BW_SENDS) && (flags & BW_RECEIVES);
	struct work work;
	int64_t n = 0;
	int64_t moved;
	int err;

	err = open_work(run, &work, flags);
	if (err)
		return err;
	watch_open(&work.watch, LOOK_PERIOD, clock_cycles());
	if (flags & BW_SENDS)
		begin(run, &work, clock_cycles());
	for (;;) {
		moved = 0;
		if (flags & BW_SENDS) {
			if (flags & BW_RATE) {
				next_burst(run, &work, clock_cycles());
				work.refill = true;
			}
			if (!(flags & (BW_MANY | BW_RATE))) {
				err = fill(run, &work, work.lanes, flags);
			} else if (__builtin_expect(work.refill, 0)) {
				work.refill = false;
				err = fill_all(run, &work, flags);
			}
			if (__builtin_expect(err, 0))
				break;
			n = reap_sends(run, &work, flags);
			if (__builtin_expect(n < 0, 0)) {
				err = (int)n;
				break;
			}
			moved = n;
		}
		if (flags & BW_RECEIVES) {
			n = reap_receives(run, &work, flags);
			if (__builtin_expect(n < 0, 0)) {
				err = (int)n;
				break;
			}
			if (!both)
				moved = n;
		}
		if ((flags & BW_CLOCK) && moved) {
			if (!(flags & BW_SENDS))
				work.now = clock_cycles();
			if (work.now >= run->plan.begin_sample_cycles && work.now <= run->plan.end_sample_cycles) {
				run->result.sampled += (uint64_t)moved;
				if (both)
					run->result.sampled_arrivals = run->result.received - work.early_arrivals;
			} else if (both && work.now < run->plan.begin_sample_cycles) {
				work.early_arrivals = run->result.received;
			}
			if ((flags & BW_SENDS) && window_is_full(&run->result.window, run->result.completed))
				window_turn(&run->result.window, run->result.completed, work.now,
					    done_before_poll(run, &work, flags), work.before);
			if (__builtin_expect(work.now >= work.end_cycles, 0))
				wind_up(run, &work, flags);
		}
		if (!(flags & BW_SENDS) && __builtin_expect(!work.begun, 0))
			begin_receiver(run, &work, (uint64_t)moved, flags);
		if (moved || (both && n)) {
			if (is_done(run, &work, flags))
				break;
		} else if (flags & BW_EVENTS) {
			err = rest(run, &work, flags);
			if (err)
				break;
		}
		if (watch_due(&work.watch, both ? moved + n : moved) &&
		    (look(run, &work, flags) || is_done(run, &work, flags)))
			break;
	}
	finish(run, &work, flags);
	return err;
}

/* --- choosing --- */

int bw_general(struct run *run, unsigned flags)
{
	return body(run, flags & ~(unsigned)BW_PLACES);
}

int bw_places(struct run *run, unsigned flags)
{
	return body(run, flags | BW_PLACES);
}

/*
 * The common cases: every role, one queue pair or many, each message signalled or not or in lists, with and
 * without the clock, both interfaces. What is not here runs in bw_general().
 */
#define WITH_CLOCK(X, name, flags) X(name, flags) X(name##_clock, (flags) | BW_CLOCK)
#define WITH_MANY(X, name, flags)                                                                                      \
	WITH_CLOCK(X, name, flags)                                                                                     \
	WITH_CLOCK(X, name##_many, (flags) | BW_MANY)
#define BW_BOTH (BW_SENDS | BW_RECEIVES)
#define BW_INSTANCES(X)                                                                                                \
	WITH_MANY(X, send, BW_SENDS)                                                                                   \
	WITH_MANY(X, send_moderated, BW_SENDS | BW_MODERATED)                                                          \
	WITH_MANY(X, send_list, BW_SENDS | BW_LIST)                                                                    \
	WITH_MANY(X, send_api, BW_SENDS | BW_WR_API)                                                                   \
	WITH_MANY(X, send_api_moderated, BW_SENDS | BW_WR_API | BW_MODERATED)                                          \
	WITH_MANY(X, receive, BW_RECEIVES)                                                                             \
	WITH_CLOCK(X, receive_shared, BW_RECEIVES | BW_MANY | BW_SHARED)                                               \
	WITH_CLOCK(X, both, BW_SENDS | BW_RECEIVES)                                                                    \
	WITH_CLOCK(X, both_moderated, BW_SENDS | BW_RECEIVES | BW_MODERATED)

#define DEFINE(name, flags)                                                                                            \
	static int name(struct run *run)                                                                               \
	{                                                                                                              \
		return body(run, flags);                                                                               \
	}
BW_INSTANCES(DEFINE)

#define ROW(name, flags) {flags, name},
const struct bw_instance bw_instances[] = {BW_INSTANCES(ROW)};
const size_t bw_num_instances = sizeof(bw_instances) / sizeof(bw_instances[0]);

unsigned bw_flags(const struct run *run, unsigned role)
{
	bool timed = run->plan.begin_sample_cycles || run->plan.end_sample_cycles != UINT64_MAX ||
		     run->plan.end_cycles != UINT64_MAX;
	unsigned flags = role;

	if (run->queues.num_tx > 1)
		flags |= BW_MANY;
	if (run->plan.want_peak || timed)
		flags |= BW_CLOCK;
	if ((role & BW_SENDS ? run->queues.send_channel : NULL) ||
	    (role & BW_RECEIVES ? run->queues.recv_channel : NULL))
		flags |= BW_EVENTS;
	if (run->plan.places)
		flags |= BW_PLACES;
	if ((role & BW_RECEIVES) && run->queues.rx[0].srq)
		flags |= BW_SHARED;
	if (!(role & BW_SENDS))
		return flags;
	if (run->plan.post_list > 1)
		flags |= BW_LIST;
	else if (run->plan.cq_mod > 1)
		flags |= BW_MODERATED;
	if (run->queues.tx[0].qpx)
		flags |= BW_WR_API;
	if (run->plan.burst_cycles)
		flags |= BW_RATE;
	return flags;
}

static int choose(struct run *run, unsigned role)
{
	unsigned flags = bw_flags(run, role);

	if (flags & BW_PLACES)
		return bw_places(run, flags);
	for (size_t i = 0; i < bw_num_instances; i++) {
		if (bw_instances[i].flags == flags)
			return bw_instances[i].loop(run);
	}
	return bw_general(run, flags);
}

int loop_bw_send(struct run *run)
{
	return choose(run, BW_SENDS);
}

int loop_bw_recv(struct run *run)
{
	return choose(run, BW_RECEIVES);
}

int loop_bw_both(struct run *run)
{
	return choose(run, BW_SENDS | BW_RECEIVES);
}

int loop_warm_up(struct run *run, uint32_t messages)
{
	struct run warm = *run;
	int err;

	warm.result = (struct run_result){0};
	warm.plan.iters = messages;
	warm.plan.want_peak = false;
	warm.plan.places = NULL;
	warm.plan.begin_sample_cycles = 0;
	warm.plan.end_sample_cycles = UINT64_MAX;
	warm.plan.end_cycles = UINT64_MAX;
	warm.plan.burst_cycles = 0;
	warm.hooks.next_tick_cycles = UINT64_MAX;
	err = choose(&warm, BW_SENDS);
	run->result.stopped = warm.result.stopped;
	run->result.failure = warm.result.failure;
	return err;
}
