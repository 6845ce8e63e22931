/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Posting a message and waiting for its answer, in a latency loop. Included by lat_ask.h and lat_ping_pong.h. */
#ifndef LOOPS_LAT_EXCHANGE_H
#define LOOPS_LAT_EXCHANGE_H

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

#define LOOK_PERIOD_BYTE 4096	  /* polls of 1 ns */
#define LOOK_PERIOD_CQ	 256	  /* polls of 10 ns */
#define SLEEP_NS	 10000000 /* so that session is called in time, and often enough for a gap that is slept */

/*
 * A tick while an answer is awaited would be in a sample: only a tick later than this does not wait for the answer. An
 * answer is excused by the other side's tick only if it is not later than this.
 */
#define TICK_GRACE_NS 100e6

/* Polls a ping-pong's completion, if there is one, which may be an error. 0 or -errno. */
static int exchange_reap(struct run *run, struct exchange *exchange)
{
	struct ibv_wc wc;
	int found = cq_poll(run->queues.send_cq, 1, &wc);

	if (found <= 0)
		return found;
	if (wc.status != IBV_WC_SUCCESS)
		return post_note_failure(run, &wc, &wc + 1, false /* receive */);
	exchange->signalled = false;
	return 0;
}

/* While waiting. 1: end now; 0: keep waiting; or -errno. */
static int exchange_look(struct run *run, struct exchange *exchange, const unsigned flags)
{
	const uint64_t tick = run->hooks.next_tick_cycles;
	int err;

	/* A failed message completes with an error even if it was not signalled. */
	if (!(flags & ANSWER_COMPLETION)) {
		err = exchange_reap(run, exchange);
		if (err)
			return err;
	}
	if (poll_monitor_look(&exchange->monitor, run, run->result.posted + run->result.received, clock_cycles()) !=
	    POLL_GO) {
		run->result.stopped = true;
		return 1;
	}
	/* What was late for this tick must not be for the next. */
	if (run->hooks.next_tick_cycles != tick && record_late(run, exchange))
		return -ETIME;
	return exchange->monitor.drained;
}

/* Before another signalled message: waits until the last one has completed. Returns what exchange_look() does. */
static int reap_last(struct run *run, struct exchange *exchange)
{
	while (exchange->signalled) {
		int result = exchange_reap(run, exchange);

		if (!result && exchange->signalled && poll_monitor_due(&exchange->monitor, 0 /* moved */))
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
	exchange->monitor.countdown = 1;
	return cq_wait_sleep(&exchange->cq_wait, ns < SLEEP_NS ? (uint64_t)ns : SLEEP_NS);
}

static int exchange_rest(struct exchange *exchange)
{
	int armed = cq_wait_arm(&exchange->cq_wait);

	if (armed)
		return armed < 0 ? armed : 0;
	return exchange_sleep(exchange, SLEEP_NS);
}

/* Offset of the n-th message of a run with slots, from the first. */
static inline uint64_t exchange_slot_offset(const struct tx_queue *tx, uint64_t n)
{
	return n * tx->step & (tx->span - 1);
}

/* 1: the answer arrived; 0: not yet; or -errno. */
LOOP_INLINE int poll_answer(struct run *run, struct exchange *exchange, uint8_t expected, const unsigned flags)
{
	struct ibv_wc wc;
	int found;

	if ((flags & ANSWER_BYTE) && (flags & LAT_SLOTS))
		return exchange->tx->poll_byte[exchange_slot_offset(exchange->tx, run->result.received)] == expected;
	if (flags & ANSWER_BYTE) {
		const uint8_t byte = *exchange->tx->poll_byte;

		if (((byte ^ expected) & exchange->count_mask))
			return 0;
		exchange->held = byte & (uint8_t)~exchange->count_mask;
		return 1;
	}
	found = cq_poll(flags & ANSWER_RECEIVE ? run->queues.recv_cq : run->queues.send_cq, 1, &wc);
	if (found <= 0)
		return found;
	if (__builtin_expect(wc.status != IBV_WC_SUCCESS, 0))
		return post_note_failure(run, &wc, &wc + 1, flags & ANSWER_RECEIVE);
	if ((flags & LAT_SLOTS) && (flags & ANSWER_RECEIVE))
		post_note_arrival(run, &wc);
	if (flags & ANSWER_RECEIVE)
		exchange->answer_bytes = wc.byte_len;
	return 1;
}

/* 0: the answer arrived; 1: the run ends; or -errno. */
LOOP_INLINE int exchange_await(struct run *run, struct exchange *exchange, uint8_t expected, const unsigned flags)
{
	int result;

	exchange->monitor.countdown = exchange->monitor.period;
	for (;;) {
		result = poll_answer(run, exchange, expected, flags);
		if (result)
			break;
		if (flags & LAT_EVENTS) {
			result = exchange_rest(exchange);
			if (result)
				return result;
		}
		if (poll_monitor_due(&exchange->monitor, 0 /* moved */)) {
			result = exchange_look(run, exchange, flags);
			/* With threads another one may have found the end while this one had no CPU. */
			if (result > 0 && exchange->monitor.drained) {
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
	if (flags & ANSWER_BYTE)
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	run->result.completed++;
	if (!(flags & ANSWER_COMPLETION))
		run->result.received++;
	if (flags & ANSWER_RECEIVE)
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
	struct tx_queue *tx = exchange->tx;
	const uint64_t offset = flags & LAT_SLOTS ? exchange_slot_offset(tx, run->result.posted) : 0;
	struct ibv_send_wr *bad;
	int result;

	if (flags & LAT_SLOTS)
		aim(run, tx, offset);
	if (!(flags & ANSWER_COMPLETION)) {
		bool marks = --exchange->to_signal == 0 || run->result.posted + 1 == exchange->limit;

		if (__builtin_expect(marks, 0)) {
			result = reap_last(run, exchange);
			if (result)
				return result;
			exchange->to_signal = exchange->signal_every;
			exchange->signalled = true;
		}
		tx->wr->send_flags = exchange->plain_flags | (marks ? IBV_SEND_SIGNALED : 0U);
	}
	/* With inline data, the libraries of irdma and i40iw read the length of the first SGE even if there is none. */
	if ((flags & ANSWER_RECEIVE) && __builtin_expect(exchange->holds, 0))
		tx->wr->send_flags &= ~(unsigned)IBV_SEND_INLINE;
	if (flags & ANSWER_BYTE)
		tx->post_byte[offset] = (uint8_t)(((run->result.posted + 1) & exchange->count_mask) |
						  (exchange->holds ? (uint8_t)~exchange->count_mask : 0));
	if (flags & ANSWER_RECEIVE)
		tx->wr->num_sge = exchange->num_sge;
	if (flags & LAT_WR_API)
		result = (exchange->holds ? &wr_poster_general : exchange->poster)->post_list(tx->qpx, tx->wr);
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
	if (flags & LAT_SLOTS)
		err = post_replace_slot(exchange->rx, exchange->repost_at, run->plan.recv_post_list,
					flags & LAT_SHARED);
	else
		err = post_replace(exchange->rx, exchange->repost_at, run->plan.recv_post_list, flags & LAT_SHARED);
	return __builtin_expect(err, 0) ? post_refusal(err) : 0;
}

/*
 * Posts the next message. What can wait is done afterwards, except for replacing the last receive: the answer would
 * find none. Returns what exchange_await() does.
 */
LOOP_INLINE int exchange_send(struct run *run, struct exchange *exchange, const unsigned flags)
{
	int result = 0;

	if ((flags & ANSWER_RECEIVE) && exchange->spent && __builtin_expect(exchange->rx->posted == 1, 0))
		result = exchange_replace(run, exchange, flags);
	return result ? result : exchange_post(run, exchange, flags);
}

static void open_exchange(struct run *run, struct exchange *exchange, const unsigned flags)
{
	struct tx_queue *tx = &run->queues.tx[0];
	const uint32_t signal_every = run->plan.signals_all ? 1 : SIGNAL_EVERY;
	uint64_t now = clock_cycles();

	*exchange = (struct exchange){
		.tx = tx,
		.rx = run->queues.rx,
		.limit = run->plan.iters ? run->plan.iters : UINT64_MAX,
		.to_signal = signal_every,
		.signal_every = signal_every,
		.plain_flags = run->plan.inline_data ? IBV_SEND_INLINE : 0,
		.repost_at = flags & ANSWER_RECEIVE ? post_repost_at(run) : 0,
		.turn = run->plan.begins ? TURN_ASK : TURN_ANSWER,
		.num_sge = tx->wr->num_sge,
		.count_mask = run->plan.marks_held ? 0x7f : 0xff,
		.held_bytes = run->plan.marks_held ? run->plan.recv_header_bytes : UINT32_MAX,
	};
	tx->wr->send_flags = exchange->plain_flags | IBV_SEND_SIGNALED;
	if (flags & LAT_WR_API)
		exchange->poster = wr_poster_of(tx->qpx, tx->wr);
	poll_monitor_open(&exchange->monitor, flags & ANSWER_BYTE ? LOOK_PERIOD_BYTE : LOOK_PERIOD_CQ, now);
	exchange->monitor.tick_grace_cycles = clock_ns_to_cycles(TICK_GRACE_NS);
	if (flags & ANSWER_RECEIVE)
		cq_wait_add(&exchange->cq_wait, run->queues.recv_channel, run->queues.recv_cq);
	if (flags & ANSWER_COMPLETION)
		cq_wait_add(&exchange->cq_wait, run->queues.send_channel, run->queues.send_cq);
	run->result.begin_cycles = now;
	run->result.finish_cycles = now;
}

#endif
