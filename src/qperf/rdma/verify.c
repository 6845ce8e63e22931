// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See rdma_test.h. Every request is signalled, and its result is compared when its completion arrives. */
#include "qperf/rdma/rdma_test.h"

#include "loops/lane.h"

#define REQUESTS (LANE_COMPLETION | LANE_NUMBERED)

/* Any sequence that does not repeat early; its first value is the initial one of the memory. */
static uint64_t verify_value_at(uint64_t n)
{
	return n * 0x9e3779b97f4a7c15ULL;
}

static int verify_post(struct run *run, struct lane *lane, const uint64_t *slot)
{
	const uint64_t n = run->result.posted;

	lane->tx->sge->addr = (uintptr_t)slot;
	lane->tx->wr->wr.atomic.compare_add = run->plan.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ? 1 : verify_value_at(n);
	lane->tx->wr->wr.atomic.swap = verify_value_at(n + 1);
	return lane_post(run, lane, n, REQUESTS);
}

/* Completions are in order. */
static int verify_next(struct run *run, const uint64_t *slot, struct verify_mistake *mistake)
{
	const uint64_t n = run->result.completed++;
	const uint64_t expected = run->plan.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ? n : verify_value_at(n);

	if (*slot == expected)
		return 0;
	*mistake = (struct verify_mistake){n, expected, *slot};
	return -EBADMSG;
}

int verify_atomics(struct run *run, uint64_t *slots, unsigned depth, struct verify_mistake *mistake)
{
	struct run_result *result = &run->result;
	struct lane lane;
	uint32_t number;
	int ret = 0;

	lane_open(&lane, run, REQUESTS);
	lane.tx->sge->length = sizeof(slots[0]);
	lane.monitor.tick_grace_cycles = 0; /* nothing is timed */
	result->begin_cycles = lane.monitor.looked_cycles;
	while (ret >= 0) {
		const bool ends = clock_cycles() >= run->plan.end_cycles ||
				  (run->plan.iters && result->posted >= run->plan.iters);

		if (ends && result->completed == result->posted)
			break;
		ret = !ends && result->posted - result->completed < depth
			      ? verify_post(run, &lane, &slots[result->posted % depth])
			      : 0;
		if (!ret)
			ret = lane_arrived(run, &lane, 0 /* any */, &number, REQUESTS);
		if (ret > 0)
			ret = verify_next(run, &slots[result->completed % depth], mistake);
		if (!ret && poll_monitor_due(&lane.monitor, 0 /* moved */) &&
		    lane_look(run, &lane, result->completed, REQUESTS))
			break;
	}
	result->most_found = result->completed > 0;
	result->finish_cycles = clock_cycles();
	return poll_monitor_result(run, ret);
}
