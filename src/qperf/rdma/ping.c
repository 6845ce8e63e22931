// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See rdma_test.h. Messages are posted and awaited as by the other loops with numbers (loops/lane.h). */
#include "qperf/rdma/rdma_test.h"

#include "loops/lane.h"

#define MEMORY_PERIOD 4096 /* polls of memory between two looks */
#define SLEEP_NS      1000000
#define NUMBERED      (LANE_RECEIVE | LANE_NUMBERED)
#define CLIENT_BYTE   0x55
#define SERVER_BYTE   0xaa

enum turn { TURN_ANSWERED, TURN_LOST, TURN_END }; /* or -errno */

struct ping {
	struct run *run;
	struct lane lane;
	struct cq_wait cq_wait;
	uint64_t timeout_cycles; /* UINT64_MAX: this side only answers */
	uint32_t number;	 /* of the last message received */
};

/* Called while nothing arrives. 0: wait; 1: the run ends; or -errno. */
static int ping_look(struct ping *ping)
{
	struct run *run = ping->run;
	const int ret = lane_look(run, &ping->lane, run->result.received, NUMBERED);

	return ret ? ret : clock_cycles() >= run->plan.end_cycles;
}

static int ping_send(struct ping *ping, uint32_t number, const unsigned flags)
{
	int ret = 0;

	while (!ret && !lane_has_room(&ping->lane)) {
		ret = lane_reap(ping->run, &ping->lane);
		if (!ret && !lane_has_room(&ping->lane))
			ret = ping_look(ping);
	}
	if (ret)
		return ret < 0 ? ret : TURN_END;
	return lane_post(ping->run, &ping->lane, number, flags);
}

/*
 * Waits for a message: any, or on the asking side the one with this number, until its timeout after sent_at has passed.
 */
static int ping_await(struct ping *ping, uint32_t number, uint64_t sent_at)
{
	const bool asks = ping->timeout_cycles != UINT64_MAX;

	ping->lane.monitor.countdown = ping->lane.monitor.period; /* not one that a sleep has left */
	for (;;) {
		int ret = lane_arrived(ping->run, &ping->lane, 0 /* any */, &ping->number, NUMBERED);

		if (ret > 0 && (!asks || ping->number == number))
			return TURN_ANSWERED;
		if (!ret && ping->cq_wait.count)
			ret = cq_wait_rest(&ping->cq_wait, &ping->lane.monitor, SLEEP_NS);
		if (ret < 0)
			return ret;
		if (!poll_monitor_due(&ping->lane.monitor, 0 /* moved */))
			continue;
		ret = ping_look(ping);
		if (ret)
			return ret < 0 ? ret : TURN_END;
		if (asks && clock_cycles() >= sent_at + ping->timeout_cycles)
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
		ret = ping_send(ping, n, NUMBERED);
		if (!ret)
			ret = ping_await(ping, n, before);
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
		before = now;
		if (run->result.posted == run->plan.iters || now >= run->plan.end_cycles ||
		    (now >= run->hooks.next_tick_cycles && poll_monitor_tick(run, now)))
			break;
	}
	return 0;
}

static int ping_answer(struct ping *ping)
{
	struct run *run = ping->run;
	int ret = 0;

	while (!ret && !run->result.stopped) {
		uint64_t now;

		ret = ping_await(ping, 0 /* any */, 0 /* without a limit */);
		if (ret != TURN_ANSWERED)
			break;
		ret = ping_send(ping, ping->number, NUMBERED);
		if (ret)
			break;
		now = clock_cycles();
		ping_count(run, now);
		if (run->result.received == run->plan.iters ||
		    (now >= run->hooks.next_tick_cycles && poll_monitor_tick(run, now)))
			break;
	}
	return ret;
}

static void ping_begin(struct ping *ping, struct run *run, uint64_t timeout_cycles, const unsigned flags)
{
	*ping = (struct ping){.run = run, .timeout_cycles = timeout_cycles};
	lane_open(&ping->lane, run, flags);
	ping->lane.monitor.tick_grace_cycles = 0; /* a tick does not wait for an answer, which may be lost */
	run->result.begin_cycles = ping->lane.monitor.looked_cycles;
}

int ping_numbered(struct run *run, uint64_t timeout_cycles, struct losses *losses)
{
	struct ping ping;
	int ret;

	ping_begin(&ping, run, run->plan.begins ? timeout_cycles : UINT64_MAX, NUMBERED);
	cq_wait_add(&ping.cq_wait, run->queues.recv_channel, run->queues.recv_cq);
	ret = run->plan.begins ? ping_ask(&ping, losses) : ping_answer(&ping);
	cq_wait_close(&ping.cq_wait);
	return poll_monitor_result(run, ret);
}

int ping_classic(struct run *run, bool client, volatile uint8_t *received)
{
	const uint8_t own = client ? CLIENT_BYTE : SERVER_BYTE, other = client ? SERVER_BYTE : CLIENT_BYTE;
	const uint64_t last = run->plan.size - 1;
	volatile uint8_t *sent = (volatile uint8_t *)(uintptr_t)run->queues.tx[0].sge[0].addr;
	uint64_t before, now;
	struct ping ping;
	bool sends = client;
	int ret = 0;

	ping_begin(&ping, run, UINT64_MAX, 0 /* without a number */);
	before = now = run->result.begin_cycles;
	sent[0] = own;
	sent[last] = own;
	while (!ret && now < run->plan.end_cycles) {
		if (sends)
			ret = ping_send(&ping, 0, 0 /* without a number */);
		for (uint32_t n = 1; !ret && !(received[0] == other && received[last] == other); n++)
			if (n % MEMORY_PERIOD == 0)
				ret = ping_look(&ping);
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
	return poll_monitor_result(run, ret);
}
