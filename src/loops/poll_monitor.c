// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The slow part of every loop; see poll_monitor.h. */
#include "loops/poll_monitor.h"

#include <sched.h>

#include "loops/run.h"
#include "stats/clock.h"
#include "util/stop.h"

#define IDLE_NS	   1e6
#define SPACING_NS 1e6 /* minimum time between looks */
#define MAX_SHIFT  3
#define BACK_NS	   1e9

void poll_monitor_open(struct poll_monitor *monitor, uint32_t period, uint64_t now_cycles)
{
	*monitor = (struct poll_monitor){
		.period = period,
		.countdown = period,
		.idle_cycles = clock_ns_to_cycles(IDLE_NS),
		.back_cycles = clock_ns_to_cycles(BACK_NS),
		.spacing_cycles = clock_ns_to_cycles(SPACING_NS),
		.looked_cycles = now_cycles,
		.moved_cycles = now_cycles,
		.asked_cycles = now_cycles,
	};
}

static enum poll_verdict poll_monitor_ask(struct poll_monitor *monitor, struct run *run)
{
	switch (run->hooks.idle ? run->hooks.idle(run) : IDLE_WAIT) {
	case IDLE_ABORT:
		return POLL_ABORT;
	case IDLE_DRAIN:
		monitor->drained = true;
		break;
	case IDLE_WAIT:
		break;
	}
	return POLL_GO;
}

bool poll_monitor_tick(struct run *run, uint64_t now_cycles)
{
	const bool stopped = run->result.stopped;

	run->hooks.next_tick_cycles = run->hooks.tick ? run->hooks.tick(run, now_cycles) : UINT64_MAX;
	return !stopped && run->result.stopped;
}

enum poll_verdict poll_monitor_look(struct poll_monitor *monitor, struct run *run, uint64_t count, uint64_t now_cycles)
{
	enum poll_verdict verdict = POLL_GO;

	if (poll_monitor_is_back(monitor, monitor->looked_cycles, now_cycles)) {
		run->result.clock_is_back = true;
		return POLL_ABORT;
	}
	/* Otherwise polls that find hundreds of messages of a few nanoseconds would have a look each. */
	if (count - monitor->moved_count <= monitor->period ||
	    now_cycles - monitor->looked_cycles >= monitor->spacing_cycles)
		monitor->shift = 0;
	else if (monitor->shift < MAX_SHIFT)
		monitor->shift++;
	monitor->looked_cycles = now_cycles;
	monitor->countdown = (int64_t)monitor->period << monitor->shift;
	if (now_cycles >= monitor->tick_grace_cycles &&
	    now_cycles - monitor->tick_grace_cycles >= run->hooks.next_tick_cycles &&
	    poll_monitor_tick(run, now_cycles))
		return POLL_ABORT;
	if (count != monitor->moved_count) {
		monitor->moved_count = count;
		monitor->moved_cycles = now_cycles;
		monitor->asked_cycles = now_cycles;
	} else if (run->plan.yields) {
		sched_yield();
	}
	if (monitor->ask_now || now_cycles - monitor->asked_cycles >= monitor->idle_cycles) {
		monitor->ask_now = false;
		monitor->asked_cycles = now_cycles;
		verdict = poll_monitor_ask(monitor, run);
	}
	return verdict == POLL_GO && stop_requested() ? POLL_STOP : verdict;
}

bool poll_monitor_ends(struct poll_monitor *monitor, struct run *run, uint64_t count, uint64_t now_cycles)
{
	if (poll_monitor_look(monitor, run, count, now_cycles) != POLL_GO)
		run->result.stopped = true;
	return run->result.stopped || monitor->drained;
}
