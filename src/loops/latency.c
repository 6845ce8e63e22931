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

#include "loops/lat_exchange.h"
#include "util/stop.h"

/*
 * --- requests and gaps ---
 *
 * Requests whose completions are the answers, and messages sent after a gap. A sample begins just before the message
 * and ends with its answer.
 *
 * If a side waited before a message (--latency_gap), that wait would be in the samples of the other side, which is
 * waiting for the message. So the sides take turns, if both are ours: the side whose turn it is waits, posts and
 * samples the exchange; the other side answers at once, receives one more message, which is not sampled, and then has
 * its turn. Messages still strictly alternate:
 *
 *   first side   ask, hand over, answer, ask, hand over, answer ...
 *   other side   answer, ask, hand over, answer, ask, hand over ...
 *
 * The gap begins with the answer, so that a side that sleeps is woken by its end, and not also by the turn.
 */

/*
 * Waits for the gap, at most until the measured time ends; with events it sleeps, so that a probe costs next to
 * nothing. now: the clock, before and after. Returns what exchange_await() does.
 */
static int wait_for_gap(struct run *run, struct exchange *exchange, uint64_t *now, const unsigned flags)
{
	const uint64_t grace = exchange->lane.monitor.tick_grace_cycles;
	const uint64_t until = arith_smaller(*now + run->plan.gap_cycles, run->plan.end_cycles);
	int result = record_late(run, exchange);

	exchange->lane.monitor.countdown = exchange->lane.monitor.period;
	exchange->lane.monitor.tick_grace_cycles = 0; /* nothing is awaited */
	while (!result && *now < until) {
		if (flags & LAT_EVENTS)
			result = exchange_sleep(run, exchange, *now, until);
		if (!result && poll_monitor_due(&exchange->lane.monitor, 0 /* moved */))
			result = exchange_look(run, exchange, flags);
		*now = clock_cycles();
	}
	exchange->lane.monitor.tick_grace_cycles = grace;
	return result;
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
	if (!first)
		begin_time(run, now);
	while (!result) {
		if (flags & LAT_TURNS)
			asks = exchange->turn == TURN_ASK;
		if (takes_tick(exchange, flags) && __builtin_expect(now >= run->hooks.next_tick_cycles, 0)) {
			if (poll_monitor_tick(run, now))
				break;
			now = clock_cycles();
		}
		if ((flags & LAT_GAP) && (!(flags & LAT_TURNS) || (first && !run->result.posted))) {
			result = wait_for_gap(run, exchange, &now, flags);
			if (result || now >= run->plan.end_cycles)
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
		if ((flags & LAT_GAP) && (flags & LAT_TURNS) && exchange->turn == TURN_ANSWER) {
			now = clock_cycles();
			result = wait_for_gap(run, exchange, &now, flags);
			if (result)
				break;
		}
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
		} else if (first && run->result.posted == 1) {
			begin_time(run, now);
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

/*
 * --- ping-pongs without gaps ---
 *
 * A ping-pong whose sides answer at once. A sample lasts from message to message: the clock is read just after each
 * post, so that only the post is between an answer and the message that follows it. A reading before the post would
 * also be in the other side's samples, and takes as long as moving a cache line from one CPU to another.
 *
 * So every sample has one round trip and one post. If something else has to be done after an answer, a tick or the end
 * of the run, the sample before it ends with that answer and must begin before its message (apart): that is decided one
 * message ahead. The tick waits for that; samples that ended since then are recorded after it.
 */

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
	if (__builtin_expect(exchange->drops_left, 0)) {
		exchange->drops_left--;
		exchange->open = false;
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

/* --- a run --- */

/* Until when an answer could come: when a peer that has ended was last seen, its end is no part of a sample. */
static uint64_t left_cycles(const struct run *run, uint64_t now)
{
	return run->result.peer_seen_cycles ? arith_smaller(run->result.peer_seen_cycles, now) : now;
}

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
		count_open(run, exchange, left_cycles(run, now), !run->result.stopped && result >= 0);
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
