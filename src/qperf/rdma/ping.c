// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See rdma_test.h. */
#include "qperf/rdma/rdma_test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>

#include "loops/poll_monitor.h"
#include "loops/post.h"
#include "stats/clock.h"
#include "verbs/queue.h"

#define LOOK_PERIOD   256  /* unsuccessful polls between two checks of the clock */
#define MEMORY_PERIOD 4096 /* the same of polls of memory */
#define SLEEP_NS      1000000
#define IDLE_NS	      1000000
#define SIGNAL_EVERY  (TX_MIN_LATENCY_DEPTH / 2)
#define CLIENT_BYTE   0x55
#define SERVER_BYTE   0xaa

enum turn { TURN_ANSWERED, TURN_LOST, TURN_END }; /* or -errno */

struct ping {
	struct run *run;
	uint64_t timeout_cycles; /* UINT64_MAX: this side only answers */
	uint64_t idle_cycles;
	uint64_t asked_cycles; /* when idle() was last called, or something arrived */
	struct cq_wait cq_wait;
	uint32_t repost_at;
	bool signalled; /* a message whose completion was not polled yet */
	__be32 number;	/* of the last message received */
};

/* 1: something has completed; 0: nothing; or -errno. */
static int poll_one(struct run *run, struct ibv_cq *cq, bool receive, struct ibv_wc *wc)
{
	const int n = cq_poll(cq, 1, wc);

	return n > 0 && wc->status != IBV_WC_SUCCESS ? post_note_failure(run, wc, wc + 1, receive) : n;
}

static int ping_reap(struct ping *ping)
{
	struct ibv_wc wc;
	const int n = poll_one(ping->run, ping->run->queues.send_cq, false /* send */, &wc);

	ping->signalled &= !n;
	return n < 0 ? n : 0;
}

/* Called while nothing arrives. 0: wait; 1: the run ends; or -errno. */
static int ping_look(struct ping *ping, uint64_t now)
{
	struct run *run = ping->run;
	int ret = ping_reap(ping);

	if (ret)
		return ret;
	if (now >= run->hooks.next_tick_cycles)
		run->hooks.next_tick_cycles = run->hooks.tick(run, now);
	if (run->plan.yields)
		sched_yield();
	if (now - ping->asked_cycles >= ping->idle_cycles) {
		ping->asked_cycles = now;
		if (run->hooks.idle(run) != IDLE_WAIT)
			run->result.stopped = true;
	}
	return run->result.stopped || now >= run->plan.end_cycles;
}

static int send_number(struct ping *ping, __be32 number)
{
	struct run *run = ping->run;
	struct tx_queue *tx = &run->queues.tx[0];
	struct ibv_send_wr *bad;
	int ret;

	tx->wr->imm_data = number;
	tx->wr->send_flags = run->plan.inline_data ? IBV_SEND_INLINE : 0;
	if (run->plan.signals_all || run->result.posted % SIGNAL_EVERY == 0) {
		while (ping->signalled) {
			ret = ping_look(ping, clock_cycles());
			if (ret)
				return ret < 0 ? ret : TURN_END;
		}
		tx->wr->send_flags |= IBV_SEND_SIGNALED;
		ping->signalled = true;
	}
	ret = ibv_post_send(tx->qp, tx->wr, &bad);
	run->result.posted += !ret;
	return post_refusal(ret);
}

/* 1: a message has arrived; 0: none; or -errno. */
static int ping_take(struct ping *ping)
{
	struct ibv_wc wc;
	const int n = poll_one(ping->run, ping->run->queues.recv_cq, true /* receive */, &wc);

	if (n <= 0)
		return n;
	ping->number = wc.imm_data;
	ping->run->result.received++;
	return 1;
}

static int ping_replace(struct ping *ping)
{
	return post_refusal(
		post_replace(&ping->run->queues.rx[0], ping->repost_at, 1, false /* has slots */, false /* shared */));
}

/*
 * Waits for a message: any, or on the asking side the one with this number, until its timeout after sent_at has passed.
 */
static int ping_await(struct ping *ping, __be32 number, uint64_t sent_at)
{
	const bool asks = ping->timeout_cycles != UINT64_MAX;

	for (uint32_t empty = 1;; empty++) {
		int ret = ping_take(ping);
		uint64_t now;

		if (ret > 0 && (!asks || ping->number == number))
			return TURN_ANSWERED;
		if (ret > 0)
			ret = ping_replace(ping); /* too late */
		if (ret < 0)
			return ret;
		if (ping->cq_wait.count) {
			ret = cq_wait_arm(&ping->cq_wait);
			if (ret > 0)
				continue;
			if (!ret)
				ret = cq_wait_sleep(&ping->cq_wait, SLEEP_NS);
			if (ret < 0)
				return ret;
		} else if (empty % LOOK_PERIOD) {
			continue;
		}
		now = clock_cycles();
		ret = ping_look(ping, now);
		if (ret)
			return ret < 0 ? ret : TURN_END;
		if (asks && now >= sent_at + ping->timeout_cycles)
			return TURN_LOST;
	}
}

static bool is_inside(const struct run *run, uint64_t now)
{
	return now <= run->plan.end_sample_cycles;
}

static void ping_count(struct run *run, uint64_t now)
{
	run->result.completed++;
	if (!is_inside(run, now))
		return;
	run->result.sampled++;
	run->result.finish_cycles = now;
}

/* A wait that ended within the measured time is part of that, and must be subtracted. */
static void ping_count_lost(struct run *run, uint64_t before, uint64_t now, struct losses *losses)
{
	losses->messages++;
	if (!is_inside(run, now))
		return;
	losses->cycles += now - before;
	run->result.finish_cycles = now;
}

static int ping_ask(struct ping *ping, struct losses *losses)
{
	struct run *run = ping->run;
	uint64_t before = clock_cycles(), now;
	bool in_time;
	int ret = 0;

	for (uint32_t n = 1; ret != TURN_END; n++) {
		ret = send_number(ping, htonl(n));
		if (!ret)
			ret = ping_await(ping, htonl(n), before);
		if (ret < 0)
			return ret;
		now = clock_cycles();
		/* If this side did not run for a while, an answer may have waited for it: that is late, too. */
		in_time = ret == TURN_ANSWERED && now < before + ping->timeout_cycles;
		if (in_time) {
			ping_count(run, now);
			if (is_inside(run, now))
				latency_record_between(run->plan.latency, before, now);
		} else if (ret != TURN_END) {
			ping_count_lost(run, before, now, losses);
		}
		if (ret == TURN_ANSWERED) {
			ping->asked_cycles = now;
			ret = ping_replace(ping);
			if (ret)
				return ret;
		}
		before = now;
		if (run->result.posted == run->plan.iters || now >= run->plan.end_cycles)
			break;
		if (now >= run->hooks.next_tick_cycles)
			run->hooks.next_tick_cycles = run->hooks.tick(run, now);
		if (run->result.stopped)
			break;
	}
	return 0;
}

static int ping_answer(struct ping *ping)
{
	struct run *run = ping->run;
	int ret = 0;

	while (!ret && !run->result.stopped) {
		ret = ping_await(ping, 0 /* any */, 0 /* without a limit */);
		if (ret != TURN_ANSWERED)
			break;
		ret = send_number(ping, ping->number);
		if (ret)
			break;
		ping->asked_cycles = clock_cycles();
		ping_count(run, ping->asked_cycles);
		ret = ping_replace(ping);
		if (run->result.received == run->plan.iters)
			break;
		if (ping->asked_cycles >= run->hooks.next_tick_cycles)
			run->hooks.next_tick_cycles = run->hooks.tick(run, ping->asked_cycles);
	}
	return ret < 0 ? ret : 0;
}

static struct ping ping_begin(struct run *run, uint64_t timeout_cycles)
{
	run->result.begin_cycles = clock_cycles();
	return (struct ping){
		.run = run,
		.timeout_cycles = timeout_cycles,
		.idle_cycles = clock_ns_to_cycles(IDLE_NS),
		.asked_cycles = run->result.begin_cycles,
		.repost_at = post_repost_at(run),
	};
}

int ping_numbered(struct run *run, uint64_t timeout_cycles, struct losses *losses)
{
	struct ping ping = ping_begin(run, run->plan.begins ? timeout_cycles : UINT64_MAX);
	int ret;

	cq_wait_add(&ping.cq_wait, run->queues.recv_channel, run->queues.recv_cq);
	ret = run->plan.begins ? ping_ask(&ping, losses) : ping_answer(&ping);
	cq_wait_close(&ping.cq_wait);
	return ret;
}

int ping_classic(struct run *run, bool client, volatile uint8_t *received)
{
	const uint8_t own = client ? CLIENT_BYTE : SERVER_BYTE, other = client ? SERVER_BYTE : CLIENT_BYTE;
	const uint64_t last = run->plan.size - 1;
	volatile uint8_t *sent = (volatile uint8_t *)(uintptr_t)run->queues.tx[0].sge[0].addr;
	struct ping ping = ping_begin(run, UINT64_MAX);
	uint64_t before = run->result.begin_cycles, now = before;
	bool sends = client;
	int ret = 0;

	sent[0] = own;
	sent[last] = own;
	while (!ret && now < run->plan.end_cycles) {
		if (sends)
			ret = send_number(&ping, 0 /* without immediate data */);
		for (uint32_t n = 1; !ret && !(received[0] == other && received[last] == other); n++)
			if (n % MEMORY_PERIOD == 0)
				ret = ping_look(&ping, clock_cycles());
		if (ret)
			break;
		received[0] = own;
		received[last] = own;
		now = clock_cycles();
		if (sends)
			latency_record_between(run->plan.latency, before, now);
		before = now;
		sends = true;
		run->result.received++;
		run->result.completed++;
		run->result.sampled++;
		run->result.last_cycles = now;
	}
	run->result.finish_cycles = clock_cycles();
	return ret < 0 ? ret : 0;
}
