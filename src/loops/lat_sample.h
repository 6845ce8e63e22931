/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which exchanges of a latency loop are samples, and what is recorded of them: the time between two stamps, except for
 * those that a tick delayed, that are outside the window, or that were open at the end. Included by lat_exchange.h.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "loops/lane.h"
#include "loops/poll_monitor.h"
#include "loops/post.h"
#include "loops/run.h"
#include "stats/latency.h"

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
	/* If the next message follows an answer at once: see lat_ping_pong.h. */
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
	uint64_t hold_spent;   /* messages: see mark_delayed() */
	uint64_t peer_hold;    /* the same for the other side */
	uint32_t drops_left;   /* samples still to be dropped: the first, and as many as the other side drops */
	struct cq_wait cq_wait;
};

#define HOLD_COST   8U /* messages */
#define HOLD_CREDIT 64U

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
	if (!run->result.sampled)
		run->result.begin_cycles = begin;
	run->result.finish_cycles = end;
	run->result.sampled++;
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
 */
static void mark_delayed(const struct run *run, struct exchange *exchange, uint64_t tick_cycles)
{
	const uint64_t credit = run->result.posted + HOLD_CREDIT - exchange->hold_spent;

	if (!run->plan.marks_held || !run->result.posted ||
	    credit < (tick_cycles > exchange->longest ? HOLD_COST : HOLD_CREDIT / 2))
		return;
	exchange->delayed = true;
	exchange->num_sge = 0;
	exchange->hold_spent += HOLD_COST;
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
	exchange->peer_hold += HOLD_COST;
	if (exchange->peer_hold > received + HOLD_CREDIT)
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

static inline bool takes_drop(struct exchange *exchange)
{
	if (__builtin_expect(!exchange->drops_left, 1))
		return false;
	exchange->drops_left--;
	return true;
}
