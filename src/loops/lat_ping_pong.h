/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A ping-pong whose sides answer at once. A sample lasts from message to message: the clock is read just after each
 * post, so that only the post is between an answer and the message that follows it. A reading before the post would
 * also be in the other side's samples, and takes as long as moving a cache line from one CPU to another.
 *
 * So every sample has one round trip and one post. If something else has to be done after an answer, a tick or the end
 * of the run, the sample before it ends with that answer and must begin before its message (apart): that is decided one
 * message ahead. The tick waits for that; samples that ended since then are recorded after it.
 *
 * Included only by latency.c.
 */
#pragma once

#include "loops/lat_exchange.h"
#include "util/stop.h"

/* The answer arrived, and no message follows to end its sample. It is short by a post, and so cannot be a maximum. */
static void leave_open(struct run *run, struct exchange *exchange, uint64_t now)
{
	if (exchange->open && now - exchange->begin > exchange->longest)
		close_for_later(run, exchange, now);
	exchange->open = false;
}

static bool is_last(const struct run *run, const struct exchange *exchange, uint64_t posted)
{
	return run->plan.begins && posted == exchange->limit;
}

/* Between an answer and the next message, which is not posted if the run is over. 0 or -ETIME. */
static int pause_ping_pong(struct run *run, struct exchange *exchange)
{
	const uint64_t answered = clock_cycles();
	uint64_t now = answered;
	int result = 0;

	if (exchange->apart && exchange->open)
		result = close_for_later(run, exchange, now);
	exchange->over |= is_last(run, exchange, run->result.posted);
	if (result || exchange->over) {
		leave_open(run, exchange, now);
		run->result.stopped |= exchange->interrupted;
		return result;
	}
	if (!exchange->open && now >= run->hooks.next_tick_cycles) {
		exchange->over = poll_monitor_tick(run, now);
		now = clock_cycles();
		mark_delayed(run, exchange, now - answered);
		result = record_late(run, exchange);
	} else if (!exchange->open) {
		result = record_late(run, exchange); /* the tick ran while the answer was awaited */
	}
	exchange->apart = now >= run->hooks.next_tick_cycles || is_last(run, exchange, run->result.posted + 1);
	exchange->pauses = exchange->apart;
	exchange->before = clock_cycles();
	return result;
}

/* A sample ends now, and the next begins. 0 or -ETIME. */
LOOP_INLINE int end_sample(struct run *run, struct exchange *exchange, uint64_t now, bool tick_is_due)
{
	const int result = close_exchange(run, exchange, now);

	if (result <= 0)
		return result;
	if (__builtin_expect(!tick_is_due, 1))
		return record(run, exchange, now - exchange->begin);
	exchange->late[exchange->num_late++] = now - exchange->begin;
	return exchange->num_late == LATE_ROOM ? record_late(run, exchange) : 0;
}

/* The next message will not follow the next answer at once. */
static __attribute__((noinline)) void plan_pause(const struct run *run, struct exchange *exchange, uint64_t now)
{
	exchange->pauses = true;
	exchange->over = now >= run->plan.end_cycles;
	exchange->interrupted = !exchange->over && stop_requested();
	exchange->over |= exchange->interrupted;
}

/*
 * This post is in two samples: that of the message before it ends with it, and that of its own begins before it. What
 * held it up for longer than a whole sample takes is only in the first.
 */
static __attribute__((noinline)) uint64_t begin_apart(const struct run *run, const struct exchange *exchange,
						      uint64_t now)
{
	const uint64_t most = run->plan.latency->min;

	return now - exchange->before < most ? exchange->before : now - most;
}

/* The message was posted at now: what could wait is done. 0 or -errno. */
LOOP_INLINE int follow_post(struct run *run, struct exchange *exchange, uint64_t now, const unsigned flags)
{
	const bool tick_is_due = now >= run->hooks.next_tick_cycles;
	int result = 0;

	if (__builtin_expect(exchange->open, 1))
		result = end_sample(run, exchange, now, tick_is_due);
	exchange->begin = __builtin_expect(exchange->apart, 0) ? begin_apart(run, exchange, now) : now;
	exchange->open = true;
	if (__builtin_expect(exchange->delayed || exchange->drops_left, 0)) {
		exchange->open = !exchange->delayed && !takes_drop(exchange);
		exchange->num_sge = run->plan.size != 0;
		exchange->delayed = false;
	}
	if (__builtin_expect(tick_is_due || now >= run->plan.end_cycles || stop_requested() ||
				     run->result.posted == exchange->pause_at,
			     0))
		plan_pause(run, exchange, now);
	if (!result && (flags & LANE_RECEIVE) && exchange->spent)
		result = exchange_replace(run, exchange, flags);
	if (!result && exchange->lane.signalled)
		result = lane_reap(run, &exchange->lane);
	return result;
}

/* The answer arrived, and this exchange may not be a sample. 0 or -errno. */
LOOP_INLINE int look_at_answer(struct run *run, struct exchange *exchange, const unsigned flags)
{
	int result = 0;

	if ((flags & LANE_RECEIVE) && __builtin_expect(!exchange->open, 0))
		result = learn_length(run, exchange);
	if (!result && __builtin_expect(was_held(exchange, flags), 0))
		result = drop_sample(exchange, run->result.received, clock_cycles());
	if (!result && __builtin_expect(!exchange->open, 0))
		exchange->open = stands_still(run, exchange, clock_cycles());
	return result;
}

/* Returns what exchange_await() does. */
LOOP_INLINE int ping_pong(struct run *run, struct exchange *exchange, const unsigned flags)
{
	const bool first = run->plan.begins;
	int result = 0;

	if (!first)
		result = exchange_await(run, exchange, 1, flags);
	if (!first && !result && (flags & LANE_RECEIVE))
		result = learn_length(run, exchange);
	exchange->drops_left = first; /* the first exchange measures when the peer, or the path, became ready */
	exchange->pause_at = first ? exchange->limit - 1 : UINT64_MAX;
	exchange->pauses = true; /* a tick may be due */
	while (!result) {
		if (__builtin_expect(exchange->pauses, 0)) {
			result = pause_ping_pong(run, exchange);
			if (result || exchange->over)
				break;
		}
		result = exchange_send(run, exchange, flags);
		if (result) {
			leave_open(run, exchange, clock_cycles());
			break;
		}
		result = follow_post(run, exchange, clock_cycles(), flags);
		if (result || (!first && run->result.posted == exchange->limit)) {
			exchange->open = false;
			break;
		}
		result = exchange_await(run, exchange, (uint8_t)(run->result.posted + !first), flags);
		if (result) {
			exchange->open = exchange->open || stands_still(run, exchange, clock_cycles());
			break;
		}
		result = look_at_answer(run, exchange, flags);
	}
	return result;
}
