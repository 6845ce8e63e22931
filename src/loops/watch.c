// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The slow part of every loop; see watch.h. */
#include "loops/watch.h"

#include "loops/run.h"
#include "stats/clock.h"
#include "util/stop.h"

#define IDLE_NS 1e6

void watch_open(struct watch *watch, uint32_t period, uint64_t now_cycles)
{
	*watch = (struct watch){
		.period = period,
		.countdown = period,
		.idle_cycles = clock_ns_to_cycles(IDLE_NS),
		.moved_cycles = now_cycles,
		.asked_cycles = now_cycles,
	};
}

static enum watch_verdict ask(struct watch *watch, struct run *run)
{
	switch (run->hooks.idle ? run->hooks.idle(run) : IDLE_WAIT) {
	case IDLE_ABORT:
		return WATCH_ABORT;
	case IDLE_DRAIN:
		watch->drained = true;
		break;
	case IDLE_WAIT:
		break;
	}
	return WATCH_GO;
}

bool watch_tick(struct run *run, uint64_t now_cycles)
{
	const bool stopped = run->result.stopped;

	run->hooks.next_tick_cycles = run->hooks.tick ? run->hooks.tick(run, now_cycles) : UINT64_MAX;
	return !stopped && run->result.stopped;
}

enum watch_verdict watch_look(struct watch *watch, struct run *run, uint64_t count, uint64_t now_cycles)
{
	enum watch_verdict verdict = WATCH_GO;

	watch->countdown = watch->period;
	if (now_cycles >= watch->tick_grace_cycles &&
	    now_cycles - watch->tick_grace_cycles >= run->hooks.next_tick_cycles && watch_tick(run, now_cycles))
		return WATCH_ABORT;
	if (count != watch->moved_count) {
		watch->moved_count = count;
		watch->moved_cycles = now_cycles;
		watch->asked_cycles = now_cycles;
	}
	if (watch->ask_now || now_cycles - watch->asked_cycles >= watch->idle_cycles) {
		watch->ask_now = false;
		watch->asked_cycles = now_cycles;
		verdict = ask(watch, run);
	}
	return verdict == WATCH_GO && stop_requested() ? WATCH_STOP : verdict;
}
