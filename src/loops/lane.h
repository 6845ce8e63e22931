/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A lane: one queue pair with several messages in flight, numbered from 0. How the n-th is posted, and how the arrival
 * of the peer's n-th is detected. For the two sides of an open loop (open_loop.c, echo.c); those of a closed one
 * (latency.c) only have its state, and post and await one message at a time.
 *
 *   LANE_BYTE        it is written to our n-th slot, and its last byte says how many times the slots were reused
 *   LANE_RECEIVE     it consumes a receive; if messages may be lost or overtaken, its number is its immediate data
 *   LANE_COMPLETION  it is no message: our own request completes (READ, atomics); its number is its wr_id
 */
#pragma once

#include <endian.h>
#include <errno.h>

#include "loops/poll_monitor.h"
#include "loops/post.h"
#include "loops/wr_api.h"
#include "stats/clock.h"
#include "traffic/traffic.h"
#include "verbs/queue.h"

/* Signalled messages in a full send queue, which has room for twice the TX depth (verbs/qp/qp.c). */
#define LANE_SIGNALS 8

#define LANE_LOOK_BYTE 4096 /* polls of 1 ns between two looks */
#define LANE_LOOK_CQ   256  /* polls of 10 ns */

enum lane_flag {
	LANE_BYTE = 1 << 0,
	LANE_RECEIVE = 1 << 1,
	LANE_COMPLETION = 1 << 2,
	LANE_WR_API = 1 << 3,
	LANE_SHARED = 1 << 4,	/* receives come from a shared queue (SRQ) */
	LANE_NUMBERED = 1 << 5, /* messages may be lost or overtaken: see struct open_plan */
};

struct lane {
	struct tx_queue *tx;
	struct rx_queue *rx;
	const struct wr_poster *poster; /* LANE_WR_API */
	unsigned plain_flags;
	uint32_t signal_every;
	uint32_t to_signal;
	uint32_t signalled; /* messages whose completion has not been polled */
	uint64_t sent;	    /* messages */
	uint64_t freed;	    /* of these, messages whose entry in the send queue is free again */
	uint32_t room;	    /* entries */
	unsigned turn_shift;
	uint32_t repost_at;
	bool has_past; /* an earlier run may have left a signalled message, whose completion is polled in this one */
	struct poll_monitor monitor;
};

static inline unsigned lane_flags(const struct run *run, unsigned flags)
{
	if (run->queues.tx[0].qpx)
		flags |= LANE_WR_API;
	if ((flags & LANE_RECEIVE) && run->queues.rx[0].srq)
		flags |= LANE_SHARED;
	if ((flags & (LANE_RECEIVE | LANE_COMPLETION)) && run->plan.open.numbered)
		flags |= LANE_NUMBERED;
	return flags;
}

static inline void lane_open(struct lane *lane, struct run *run, const unsigned flags)
{
	struct tx_queue *tx = &run->queues.tx[0];
	const uint32_t room =
		2 * run->plan.tx_depth < TX_MIN_LATENCY_DEPTH ? TX_MIN_LATENCY_DEPTH : 2 * run->plan.tx_depth;

	*lane = (struct lane){
		.tx = tx,
		.rx = run->queues.rx,
		.plain_flags = run->plan.inline_data ? IBV_SEND_INLINE : 0,
		.signal_every = run->plan.signals_all || flags & LANE_COMPLETION ? 1 : room / LANE_SIGNALS,
		.repost_at = flags & LANE_RECEIVE ? post_repost_at(run) : 0,
	};
	/* An earlier run may have left messages after its last signalled one. */
	lane->room = room - (lane->signal_every - 1);
	lane->to_signal = lane->signal_every;
	if ((flags & LANE_BYTE) && tx->step)
		lane->turn_shift = (unsigned)__builtin_ctz(tx->span / tx->step);
	tx->wr->send_flags = lane->plain_flags | IBV_SEND_SIGNALED;
	if (flags & LANE_WR_API)
		lane->poster = wr_poster_of(tx->qpx, tx->wr);
	poll_monitor_open(&lane->monitor, flags & LANE_BYTE ? LANE_LOOK_BYTE : LANE_LOOK_CQ, clock_cycles());
	lane->monitor.tick_grace_cycles = UINT64_MAX; /* the loops of several messages choose the time of a tick */
}

/* Polls one completion of the sends, which may be an error. 0 or -errno. */
static inline int lane_reap(struct run *run, struct lane *lane)
{
	struct ibv_wc wc;
	const int found = cq_poll(run->queues.send_cq, 1, &wc);

	if (found < 0)
		return found;
	if (found == 0)
		return 0;
	if (wc.status != IBV_WC_SUCCESS)
		return post_note_failure(run, &wc, &wc + 1, false /* receive */);
	if (__builtin_expect(!lane->signalled, 0))
		return lane->has_past ? 0 : -EBADMSG;
	lane->signalled--;
	lane->freed += lane->signal_every;
	return 0;
}

/* Does the send queue have room for another message? */
static inline bool lane_has_room(const struct lane *lane)
{
	return lane->sent - lane->freed < lane->room;
}

/* The last byte of the n-th message; never 0, and different from that of the previous message in its slot. */
static inline uint8_t lane_mark(const struct lane *lane, uint64_t n)
{
	return (uint8_t)(0x80 | (n >> lane->turn_shift));
}

static inline uint64_t lane_offset(const struct tx_queue *tx, uint64_t n)
{
	return n * tx->step & (tx->span - 1);
}

/* Posts the n-th message. 0 or -errno. */
LOOP_INLINE int lane_post(struct run *run, struct lane *lane, uint64_t n, const unsigned flags)
{
	struct tx_queue *tx = lane->tx;
	struct ibv_send_wr *bad;
	int err;

	if (flags & LANE_BYTE) {
		const uint64_t offset = lane_offset(tx, n);

		tx->sge->addr = tx->local_base + offset;
		tx->wr->wr.rdma.remote_addr = tx->remote_base + offset;
		tx->post_byte[offset] = lane_mark(lane, n);
	}
	if ((flags & LANE_NUMBERED) && (flags & LANE_COMPLETION))
		tx->wr->wr_id = n;
	else if (flags & LANE_NUMBERED)
		tx->wr->imm_data = htobe32((uint32_t)n);
	if (!(flags & LANE_COMPLETION)) {
		const bool signals = --lane->to_signal == 0;

		if (signals) {
			lane->to_signal = lane->signal_every;
			lane->signalled++;
		}
		tx->wr->send_flags = lane->plain_flags | (signals ? IBV_SEND_SIGNALED : 0U);
	}
	if (flags & LANE_WR_API)
		err = lane->poster->post_list(tx->qpx, tx->wr);
	else
		err = ibv_post_send(tx->qp, tx->wr, &bad);
	if (__builtin_expect(err, 0))
		return post_refusal(err);
	lane->sent++;
	run->result.posted++;
	return 0;
}

/*
 * Has the n-th message arrived? With numbered messages any: *number is the low 32 bits of n. 1: yes; 0: no; or -errno.
 * Posts a used receive again.
 */
LOOP_INLINE int lane_arrived(struct run *run, struct lane *lane, uint64_t n, uint32_t *number, const unsigned flags)
{
	bool is_numbered;
	struct ibv_wc wc;
	int found, err;

	if (flags & LANE_BYTE) {
		if (lane->tx->poll_byte[lane_offset(lane->tx, n)] != lane_mark(lane, n))
			return 0;
		/* The peer's earlier writes must not be read before this byte. */
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		run->result.received++;
		return 1;
	}
	found = cq_poll(flags & LANE_RECEIVE ? run->queues.recv_cq : run->queues.send_cq, 1, &wc);
	if (__builtin_expect(found < 0, 0))
		return found;
	if (!found)
		return 0;
	if (__builtin_expect(wc.status != IBV_WC_SUCCESS, 0))
		return post_note_failure(run, &wc, &wc + 1, flags & LANE_RECEIVE);
	if (flags & LANE_COMPLETION) {
		if (flags & LANE_NUMBERED)
			*number = (uint32_t)wc.wr_id;
		return 1;
	}
	/* Anyone may send a datagram: one without a number is not from the peer. */
	is_numbered = wc.wc_flags & IBV_WC_WITH_IMM;
	if (flags & LANE_NUMBERED)
		*number = be32toh(wc.imm_data);
	err = post_replace(lane->rx, lane->repost_at, run->plan.recv_post_list, false /* has slots */,
			   flags & LANE_SHARED);
	if (__builtin_expect(err, 0))
		return post_refusal(err);
	if ((flags & LANE_NUMBERED) && !is_numbered)
		return 0;
	run->result.received++;
	return 1;
}

/* While nothing arrives. 1: end now; 0: keep waiting; or -errno. count: grows as the run makes progress. */
static inline int lane_look(struct run *run, struct lane *lane, uint64_t count, const unsigned flags)
{
	int err = 0;

	/* A failed message completes with an error even if it was not signalled. */
	if (!(flags & LANE_COMPLETION))
		err = lane_reap(run, lane);
	if (err)
		return err;
	return poll_monitor_ends(&lane->monitor, run, count, clock_cycles());
}

/* At the end: waits until the signalled messages have completed. Returns what lane_look() does. */
static inline int lane_reap_all(struct run *run, struct lane *lane, const unsigned flags)
{
	int result = 0;

	while (lane->signalled && !(flags & LANE_COMPLETION)) {
		result = lane_reap(run, lane);
		if (!result && lane->signalled && poll_monitor_due(&lane->monitor, 0 /* moved */))
			result = lane_look(run, lane, run->result.posted + run->result.received, flags);
		/* That the peer has ended says nothing about acknowledgements, which may arrive later. */
		if (result < 0 || run->result.stopped)
			break;
	}
	return result < 0 ? result : 0;
}

/* Each kind of message with each interface; otherwise flags are checked at run time. */
#define LANE_LOOPS(X)                                                                                                  \
	X(byte, LANE_BYTE)                                                                                             \
	X(byte_api, LANE_BYTE | LANE_WR_API)                                                                           \
	X(receive, LANE_RECEIVE)                                                                                       \
	X(receive_api, LANE_RECEIVE | LANE_WR_API)

/* general: the body with its flags at run time. */
static inline int lane_choose(struct run *run, unsigned message, loop_fn plain, loop_fn api,
			      int (*general)(struct run *run, const unsigned flags))
{
	const unsigned flags = lane_flags(run, message);

	if (flags == message)
		return plain(run);
	return flags == (message | LANE_WR_API) ? api(run) : general(run, flags);
}
