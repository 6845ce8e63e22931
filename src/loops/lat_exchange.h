/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which exchanges of a latency loop are samples, and what is recorded of them: the time between two stamps, except for
 * those that a tick delayed, that are outside the window, or that were open at the end. And how a message is posted and
 * its answer awaited. Included only by latency.c.
 */
#pragma once

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "loops/lane.h"
#include "loops/poll_monitor.h"
#include "loops/post.h"
#include "loops/run.h"
#include "loops/wr_api.h"
#include "stats/clock.h"
#include "stats/latency.h"
#include "traffic/traffic.h"
#include "util/arith.h"
#include "verbs/queue.h"

/* Besides those of a lane. */
enum lat_flag {
	LAT_EVENTS = 1 << 6,
	LAT_GAP = 1 << 7,
	LAT_SLOTS = 1 << 8, /* a slot for each message (--data_validation) */
	LAT_TURNS = 1 << 9, /* the sides take turns: see latency.c */
};

#define LATE_ROOM 4 /* there are three at a time */

/* What this side's next message does, if sides take turns. */
enum turn { TURN_ASK, TURN_HAND_OVER, TURN_ANSWER };

struct exchange {
	struct lane lane; /* its poster is for messages that were not delayed; one message is in flight at a time */
	uint64_t limit;	  /* messages that this side posts */
	bool spent;	  /* the last answer's receive is to be replaced */
	bool open;	  /* a sample is in progress, */
	uint64_t begin;	  /* since then */
	uint64_t longest; /* of all samples, cycles */
	/* Samples that are still to be recorded. */
	unsigned num_late;
	uint64_t late[LATE_ROOM]; /* cycles */
	enum turn turn;
	/* If the next message follows an answer at once: see ping_pong(). */
	bool pauses; /* the next message does not follow: there is more to do than to post */
	/* when this many messages are posted, the next one is the last; UINT64_MAX: on the other side */
	uint64_t pause_at;
	bool apart;	  /* the sample of the next message, or of that in flight, ends with its answer, */
	uint64_t before;  /* and began here */
	bool over;	  /* the awaited answer is the last one, because of the time, */
	bool interrupted; /* or of the user */
	/* How a delayed message is marked. */
	uint8_t count_mask;  /* of the polled byte: the bits that count; the others are set if it was delayed */
	uint32_t held_bytes; /* of a receive; UINT32_MAX: none is marked */
	/* The last answer: */
	bool held;	       /* its byte says that it was delayed */
	uint32_t answer_bytes; /* of a receive */
	int num_sge;	       /* of this side's next message: none if it is empty */
	bool delayed;	       /* this side's next message was delayed */
	uint64_t mark_spent;   /* messages: see mark_delayed() */
	uint64_t peer_mark;    /* the same for the other side */
	uint32_t drops_left;   /* samples still to be dropped: the first, of delayed messages, and as many as the peer
				  drops */
	struct cq_wait cq_wait;
};

#define MARK_COST   8U /* messages */
#define MARK_CREDIT 64U

/* An exchange that is open when the window ends is reported if it was open for at least this part of it. */
#define OPEN_PART 32

/* 0 or -ETIME. */
LOOP_INLINE int record(struct run *run, struct exchange *exchange, uint64_t cycles)
{
	/* If the clock went back, the difference has wrapped and is longer than any. */
	if (__builtin_expect(cycles > exchange->longest, 0)) {
		if ((int64_t)cycles < 0) {
			run->plan.latency->backward++;
			return poll_monitor_is_back(&exchange->lane.monitor, -cycles, 0) ? -ETIME : 0;
		}
		exchange->longest = cycles;
	}
	latency_record(run->plan.latency, cycles);
	return 0;
}

/* Returns what record() does. */
static __attribute__((noinline)) int record_late(struct run *run, struct exchange *exchange)
{
	int result = 0;

	for (unsigned i = 0; i < exchange->num_late; i++) {
		if (record(run, exchange, exchange->late[i]))
			result = -ETIME;
	}
	exchange->num_late = 0;
	return result;
}

static bool has_window(const struct run *run)
{
	return run->plan.end_sample_cycles != UINT64_MAX;
}

/* Is an exchange that was open this long when the window ended worth reporting? */
static bool is_outage(const struct run *run, const struct exchange *exchange, uint64_t open_cycles)
{
	return open_cycles > exchange->longest &&
	       open_cycles > (run->plan.end_sample_cycles - run->plan.begin_sample_cycles) / OPEN_PART;
}

LOOP_INLINE void count_sample(struct run *run, uint64_t begin, uint64_t end)
{
	/* With a gap the time has begun before that: begin_time(). */
	if (!run->result.sampled && !run->plan.gap_cycles)
		run->result.begin_cycles = begin;
	run->result.finish_cycles = end;
	run->result.sampled++;
}

/* With gaps, samples count from here: the gap before the first one is in their time, or few would have a high rate. */
static void begin_time(struct run *run, uint64_t now)
{
	run->result.begin_cycles = run->result.finish_cycles = now;
}

/* The exchange ends now. 1: a part of it is in the window, record it; 0: it does not count; or -ETIME. */
LOOP_INLINE int close_exchange(struct run *run, struct exchange *exchange, uint64_t now)
{
	const uint64_t begin = exchange->begin;

	exchange->open = false;
	if (now < run->plan.begin_sample_cycles || begin > run->plan.end_sample_cycles)
		return poll_monitor_is_back(&exchange->lane.monitor, begin, now) ? -ETIME : 0;
	count_sample(run, begin, now);
	if (__builtin_expect(now > run->plan.end_sample_cycles, 0) &&
	    is_outage(run, exchange, run->plan.end_sample_cycles - begin)) {
		run->result.open_cycles = now - begin;
		run->result.open_answered = true;
	}
	return 1;
}

/* The same, but it is recorded later. 0 or -ETIME. */
LOOP_INLINE int close_for_later(struct run *run, struct exchange *exchange, uint64_t now)
{
	const int result = close_exchange(run, exchange, now);

	if (result <= 0)
		return result;
	exchange->late[exchange->num_late++] = now - exchange->begin;
	return 0;
}

/*
 * The run is over with an answer outstanding, after at least this long in the window. That says something only if it is
 * longer than every other sample, and if the other side has not ended regularly (drained).
 */
static void count_open(struct run *run, struct exchange *exchange, uint64_t now, bool drained)
{
	const bool over = now > run->plan.end_sample_cycles;
	const uint64_t end = over ? run->plan.end_sample_cycles : now;

	if (end <= exchange->begin || end <= run->plan.begin_sample_cycles || (drained && !over) ||
	    end - exchange->begin <= exchange->longest || (over && !is_outage(run, exchange, end - exchange->begin)))
		return;
	latency_record(run->plan.latency, end - exchange->begin);
	count_sample(run, exchange->begin, end);
	run->result.open_cycles = end - exchange->begin;
}

static void add_exchange(struct exchange *exchange)
{
	exchange->limit++;
	if (exchange->pause_at != UINT64_MAX)
		exchange->pause_at++;
}

/*
 * Before a message other than the first, which is not sampled anyway: a tick has delayed it. At most about every eighth
 * message is marked so, or a run would not progress if ticks were always due; a part of that is reserved for a tick
 * that would be the longest sample.
 *
 * Rows are printed by this thread also where another CPU is free: the peer may have none, and its marks are looked for
 * anyway.
 */
static void mark_delayed(const struct run *run, struct exchange *exchange, uint64_t tick_cycles)
{
	const uint64_t credit = run->result.posted + MARK_CREDIT - exchange->mark_spent;

	if (!run->plan.marks_held || !run->result.posted ||
	    credit < (tick_cycles > exchange->longest ? MARK_COST : MARK_CREDIT / 2))
		return;
	exchange->delayed = true;
	exchange->drops_left++;
	exchange->num_sge = 0;
	exchange->mark_spent += MARK_COST;
	if (exchange->limit != UINT64_MAX)
		add_exchange(exchange);
}

/*
 * The answer was delayed, so it is no sample; or the next one is not, if the ticks of both sides coincided. A sample is
 * not dropped if it took longer than a tick ever should: that is an outage, whatever the other side did during it. 0 or
 * -EBADE.
 */
static int drop_sample(struct exchange *exchange, uint64_t received, uint64_t now)
{
	const bool drops = exchange->open && now - exchange->begin < exchange->lane.monitor.tick_grace_cycles;

	/* The same limit as mark_delayed() has: a peer that marked every message would never let this side end. */
	exchange->peer_mark += MARK_COST;
	if (exchange->peer_mark > received + MARK_CREDIT)
		return -EBADE;
	if (exchange->limit != UINT64_MAX) {
		add_exchange(exchange);
		exchange->drops_left += !drops;
	}
	if (drops)
		exchange->open = false;
	return 0;
}

LOOP_INLINE bool was_held(const struct exchange *exchange, const unsigned flags)
{
	return flags & LANE_RECEIVE ? exchange->answer_bytes == exchange->held_bytes : exchange->held;
}

/*
 * The first answer was not delayed: if it looks so, this device reports no length (with immediate data), and lengths
 * mean nothing. As a loop_fn.
 */
static int learn_length(struct run *run, struct exchange *exchange)
{
	if (run->result.received != 1)
		return 0;
	if (exchange->answer_bytes == exchange->held_bytes)
		exchange->held_bytes = UINT32_MAX;
	if (!run->plan.arrival_bytes || exchange->answer_bytes == run->plan.arrival_bytes)
		return 0;
	run->result.first_arrival_bytes = exchange->answer_bytes;
	return -EMSGSIZE;
}

/*
 * This exchange was to be dropped, because a tick delayed its message or another one. If it took longer than a tick
 * ever should, it is an outage, whatever else happened during it, and is a sample.
 */
LOOP_INLINE bool stands_still(const struct run *run, struct exchange *exchange, uint64_t now)
{
	if (now - exchange->begin < exchange->lane.monitor.tick_grace_cycles || now < exchange->begin ||
	    (run->plan.begins && run->result.posted == 1))
		return false;
	if (exchange->limit != UINT64_MAX)
		exchange->drops_left++;
	return true;
}

/* --- posting a message, and waiting for its answer --- */

/*
 * A ping-pong signals every 32nd message, and waits for its completion before the next signalled one: at most 64 are in
 * the queue. With signals_all each one is signalled.
 */
#define SIGNAL_EVERY (TX_MIN_LATENCY_DEPTH / 2)

#define SLEEP_NS     10000000  /* so that session is called in time */
#define SLEEP_MAX_NS 100000000 /* the same, of a probe that costs as little as it can */

/*
 * A tick while an answer is awaited would be in a sample: only a tick later than this does not wait for the answer. An
 * answer is excused by the other side's tick only if it is not later than this.
 */
#define TICK_GRACE_NS 100e6

/* While waiting. 1: end now; 0: keep waiting; or -errno. */
static int exchange_look(struct run *run, struct exchange *exchange, const unsigned flags)
{
	const uint64_t tick = run->hooks.next_tick_cycles;
	const int result = lane_look(run, &exchange->lane, run->result.posted + run->result.received, flags);

	/* What was late for this tick must not be for the next. */
	if (result >= 0 && !run->result.stopped && run->hooks.next_tick_cycles != tick && record_late(run, exchange))
		return -ETIME;
	return result;
}

/* Before another signalled message: waits until the last one has completed. Returns what exchange_look() does. */
static int reap_last(struct run *run, struct exchange *exchange)
{
	while (exchange->lane.signalled) {
		int result = lane_reap(run, &exchange->lane);

		if (!result && exchange->lane.signalled && poll_monitor_due(&exchange->lane.monitor, 0 /* moved */))
			result = exchange_look(run, exchange, 0 /* no completion is the answer */);
		/* That the peer has everything says nothing about acknowledgements, which may arrive later. */
		if (result < 0 || run->result.stopped)
			return result;
	}
	return 0;
}

/* A tick that is due does not wait for long: with short intervals one would be missed. */
static uint64_t sleep_most_ns(const struct run *run, const struct exchange *exchange, uint64_t now)
{
	const uint64_t grace = exchange->lane.monitor.tick_grace_cycles, tick = run->hooks.next_tick_cycles;
	const uint64_t before = now > grace ? now - grace : 0;
	const uint64_t left = arith_smaller(tick > before ? tick - before : 0, clock_ns_to_cycles(SLEEP_MAX_NS));

	return arith_smaller(SLEEP_NS + (uint64_t)clock_cycles_to_ns((double)left), SLEEP_MAX_NS);
}

/* Then a look is due. 0 or -errno. */
static int exchange_sleep(const struct run *run, struct exchange *exchange, uint64_t now, uint64_t until)
{
	const uint64_t ns = (uint64_t)clock_cycles_to_ns((double)(until - now));
	const int ret = cq_wait_sleep(&exchange->cq_wait, arith_smaller(ns, sleep_most_ns(run, exchange, now)));

	exchange->lane.monitor.countdown = 1;
	return ret < 0 ? ret : 0;
}

/* The other side may wait for its gap, but not beyond the end. */
static uint64_t answer_sleep_ns(const struct run *run, const struct exchange *exchange)
{
	const uint64_t now = clock_cycles(), end = run->plan.end_sample_cycles;
	const uint64_t gap = now < end ? arith_smaller(run->plan.gap_cycles, end - now) : 0;

	return arith_smaller(SLEEP_NS + (uint64_t)clock_cycles_to_ns((double)gap), sleep_most_ns(run, exchange, now));
}

/* 1: the answer arrived; 0: not yet; or -errno. */
LOOP_INLINE int poll_answer(struct run *run, struct exchange *exchange, uint8_t expected, const unsigned flags)
{
	struct ibv_wc wc;
	int found;

	if ((flags & LANE_BYTE) && (flags & LAT_SLOTS))
		return exchange->lane.tx->poll_byte[lane_offset(exchange->lane.tx, run->result.received)] == expected;
	if (flags & LANE_BYTE) {
		const uint8_t byte = *exchange->lane.tx->poll_byte;

		if (((byte ^ expected) & exchange->count_mask))
			return 0;
		exchange->held = byte & (uint8_t)~exchange->count_mask;
		return 1;
	}
	found = cq_poll(flags & LANE_RECEIVE ? run->queues.recv_cq : run->queues.send_cq, 1, &wc);
	if (found <= 0)
		return found;
	if (__builtin_expect(wc.status != IBV_WC_SUCCESS, 0))
		return post_note_failure(run, &wc, &wc + 1, flags & LANE_RECEIVE);
	if ((flags & LAT_SLOTS) && (flags & LANE_RECEIVE))
		post_note_arrival(run, &wc);
	if (flags & LANE_RECEIVE)
		exchange->answer_bytes = wc.byte_len;
	return 1;
}

/* 0: the answer arrived; 1: the run ends; or -errno. */
LOOP_INLINE int exchange_await(struct run *run, struct exchange *exchange, uint8_t expected, const unsigned flags)
{
	int result;

	exchange->lane.monitor.countdown = exchange->lane.monitor.period;
	for (;;) {
		result = poll_answer(run, exchange, expected, flags);
		if (result)
			break;
		if (flags & LAT_EVENTS) {
			result = cq_wait_rest(&exchange->cq_wait, &exchange->lane.monitor,
					      answer_sleep_ns(run, exchange));
			if (result)
				return result;
		}
		if (poll_monitor_due(&exchange->lane.monitor, 0 /* moved */)) {
			result = exchange_look(run, exchange, flags);
			/* With threads another one may have found the end while this one had no CPU. */
			if (result > 0 && exchange->lane.monitor.drained) {
				result = poll_answer(run, exchange, expected, flags);
				if (result)
					break;
				return 1;
			}
			if (result)
				return result;
		}
	}
	if (result < 0)
		return result;
	/* The peer's earlier writes must not be read before this byte. */
	if (flags & LANE_BYTE)
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	run->result.completed++;
	if (!(flags & LANE_COMPLETION))
		run->result.received++;
	if (flags & LANE_RECEIVE)
		exchange->spent = true;
	return 0;
}

/* Sets the slots of the next message, here and at the peer. */
static void aim(const struct run *run, struct tx_queue *tx, uint64_t offset)
{
	tx->sge->addr = tx->local_base + offset;
	if (traffic_opcode_is_one_sided(run->plan.opcode))
		tx->wr->wr.rdma.remote_addr = tx->remote_base + offset;
	tx->wr->imm_data = htobe32((uint32_t)(run->plan.slots->first_message + run->result.posted));
}

/* Returns what exchange_await() does. */
LOOP_INLINE int exchange_post(struct run *run, struct exchange *exchange, const unsigned flags)
{
	struct tx_queue *tx = exchange->lane.tx;
	const uint64_t offset = flags & LAT_SLOTS ? lane_offset(tx, run->result.posted) : 0;
	struct ibv_send_wr *bad;
	int result;

	if (flags & LAT_SLOTS)
		aim(run, tx, offset);
	if (!(flags & LANE_COMPLETION)) {
		bool marks = --exchange->lane.to_signal == 0 || run->result.posted + 1 == exchange->limit;

		if (__builtin_expect(marks, 0)) {
			result = reap_last(run, exchange);
			if (result)
				return result;
			exchange->lane.to_signal = exchange->lane.signal_every;
			exchange->lane.signalled = 1;
		}
		tx->wr->send_flags = exchange->lane.plain_flags | (marks ? IBV_SEND_SIGNALED : 0U);
	}
	/* With inline data, the libraries of irdma and i40iw read the length of the first SGE even if there is none. */
	if ((flags & LANE_RECEIVE) && __builtin_expect(exchange->delayed, 0))
		tx->wr->send_flags &= ~(unsigned)IBV_SEND_INLINE;
	if (flags & LANE_BYTE)
		tx->post_byte[offset] = (uint8_t)(((run->result.posted + 1) & exchange->count_mask) |
						  (exchange->delayed ? (uint8_t)~exchange->count_mask : 0));
	if (flags & LANE_RECEIVE)
		tx->wr->num_sge = exchange->num_sge;
	if (flags & LANE_WR_API)
		result = (exchange->delayed ? &wr_poster_general : exchange->lane.poster)->post_list(tx->qpx, tx->wr);
	else
		result = ibv_post_send(tx->qp, tx->wr, &bad);
	if (__builtin_expect(result, 0))
		return post_refusal(result);
	run->result.posted++;
	return 0;
}

/* Replaces the receive that an answer used. */
LOOP_INLINE int exchange_replace(struct run *run, struct exchange *exchange, const unsigned flags)
{
	int err;

	exchange->spent = false;
	err = post_replace(exchange->lane.rx, exchange->lane.repost_at, run->plan.recv_post_list, flags & LAT_SLOTS,
			   flags & LANE_SHARED);
	return __builtin_expect(err, 0) ? post_refusal(err) : 0;
}

/*
 * Posts the next message. What can wait is done afterwards, except for replacing the last receive: the answer would
 * find none. Returns what exchange_await() does.
 */
LOOP_INLINE int exchange_send(struct run *run, struct exchange *exchange, const unsigned flags)
{
	int result = 0;

	if ((flags & LANE_RECEIVE) && exchange->spent && __builtin_expect(exchange->lane.rx->posted == 1, 0))
		result = exchange_replace(run, exchange, flags);
	return result ? result : exchange_post(run, exchange, flags);
}

static void open_exchange(struct run *run, struct exchange *exchange, const unsigned flags)
{
	struct lane *lane = &exchange->lane;

	*exchange = (struct exchange){
		.limit = run->plan.iters ? run->plan.iters : UINT64_MAX,
		.turn = run->plan.begins ? TURN_ASK : TURN_ANSWER,
		.num_sge = run->queues.tx[0].wr->num_sge,
		.count_mask = run->plan.marks_held ? 0x7f : 0xff,
		.held_bytes = run->plan.marks_held ? run->plan.recv_header_bytes : UINT32_MAX,
	};
	lane_open(lane, run, flags);
	/* By time a side simply ends. The first message is signalled, to free what such runs left in the queue. */
	lane->has_past = true;
	lane->to_signal = 1;
	lane->signal_every = run->plan.signals_all ? 1 : SIGNAL_EVERY;
	lane->monitor.tick_grace_cycles = clock_ns_to_cycles(TICK_GRACE_NS);
	if (flags & LANE_RECEIVE)
		cq_wait_add(&exchange->cq_wait, run->queues.recv_channel, run->queues.recv_cq);
	if (flags & LANE_COMPLETION)
		cq_wait_add(&exchange->cq_wait, run->queues.send_channel, run->queues.send_cq);
	run->result.begin_cycles = run->result.finish_cycles = lane->monitor.looked_cycles;
}
