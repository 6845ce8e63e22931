// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The loops of all bandwidth tests: one body, bandwidth_body(), that posts, polls and counts, and around it what
 * happens once per run.
 *
 * To keep the cost of a message low:
 * - Each queue pair has a tx_state: messages left to post, room in its queue, messages to the next signalled one. All
 *   are counted down; nothing is divided.
 * - A queue is refilled when a completion of it is polled, so the number of queue pairs does not matter.
 * - The clock, the user's request to stop and session are checked every LOOK_PERIOD polls, or four times as many
 *   messages; the clock is read at each successful poll only with BW_CLOCK.
 */
#include "loops/bw_work.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loops/bw_reap.h"
#include "stats/clock.h"
#include "traffic/traffic.h"

#define LOOK_PERIOD   64
#define DYNAMIC_BATCH 64		   /* 3 KiB of completions stay in the L1 cache */
#define LARGEST_BATCH 1024		   /* 48 KiB stay in the L2 cache */
#define SLEEP_NS      1000000		   /* so that session is called in time */
#define PART_BYTES    (UINT64_C(16) << 20) /* a CPU copies them in a few milliseconds, an adapter needs 0.3 ms */

/* --- once per run --- */

/*
 * Posting ends, by time or because the user stopped the run. A queue pair with messages after its last signalled one
 * posts one more, signalled, so that all completions are seen.
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
		struct tx_state *tx_state = &work->tx_states[i];
		bool tail = (flags & BW_MODERATED) && tx_state->left && tx_state->to_signal < work->stride;

		tx_state->left = tail;
		work->send_target += tail;
	}
	work->refill = true;
	work->burst_at = 0; /* a rate limit no longer delays anything */
	work->window_at = UINT64_MAX;
	work->budget = INT32_MAX;
}

/* The time is over. A peak window that ends later is in no interval. */
static void wind_up_by_time(struct run *run, struct work *work, unsigned flags)
{
	run->result.window.end_count = UINT64_MAX;
	wind_up(run, work, flags);
}

/*
 * On a device whose posts move the data, each completes at once: a whole send queue of large messages would take
 * seconds, in which neither the clock nor the user could end the run. More of it is used when a poll finds nothing.
 */
static void use_next_part(struct run *run, struct work *work)
{
	const uint32_t depth = work->tx_states[0].depth;
	const uint32_t more = work->part < run->plan.tx_depth - depth ? work->part : run->plan.tx_depth - depth;

	for (unsigned i = 0; i < run->queues.num_tx; i++) {
		work->tx_states[i].depth += more;
		work->tx_states[i].room += more;
	}
	work->refill = true;
	if (depth + more < run->plan.tx_depth)
		return;
	work->part = 0;
	work->monitor.period = LOOK_PERIOD;
}

/* 0: continue; 1: end now. */
static int bandwidth_look(struct run *run, struct work *work, unsigned flags)
{
	uint64_t now = clock_cycles();

	update_sampled(run, flags);
	if (work->part && run->result.completed + run->result.received == work->monitor.moved_count)
		use_next_part(run, work);
	switch (poll_monitor_look(&work->monitor, run, run->result.completed + run->result.received, now)) {
	case POLL_ABORT:
		run->result.stopped = true;
		return 1;
	case POLL_STOP:
		if (!run->result.stopped) {
			run->result.stopped = true;
			work->receive_target = 0;
			wind_up(run, work, flags);
		}
		break;
	case POLL_GO:
		break;
	}
	if (now >= work->end_cycles)
		wind_up_by_time(run, work, flags);
	return 0;
}

static bool is_done(struct run *run, struct work *work, const unsigned flags)
{
	/* The peer's message may overtake acknowledgements. idle() detects that the peer has stopped. */
	if ((flags & BW_SENDS) && run->result.completed < work->send_target)
		return false;
	if (!(flags & BW_RECEIVES) || run->result.received >= work->receive_target || work->monitor.drained)
		return true;
	if ((flags & BW_SENDS) && !run->result.sent_all) {
		run->result.sent_all = true;
		if (!(flags & BW_CLOCK))
			work->sent_cycles = clock_cycles();
		work->monitor.ask_now = true;
		work->monitor.countdown = 1;
	}
	return false;
}

/* The poll found nothing. */
static int bandwidth_rest(struct run *run, struct work *work, unsigned flags)
{
	uint64_t timeout_ns = SLEEP_NS;

	if ((flags & BW_RATE) && run->result.posted < work->send_target) {
		uint64_t now = clock_cycles();
		double ns = now < work->burst_at ? clock_cycles_to_ns((double)(work->burst_at - now)) : 0;

		if (ns < SLEEP_NS)
			timeout_ns = (uint64_t)ns;
	}
	return cq_wait_rest(&work->cq_wait, &work->monitor, timeout_ns);
}

/* --- a run --- */

/* The rules between options and params_cq_mod() ensure these. */
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

static void tx_state_open(const struct run *run, struct work *work, unsigned index, unsigned flags)
{
	const struct tx_queue *tx = &run->queues.tx[index];
	struct tx_state *tx_state = &work->tx_states[index];

	*tx_state = (struct tx_state){
		.qp = tx->qpx ? &tx->qpx->qp_base : tx->qp,
		.wr = tx->wr,
		.sge = tx->sge,
		.remote_addr =
			traffic_opcode_is_one_sided(run->plan.opcode) ? &tx->wr->wr.rdma.remote_addr : &work->nowhere,
		.slots = {.local_base = tx->local_base,
			  .remote_base = tx->remote_base,
			  .step = tx->step,
			  .mask = tx->span - 1},
		.left = run->plan.iters ? run->plan.iters : UINT64_MAX,
		.room = work->part ? work->part : run->plan.tx_depth,
		.depth = work->part ? work->part : run->plan.tx_depth,
		.to_signal = work->stride,
		.number = run->plan.slots ? (uint32_t)run->plan.slots->first_message : 0,
	};
	/* In a run without end, lists must not exhaust a number that they do not divide. */
	if (!run->plan.iters)
		tx_state->left -= UINT64_MAX % run->plan.post_list;
	for (uint32_t i = 0; i < run->plan.post_list; i++) {
		bool marks = !(flags & BW_MODERATED) && (i + 1) % run->plan.cq_mod == 0;

		tx->wr[i].send_flags = work->plain_flags | (marks ? IBV_SEND_SIGNALED : 0U);
	}
	if (flags & BW_WR_API)
		tx_state->poster = wr_poster_of(tx->qpx, tx->wr);
}

/* As large as possible, so that a poll finds all completions and a peak window knows what had completed. */
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

/* The first part of a send queue that is used: whole lists; 0: all of it. */
static uint32_t first_part(const struct run *run)
{
	const uint64_t bytes = run->plan.size * run->plan.post_list * run->queues.num_tx;
	const uint64_t lists = bytes < PART_BYTES ? PART_BYTES / (bytes ? bytes : 1) : 1;
	const uint64_t part = lists * run->plan.post_list;

	return part < run->plan.tx_depth ? (uint32_t)part : 0;
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
		.part = flags & BW_SENDS ? first_part(run) : 0,
		.refill = true,
		.send_target = total,
		.receive_target = total,
		.end_cycles = run->plan.end_cycles,
	};
	work->tx_states = calloc(run->queues.num_tx, sizeof(*work->tx_states));
	work->wc = calloc((size_t)work->batch, sizeof(*work->wc));
	if (!work->tx_states || !work->wc) {
		free(work->tx_states);
		free(work->wc);
		return -ENOMEM;
	}
	work->window = post_repost_at(run) + run->plan.recv_post_list;
	work->owes_credit = work->begins_credit = flags & BW_CREDITS;
	for (unsigned i = 0; (flags & BW_CREDITS) && run->plan.credits_restart && i < run->queues.num_tx; i++)
		credit_restart(run->queues.tx[i].credit);
	if (flags & BW_SENDS) {
		for (unsigned i = 0; i < run->queues.num_tx; i++)
			tx_state_open(run, work, i, flags);
		cq_wait_add(&work->cq_wait, run->queues.send_channel, run->queues.send_cq);
		cq_wait_add(&work->cq_wait, run->queues.second_send_channel, run->queues.second_send_cq);
	}
	if (flags & BW_RECEIVES) {
		work->repost_at = post_repost_at(run);
		cq_wait_add(&work->cq_wait, run->queues.recv_channel, run->queues.recv_cq);
		cq_wait_add(&work->cq_wait, run->queues.second_recv_channel, run->queues.second_recv_cq);
	}
	return 0;
}

static void work_begin(struct run *run, struct work *work, uint64_t now)
{
	run->result.begin_cycles = now;
	begin_bursts(run, work);
	work->window_at = run->plan.end_sample_cycles == UINT64_MAX ? UINT64_MAX : run->plan.begin_sample_cycles;
	window_open(&run->result.window, window_width(run), now);
	window_limit(&run->result.window, run->plan.begin_sample_cycles, run->plan.end_sample_cycles);
}

/*
 * The clock of a receive-only side starts when something has arrived: a message, or with a rate limit the first burst.
 * When that was posted is unknown here, so the rate is that of what arrives after it. A full batch may leave more
 * arrivals in the CQ, whose time is unknown too: the clock restarts with each look until a batch was not full, or until
 * all receives that the first look may have found used are polled.
 */
static void begin_receiver(struct run *run, struct work *work, uint64_t moved, unsigned flags)
{
	if (!run->result.received || run->result.received < run->plan.begin_after)
		return;
	/* A message may have arrived before the loop, which then finds nothing: see loop_await_first(). */
	if (moved || !run->result.begin_cycles) {
		if (!run->result.begin_cycles)
			work->early_receives =
				run->result.received - moved + (uint64_t)run->plan.rx_depth * run->queues.num_rx;
		update_sampled(run, flags);
		run->result.unrated = run->result.sampled;
		memcpy(run->result.port_unrated, run->result.port_sampled, sizeof(run->result.port_unrated));
		work_begin(run, work, moved && (flags & BW_CLOCK) ? work->now : clock_cycles());
	}
	work->begun = moved < (uint64_t)work->batch || run->result.received >= work->early_receives;
}

/* How many messages may have completed before the last poll; see stats/window.h. */
static uint64_t done_before_poll(const struct run *run, const struct work *work, unsigned flags)
{
	const uint64_t posted = flags & BW_MANY ? work->posted_before : run->result.posted;
	const uint64_t done = run->result.completed + (uint64_t)(work->stride - 1) * run->queues.num_tx;

	return work->found < work->batch && done < posted ? done : posted;
}

/* A regular end is now; an aborted run ends when something last moved. */
static uint64_t last_seen(const struct run *run, const struct work *work, bool early)
{
	if (early && run->result.completed + run->result.received == work->monitor.moved_count)
		return work->monitor.moved_cycles;
	return clock_cycles();
}

/* End of what is measured. A regular end was stamped by its poll (BW_CLOCK), or with -b after the last send. */
static uint64_t last_moved(const struct run *run, const struct work *work, unsigned flags, bool early)
{
	uint64_t end;

	if (flags & BW_CLOCK)
		end = work->now;
	else if (work->sent_cycles)
		end = work->sent_cycles;
	else
		end = last_seen(run, work, early);
	return end > run->result.begin_cycles ? end : run->result.begin_cycles;
}

/* err: what ended the run, or 0. Returns the result of the loop. */
static int bandwidth_finish(struct run *run, struct work *work, unsigned flags, int err)
{
	/* What happens after the sample window does not cut the run short. */
	const bool early =
		clock_cycles() < run->plan.end_sample_cycles && (run->result.stopped || work->monitor.drained || err);
	const bool timed = run->plan.end_sample_cycles != UINT64_MAX;
	uint64_t end = last_moved(run, work, flags, early);

	if ((flags & BW_QUEUES) && work->uncounted)
		count_queues(run, work, work->uncounted, flags);
	if (flags & BW_LENGTHS)
		count_lengths(run, work, (int64_t)work->uncounted);
	if ((flags & BW_CLOCK) && work->uncounted)
		count_sampled(run, work, work->uncounted, flags);
	if ((flags & BW_QUEUES) && !(flags & BW_CLOCK))
		sample_queues(run);
	update_sampled(run, flags);
	run->result.last_cycles = end;
	run->result.peak = run->result.window.peak;
	if (!run->result.begin_cycles) {
		/* The receiver's clock never started: in a run by time, arrivals never paused, or were too few. */
		run->result.unrated = run->result.sampled;
		memcpy(run->result.port_unrated, run->result.port_sampled, sizeof(run->result.port_unrated));
		run->result.begin_cycles =
			timed && !early && !run->result.sampled ? run->plan.begin_sample_cycles : end;
	} else if (early && end < run->plan.begin_sample_cycles) {
		run->result.sampled = flags & BW_SENDS ? run->result.completed : run->result.received;
		memcpy(run->result.port_sampled, run->result.port_moved, sizeof(run->result.port_sampled));
		if (flags & BW_QUEUES)
			sample_queues(run);
		run->result.margins = 0;
	} else if (run->result.begin_cycles < run->plan.begin_sample_cycles) {
		run->result.begin_cycles = run->plan.begin_sample_cycles;
		run->result.unrated = 0;
		memset(run->result.port_unrated, 0, sizeof(run->result.port_unrated));
	}
	if (timed && (!early || end > run->plan.end_sample_cycles))
		end = run->plan.end_sample_cycles;
	run->result.finish_cycles = end > run->result.begin_cycles ? end : run->result.begin_cycles;
	run->result.sent_all = run->result.completed >= work->send_target;
	cq_wait_close(&work->cq_wait);
	free(work->tx_states);
	free(work->wc);
	if (err)
		return err;
	if (run->result.clock_is_back ||
	    poll_monitor_is_back(&work->monitor, work->monitor.looked_cycles, clock_cycles()))
		return -ETIME;
	return run->result.completed > run->result.posted && (flags & BW_SENDS) ? -EBADMSG : 0;
}

LOOP_INLINE int bandwidth_body(struct run *run, const unsigned flags)
{
	const bool both = (flags & BW_SENDS) && (flags & BW_RECEIVES);
	struct work work;
	int64_t n = 0;
	int64_t moved;
	int err;

	err = open_work(run, &work, flags);
	if (err)
		return err;
	poll_monitor_open(&work.monitor, work.part ? 1 : LOOK_PERIOD, clock_cycles());
	if (flags & BW_SENDS)
		work_begin(run, &work, clock_cycles());
	for (;;) {
		moved = 0;
		if (flags & BW_SENDS) {
			if (flags & BW_RATE) {
				next_burst(run, &work, clock_cycles(), flags);
				work.refill = true;
			}
			if (flags & BW_CREDITS) {
				work.refill = true;
				work.is_held_up = false;
			}
			if (!(flags & (BW_MANY | BW_RATE))) {
				err = tx_state_fill(run, &work, work.tx_states, flags);
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
				if (both)
					work.uncounted = (uint64_t)moved;
				err = (int)n;
				break;
			}
			if (!both)
				moved = n;
			if ((flags & BW_CREDITS) && work.owes_credit) {
				err = send_credits(run, &work, flags);
				if (err)
					break;
			}
		}
		if ((flags & BW_CLOCK) && moved && !(flags & BW_SENDS))
			work.now = clock_cycles();
		if ((flags & BW_QUEUES) && moved)
			count_queues(run, &work, (uint64_t)moved, flags);
		if (flags & BW_LENGTHS)
			count_lengths(run, &work, moved);
		if ((flags & BW_CLOCK) && moved) {
			count_sampled(run, &work, (uint64_t)moved, flags);
			if (__builtin_expect(work.now >= work.end_cycles, 0))
				wind_up_by_time(run, &work, flags);
			if ((flags & BW_SENDS) && window_is_full(&run->result.window, run->result.completed))
				window_turn(&run->result.window, run->result.completed, work.now,
					    done_before_poll(run, &work, flags), work.before);
		}
		if (!(flags & BW_SENDS) && __builtin_expect(!work.begun, 0))
			begin_receiver(run, &work, (uint64_t)moved, flags);
		if (moved || (both && n)) {
			if (is_done(run, &work, flags))
				break;
		} else if ((flags & BW_EVENTS) && !work.part && !((flags & BW_CREDITS) && work.is_held_up)) {
			err = bandwidth_rest(run, &work, flags);
			if (err)
				break;
		}
		if (poll_monitor_due(&work.monitor, both ? moved + n : moved) &&
		    (bandwidth_look(run, &work, flags) || is_done(run, &work, flags)))
			break;
	}
	return bandwidth_finish(run, &work, flags, err);
}

/* --- choice of an instance --- */

/* Flags known at run time, but for those that are never set, and those that always are. */
#define VARIANT(name, never, always)                                                                                   \
	int name(struct run *run, unsigned flags)                                                                      \
	{                                                                                                              \
		return bandwidth_body(run, (flags & ~(unsigned)(never)) | (always));                                   \
	}
#define BW_COUNTS (BW_QUEUES | BW_LENGTHS)
VARIANT(bw_general, BW_SLOTS | BW_READS | BW_PORTS | BW_COUNTS | BW_CREDITS, 0)
VARIANT(bw_ports, BW_SLOTS | BW_READS | BW_COUNTS | BW_CREDITS, BW_PORTS | BW_MANY)
VARIANT(bw_queues, ~(BW_CLOCK | BW_EVENTS), BW_RECEIVES | BW_QUEUES | BW_MANY)
VARIANT(bw_lengths, ~BW_EVENTS, BW_RECEIVES | BW_LENGTHS | BW_MANY | BW_CLOCK)
VARIANT(bw_slots, BW_READS | BW_COUNTS | BW_CREDITS, BW_SLOTS)
VARIANT(bw_credits, BW_PORTS | BW_COUNTS | BW_SHARED, BW_CREDITS | BW_MANY)
VARIANT(bw_reads, BW_SLOTS | BW_PORTS | BW_COUNTS | BW_CREDITS, BW_READS)

/*
 * The common cases: every role, one or many queue pairs, each message signalled or not or in lists, with and without
 * the clock, both interfaces. All others run in bw_general().
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
		return bandwidth_body(run, flags);                                                                     \
	}
BW_INSTANCES(DEFINE)

#define ROW(name, flags) {flags, name},
const struct bw_instance bw_instances[] = {BW_INSTANCES(ROW)};
const size_t bw_num_instances = sizeof(bw_instances) / sizeof(bw_instances[0]);

unsigned bw_flags(const struct run *run, unsigned role)
{
	const struct run_plan *plan = &run->plan;
	const bool timed =
		plan->begin_sample_cycles || plan->end_sample_cycles != UINT64_MAX || plan->end_cycles != UINT64_MAX;
	const bool sends = role & BW_SENDS, receives = role & BW_RECEIVES;
	unsigned flags = role;

	flags |= run->queues.num_tx > 1 ? BW_MANY : 0;
	flags |= plan->want_peak || timed ? BW_CLOCK : 0;
	flags |= (sends && run->queues.send_channel) || (receives && run->queues.recv_channel) ? BW_EVENTS : 0;
	flags |= plan->per_port || run->queues.second_send_cq ? BW_PORTS : 0;
	flags |= plan->by_queue.received ? BW_QUEUES : 0;
	flags |= plan->lengths ? BW_LENGTHS : 0;
	flags |= plan->slots ? BW_SLOTS : 0;
	flags |= run->queues.tx[0].credit ? BW_CREDITS : 0;
	flags |= run->hooks.arrived ? BW_READS : 0;
	flags |= receives && run->queues.rx[0].srq ? BW_SHARED : 0;
	if (!sends)
		return flags;
	flags |= plan->post_list > 1 ? BW_LIST : plan->cq_mod > 1 ? BW_MODERATED : 0;
	flags |= run->queues.tx[0].qpx ? BW_WR_API : 0;
	return flags | (plan->message_cycles > 0 ? BW_RATE : 0);
}

/* The first whose flag is set. */
static const struct {
	unsigned flag;
	int (*loop)(struct run *run, unsigned flags);
} bw_variants[] = {{BW_QUEUES, bw_queues}, {BW_LENGTHS, bw_lengths}, {BW_CREDITS, bw_credits},
		   {BW_SLOTS, bw_slots},   {BW_READS, bw_reads},     {BW_PORTS, bw_ports}};

static int bandwidth_choose(struct run *run, unsigned role)
{
	const unsigned flags = bw_flags(run, role);

	for (size_t i = 0; i < sizeof(bw_variants) / sizeof(bw_variants[0]); i++)
		if (flags & bw_variants[i].flag)
			return bw_variants[i].loop(run, flags);
	for (size_t i = 0; i < bw_num_instances; i++)
		if (bw_instances[i].flags == flags)
			return bw_instances[i].loop(run);
	return bw_general(run, flags);
}

int loop_bw_send(struct run *run)
{
	return bandwidth_choose(run, BW_SENDS);
}

int loop_bw_recv(struct run *run)
{
	return bandwidth_choose(run, BW_RECEIVES);
}

int loop_bw_both(struct run *run)
{
	return bandwidth_choose(run, BW_SENDS | BW_RECEIVES);
}

int loop_warm_up(struct run *run, uint32_t messages)
{
	struct run warm = *run;
	int err;

	warm.result = (struct run_result){0};
	warm.plan.iters = messages;
	warm.plan.want_peak = false;
	warm.plan.slots = NULL;
	warm.hooks.arrived = NULL;
	warm.plan.begin_sample_cycles = 0;
	warm.plan.end_sample_cycles = UINT64_MAX;
	warm.plan.end_cycles = UINT64_MAX;
	warm.plan.message_cycles = 0;
	warm.hooks.next_tick_cycles = UINT64_MAX;
	err = bandwidth_choose(&warm, BW_SENDS);
	run->result.stopped = warm.result.stopped;
	run->result.failure = warm.result.failure;
	return err;
}
