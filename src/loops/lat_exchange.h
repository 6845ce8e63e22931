/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Posting a message and waiting for its answer, in a latency loop. Included by lat_ask.h and lat_ping_pong.h. */
#pragma once

#include <endian.h>
#include <errno.h>

#include "loops/lat_sample.h"
#include "loops/post.h"
#include "loops/wr_api.h"
#include "stats/clock.h"
#include "traffic/traffic.h"
#include "verbs/qp/cq_poll.h"

/*
 * A ping-pong signals every 32nd message, and waits for its completion before the next signalled one: at most 64 are in
 * the queue. With signals_all each one is signalled.
 */
#define SIGNAL_EVERY (TX_MIN_LATENCY_DEPTH / 2)

#define SLEEP_NS 10000000 /* so that session is called in time, and often enough for a gap that is slept */

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

/* At most SLEEP_NS; then a look is due. 0 or -errno. */
static int exchange_sleep(struct exchange *exchange, double ns)
{
	exchange->lane.monitor.countdown = 1;
	return cq_wait_sleep(&exchange->cq_wait, ns < SLEEP_NS ? (uint64_t)ns : SLEEP_NS);
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
			result = cq_wait_rest(&exchange->cq_wait, &exchange->lane.monitor, SLEEP_NS);
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
