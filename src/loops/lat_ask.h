/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Requests whose completions are the answers, and messages sent after a gap. A sample begins just before the message
 * and ends with its answer. Included only by latency.c.
 *
 * If a side waited before a message (--latency_gap), that wait would be in the samples of the other side, which is
 * waiting for the message. So the sides take turns, if both are ours: the side whose turn it is waits, posts and
 * samples the exchange; the other side answers at once, receives one more message, which is not sampled, and then has
 * its turn. Messages still strictly alternate:
 *
 *   first side   ask, hand over, answer, ask, hand over, answer ...
 *   other side   answer, ask, hand over, answer, ask, hand over ...
 */
#pragma once

#include "loops/lat_exchange.h"
#include "util/stop.h"

/*
 * Waits for the gap, unless the run ends; with events it sleeps, so that a probe costs next to nothing. now: the clock,
 * before and after. Returns what exchange_await() does.
 */
static int wait_for_gap(struct run *run, struct exchange *exchange, uint64_t *now, const unsigned flags)
{
	const uint64_t grace = exchange->lane.monitor.tick_grace_cycles;
	uint64_t until = *now + run->plan.gap_cycles;
	int result = record_late(run, exchange);

	exchange->lane.monitor.countdown = exchange->lane.monitor.period;
	exchange->lane.monitor.tick_grace_cycles = 0; /* nothing is awaited */
	while (!result && *now < until && *now < run->plan.end_cycles) {
		if (flags & LAT_EVENTS)
			result = exchange_sleep(exchange, clock_cycles_to_ns(until - *now));
		if (!result && poll_monitor_due(&exchange->lane.monitor, 0 /* moved */))
			result = exchange_look(run, exchange, flags);
		*now = clock_cycles();
	}
	exchange->lane.monitor.tick_grace_cycles = grace;
	return result ? result : *now >= run->plan.end_cycles;
}

/*
 * Is a tick due before this message? The last sample is recorded after it: recorded samples ended before the tick's
 * stamp. When sides take turns, neither measures the time until a message that hands over the turn.
 */
LOOP_INLINE bool takes_tick(const struct exchange *exchange, const unsigned flags)
{
	return !(flags & LAT_TURNS) || exchange->turn != TURN_ANSWER;
}

/* Returns what exchange_await() does. */
LOOP_INLINE int ask_and_await(struct run *run, struct exchange *exchange, const unsigned flags)
{
	const bool first = run->plan.begins;
	bool asks = true;
	uint64_t now;
	int result = 0;

	if (!first)
		result = exchange_await(run, exchange, 1, flags);
	if (!first && !result && (flags & LANE_RECEIVE))
		result = learn_length(run, exchange);
	now = clock_cycles();
	while (!result) {
		if (flags & LAT_TURNS)
			asks = exchange->turn == TURN_ASK;
		if (takes_tick(exchange, flags) && __builtin_expect(now >= run->hooks.next_tick_cycles, 0)) {
			if (poll_monitor_tick(run, now))
				break;
			now = clock_cycles();
		}
		if (asks && (flags & LAT_GAP)) {
			result = wait_for_gap(run, exchange, &now, flags);
			if (result)
				break;
		}
		exchange->begin = now;
		result = exchange_send(run, exchange, flags);
		if (exchange->num_late) { /* there is only one */
			exchange->num_late = 0;
			if (record(run, exchange, exchange->late[0]) && !result)
				result = -ETIME;
		}
		if (!result && (flags & LANE_RECEIVE) && exchange->spent)
			result = exchange_replace(run, exchange, flags);
		if (!result && (flags & (LANE_BYTE | LANE_RECEIVE)) && exchange->lane.signalled)
			result = lane_reap(run, &exchange->lane);
		if (result || (!first && run->result.posted == exchange->limit))
			break;
		/* The first exchange measures when the peer, or the path, became ready. */
		exchange->open = asks && !(first && run->result.posted == 1);
		result = exchange_await(run, exchange, (uint8_t)(run->result.posted + !first), flags);
		now = clock_cycles();
		if (result)
			break;
		if ((flags & LANE_RECEIVE) && __builtin_expect(!exchange->open, 0)) {
			result = learn_length(run, exchange);
			if (result)
				break;
		}
		if (exchange->open) {
			result = close_for_later(run, exchange, now);
			if (result)
				break;
		}
		if (flags & LAT_TURNS)
			exchange->turn = exchange->turn == TURN_ANSWER ? TURN_ASK : exchange->turn + 1;
		if (__builtin_expect((first && run->result.posted == exchange->limit) || now >= run->plan.end_cycles,
				     0))
			break;
		if (__builtin_expect(stop_requested(), 0)) {
			run->result.stopped = true;
			break;
		}
	}
	return result;
}
