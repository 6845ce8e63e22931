// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See verify.h. Every request is signalled, and its result is compared when its completion comes. */
#include "qperf/verify.h"

#include <errno.h>

#include "stats/clock.h"

#define POLL_BATCH 16

/* Any series without an early repetition; its first value is that of the memory. */
static uint64_t value_of(uint64_t n)
{
	return n * 0x9e3779b97f4a7c15ULL;
}

static int post(struct run *run, uint64_t *slots, unsigned depth, uint64_t n)
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
	wr.wr.atomic.compare_add = run->plan.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ? 1 : value_of(n);
	wr.wr.atomic.swap = value_of(n + 1);
	return -ibv_post_send(tx->qp, &wr, &bad);
}

static int check(const struct run *run, const uint64_t *slots, unsigned depth, uint64_t n,
		 struct verify_mistake *mistake)
{
	const uint64_t expected = run->plan.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ? n : value_of(n);

	if (slots[n % depth] == expected)
		return 0;
	*mistake = (struct verify_mistake){n, expected, slots[n % depth]};
	return -EBADMSG;
}

static int reap(struct run *run, const uint64_t *slots, unsigned depth, struct verify_mistake *mistake)
{
	struct ibv_wc wc[POLL_BATCH];
	const int n = ibv_poll_cq(run->queues.send_cq, POLL_BATCH, wc);
	int ret = n < 0 ? n : 0;

	for (int i = 0; i < n && !ret; i++) {
		if (wc[i].status != IBV_WC_SUCCESS) {
			run->result.failure = (struct completion_failure){
				.status = wc[i].status, .qp_num = wc[i].qp_num, .vendor_err = wc[i].vendor_err};
			return -EIO;
		}
		ret = check(run, slots, depth, wc[i].wr_id, mistake);
		run->result.completed++;
	}
	return ret;
}

int verify_atomics(struct run *run, uint64_t *slots, unsigned depth, struct verify_mistake *mistake)
{
	struct run_result *result = &run->result;
	uint64_t now = clock_cycles();
	int ret = 0;

	result->begin_cycles = now;
	while (!ret && !result->stopped) {
		const bool ends = now >= run->plan.end_cycles || (run->plan.iters && result->posted >= run->plan.iters);

		if (ends && result->completed == result->posted)
			break;
		if (!ends && result->posted - result->completed < depth) {
			ret = post(run, slots, depth, result->posted);
			result->posted += !ret;
		}
		if (!ret)
			ret = reap(run, slots, depth, mistake);
		now = clock_cycles();
		if (now >= run->hooks.next_tick_cycles)
			run->hooks.next_tick_cycles = run->hooks.tick(run, now);
	}
	result->finish_cycles = now;
	return ret;
}
