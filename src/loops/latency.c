// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The loops of all latency tests: one body that posts a message, waits for the answer and measures the time; run.h says
 * what exactly a sample is. Three kinds of answer:
 *
 *   LANE_BYTE        the peer writes a byte into our memory (ib_write_lat)
 *   LANE_RECEIVE     the peer's message consumes a receive (ib_send_lat, and writes with immediate)
 *   LANE_COMPLETION  our own request completes (ib_read_lat, ib_atomic_lat)
 *
 * Between the answer and the next post only the clock is read, in a ping-pong not even that, so that neither side's
 * bookkeeping is in the other's samples: samples are recorded, receives replaced and completions polled while the next
 * message is in flight.
 *
 * A tick (an interval row is printed) also runs before a message, and would be in the sample that the other side is
 * measuring. If both sides are ours, the message that follows it is marked as delayed: it has another highest bit in
 * the polled byte, or no data at all. The other side then drops its sample, and this side does not sample the answer;
 * both make one more exchange. So a delayed message costs each side one sample, even if both delay theirs.
 */
#include <errno.h>

#include "loops/lat_ask.h"
#include "loops/lat_ping_pong.h"

/* What the last answer left to do. Returns the final result. */
static int exchange_finish(struct run *run, struct exchange *exchange, int result, const unsigned flags)
{
	const uint64_t now = clock_cycles();

	if (result >= 0 && (run->result.clock_is_back ||
			    poll_monitor_is_back(&exchange->lane.monitor, exchange->lane.monitor.looked_cycles, now)))
		result = -ETIME;
	if (record_late(run, exchange) && result >= 0)
		result = -ETIME;
	/* An immediate failure has no time; one after long retries was an outage. */
	if (exchange->open && (result >= 0 || now - exchange->begin >= exchange->lane.monitor.tick_grace_cycles))
		count_open(run, exchange, now, !run->result.stopped && result >= 0);
	if (run->result.sampled)
		run->result.last_cycles = run->result.finish_cycles;
	/* With slots, rounds are added up by their durations; otherwise the time is always the window. */
	if (has_window(run) && !(flags & LAT_SLOTS)) {
		run->result.begin_cycles = run->plan.begin_sample_cycles;
		run->result.finish_cycles = now < run->plan.end_sample_cycles ? now : run->plan.end_sample_cycles;
	}
	if (exchange->spent && result >= 0) {
		int err = exchange_replace(run, exchange, flags);

		result = err ? err : result;
	}
	return result;
}

LOOP_INLINE int latency_body(struct run *run, const unsigned flags)
{
	struct exchange exchange;
	int result;

	open_exchange(run, &exchange, flags);
	if (flags & (LANE_COMPLETION | LAT_GAP | LAT_TURNS))
		result = ask_and_await(run, &exchange, flags);
	else
		result = ping_pong(run, &exchange, flags);
	result = exchange_finish(run, &exchange, result, flags);
	/* The next run on this queue pair expects an empty queue. */
	if (!result && !(flags & LANE_COMPLETION) && run->result.posted == exchange.limit)
		result = reap_last(run, &exchange);
	run->result.sent_all = !exchange.lane.signalled;
	cq_wait_close(&exchange.cq_wait);
	return result < 0 ? result : 0;
}

/* Each kind of answer with each interface; gaps and events, which cost microseconds anyway, have flags at run time. */
#define LAT_LOOPS(X)                                                                                                   \
	X(write, LANE_BYTE)                                                                                            \
	X(write_api, LANE_BYTE | LANE_WR_API)                                                                          \
	X(send, LANE_RECEIVE)                                                                                          \
	X(send_api, LANE_RECEIVE | LANE_WR_API)                                                                        \
	X(request, LANE_COMPLETION)                                                                                    \
	X(request_api, LANE_COMPLETION | LANE_WR_API)

#define DEFINE(name, flags)                                                                                            \
	static int name##_loop(struct run *run)                                                                        \
	{                                                                                                              \
		return latency_body(run, flags);                                                                       \
	}
LAT_LOOPS(DEFINE)

static int general(struct run *run, unsigned flags)
{
	return latency_body(run, flags & ~(unsigned)LAT_SLOTS);
}

static int with_slots(struct run *run, unsigned flags)
{
	return latency_body(run, flags | LAT_SLOTS);
}

static int latency_choose(struct run *run, unsigned answer, struct ibv_comp_channel *channel, loop_fn plain,
			  loop_fn api)
{
	unsigned flags = lane_flags(run, answer);

	if (channel)
		flags |= LAT_EVENTS;
	if (run->plan.gap_cycles)
		flags |= LAT_GAP;
	if (run->plan.takes_turns)
		flags |= LAT_TURNS;
	if (run->plan.slots)
		return with_slots(run, flags);
	if (flags & (LAT_EVENTS | LAT_GAP | LAT_TURNS | LANE_SHARED))
		return general(run, flags);
	return flags & LANE_WR_API ? api(run) : plain(run);
}

int loop_lat_write(struct run *run)
{
	return latency_choose(run, LANE_BYTE, NULL /* bytes have no events */, write_loop, write_api_loop);
}

int loop_lat_send(struct run *run)
{
	return latency_choose(run, LANE_RECEIVE, run->queues.recv_channel, send_loop, send_api_loop);
}

int loop_lat_request(struct run *run)
{
	return latency_choose(run, LANE_COMPLETION, run->queues.send_channel, request_loop, request_api_loop);
}
