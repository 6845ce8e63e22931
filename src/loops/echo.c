// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The answering side of an open loop whose requests are messages: it answers each with a message of the same size, in
 * the order of arrival and immediately. It measures nothing. If messages may be lost, the answer carries the number of
 * its request.
 *
 * It ends once it has answered all messages of the run, or when its peer says that it has ended.
 */
#include "loops/lane.h"

/* Before another answer: waits until the send queue has room for it. Returns what lane_look() does. */
static int echo_make_room(struct run *run, struct lane *lane, const unsigned flags)
{
	int result = 0;

	while (!result && !lane_has_room(lane)) {
		result = lane_reap(run, lane);
		if (!result && poll_monitor_due(&lane->monitor, 0 /* moved */))
			result = lane_look(run, lane, run->result.received, flags);
	}
	return result;
}

LOOP_INLINE int echo_body(struct run *run, const unsigned flags)
{
	struct lane lane;
	uint32_t number = 0;
	uint64_t n = 0;
	int result = 0;

	lane_open(&lane, run, flags);
	run->result.begin_cycles = run->result.finish_cycles = clock_cycles();
	while (result >= 0 && (!run->plan.iters || n < run->plan.iters)) {
		unsigned moved = 0;

		result = lane_arrived(run, &lane, n, &number, flags);
		if (result > 0) {
			if (__builtin_expect(!lane_has_room(&lane), 0)) {
				result = echo_make_room(run, &lane, flags);
				if (result)
					break;
			}
			result = lane_post(run, &lane, flags & LANE_NUMBERED ? number : n, flags);
			n++;
			moved = 1;
			run->result.completed++;
			if (!result && lane.signalled)
				result = lane_reap(run, &lane);
		}
		/* Even if each poll finds something. */
		if (result < 0 || !poll_monitor_due(&lane.monitor, moved))
			continue;
		result = lane_look(run, &lane, run->result.received, flags);
		if (result)
			break;
	}
	if (result >= 0 && !run->result.stopped)
		result = lane_reap_all(run, &lane, flags);
	run->result.sent_all = !lane.signalled;
	run->result.finish_cycles = clock_cycles();
	return poll_monitor_result(run, result);
}

#define DEFINE(name, flags)                                                                                            \
	static int echo_##name(struct run *run)                                                                        \
	{                                                                                                              \
		return echo_body(run, flags);                                                                          \
	}
LANE_LOOPS(DEFINE)

int loop_echo_write(struct run *run)
{
	return lane_choose(run, LANE_BYTE, echo_byte, echo_byte_api, echo_body);
}

int loop_echo_send(struct run *run)
{
	return lane_choose(run, LANE_RECEIVE, echo_receive, echo_receive_api, echo_body);
}
