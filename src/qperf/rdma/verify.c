// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See rdma_test.h. Every request is signalled, and its result is compared when its completion arrives. */
#include "qperf/rdma/rdma_test.h"

#include <errno.h>

#include "loops/post.h"
#include "stats/clock.h"
#include "verbs/queue.h"

#define POLL_BATCH 16
#define IDLE_NS	   1000000

/* Any sequence that does not repeat early; its first value is the initial one of the memory. */
static uint64_t verify_value_at(uint64_t n)
{
	return n * 0x9e3779b97f4a7c15ULL;
}

static int verify_post(struct run *run, uint64_t *slots, unsigned depth, uint64_t n)
{
	struct tx_queue *tx = &run->queues.tx[0];
	struct ibv_sge sge = {
		.addr = (uintptr_t)&slots[n % depth], .length = sizeof(slots[0]), .lkey = tx->sge[0].lkey};
	struct ibv_send_wr wr = *tx->wr, *bad;

	wr.wr_id = n;
	wr.next = NULL;
	wr.sg_list = &sge;
	wr.num_sge = 1;
	wr.send_flags = IBV_SEND_SIGNALED;
	wr.wr.atomic.compare_add = run->plan.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ? 1 : verify_value_at(n);
	wr.wr.atomic.swap = verify_value_at(n + 1);
	return post_refusal(ibv_post_send(tx->qp, &wr, &bad));
}

static int verify_check(const struct run *run, const uint64_t *slots, unsigned depth, uint64_t n,
			struct verify_mistake *mistake)
{
	const uint64_t expected = run->plan.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ? n : verify_value_at(n);

	if (slots[n % depth] == expected)
		return 0;
	*mistake = (struct verify_mistake){n, expected, slots[n % depth]};
	return -EBADMSG;
}

static int verify_reap(struct run *run, const uint64_t *slots, unsigned depth, struct verify_mistake *mistake)
{
	struct ibv_wc wc[POLL_BATCH];
	const int n = cq_poll(run->queues.send_cq, POLL_BATCH, wc);
	int ret = n < 0 ? n : 0;

	if (n > (int)run->result.most_found)
		run->result.most_found = (uint32_t)n;
	for (int i = 0; i < n && !ret; i++) {
		if (wc[i].status != IBV_WC_SUCCESS)
			return post_note_failure(run, &wc[i], &wc[i] + 1, false /* send */);
		ret = verify_check(run, slots, depth, wc[i].wr_id, mistake);
		run->result.completed++;
	}
	return ret;
}

int verify_atomics(struct run *run, uint64_t *slots, unsigned depth, struct verify_mistake *mistake)
{
	const uint64_t idle_cycles = clock_ns_to_cycles(IDLE_NS);
	struct run_result *result = &run->result;
	uint64_t now = clock_cycles(), asked_cycles = now, completed = 0;
	int ret = 0;

	result->begin_cycles = now;
	while (!ret && !result->stopped) {
		const bool ends = now >= run->plan.end_cycles || (run->plan.iters && result->posted >= run->plan.iters);

		if (ends && result->completed == result->posted)
			break;
		if (!ends && result->posted - result->completed < depth) {
			ret = verify_post(run, slots, depth, result->posted);
			result->posted += !ret;
		}
		if (!ret)
			ret = verify_reap(run, slots, depth, mistake);
		now = clock_cycles();
		if (now >= run->hooks.next_tick_cycles)
			run->hooks.next_tick_cycles = run->hooks.tick(run, now);
		if (result->completed != completed) {
			completed = result->completed;
			asked_cycles = now;
		} else if (now >= asked_cycles + idle_cycles) {
			asked_cycles = now;
			result->stopped |= run->hooks.idle(run) != IDLE_WAIT;
		}
	}
	result->finish_cycles = now;
	return ret;
}
