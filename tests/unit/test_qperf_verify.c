// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Is a wrong result of an atomic detected, whichever request returns it? The device is simulated. */
#include <unistd.h>

#include "cmocka_all.h"
#include "qperf/rdma/rdma_test.h"
#include "stats/clock.h"

#define DEPTH 8

static uint64_t memory;			 /* at the responder */
static uint64_t spoiled;		 /* number of the request that is answered wrongly */
static uint64_t unanswered = UINT64_MAX; /* number of the first request that never completes */
static unsigned times_idle;
static struct ibv_wc done[DEPTH];
static unsigned num_done;

static int execute(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	uint64_t *result = (uint64_t *)(uintptr_t)wr->sg_list->addr;

	assert_true(num_done < DEPTH);
	assert_int_equal(wr->sg_list->length, 8);
	*result = wr->wr_id == spoiled ? memory + 1 : memory;
	if (wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
		memory += wr->wr.atomic.compare_add;
	else if (memory == wr->wr.atomic.compare_add)
		memory = wr->wr.atomic.swap;
	if (wr->wr_id < unanswered)
		done[num_done++] = (struct ibv_wc){.wr_id = wr->wr_id, .status = IBV_WC_SUCCESS};
	return 0;
}

static int poll_done(struct ibv_cq *cq, int room, struct ibv_wc *wc)
{
	const int n = (int)num_done < room ? (int)num_done : room;

	memcpy(wc, done, (size_t)n * sizeof(*wc));
	memmove(done, done + n, (num_done - (unsigned)n) * sizeof(*wc));
	num_done -= (unsigned)n;
	return n;
}

static enum idle_answer give_up(struct run *run)
{
	return ++times_idle == 3 ? IDLE_ABORT : IDLE_WAIT;
}

static int verify(enum ibv_wr_opcode opcode, uint64_t count, uint64_t wrong, struct verify_mistake *mistake)
{
	static struct ibv_context context = {.ops = {.post_send = execute, .poll_cq = poll_done}};
	static uint64_t slots[DEPTH];
	struct ibv_qp qp = {.context = &context};
	struct ibv_cq cq = {.context = &context};
	struct ibv_sge sge = {.lkey = 7};
	struct ibv_send_wr wr = {.opcode = opcode, .sg_list = &sge, .num_sge = 1};
	struct tx_queue tx = {.qp = &qp, .wr = &wr, .sge = &sge};
	struct run run = {
		.queues = {.send_cq = &cq, .tx = &tx, .num_tx = 1},
		.plan = {.opcode = opcode, .iters = count, .end_cycles = UINT64_MAX},
		.hooks = {.next_tick_cycles = UINT64_MAX, .idle = give_up},
	};
	int ret;

	clock_start(false);
	memory = 0;
	num_done = 0;
	spoiled = wrong;
	times_idle = 0;
	ret = verify_atomics(&run, slots, DEPTH, mistake);
	assert_int_equal(run.result.stopped, unanswered < count);
	if (!ret)
		assert_int_equal(run.result.completed, unanswered < count ? unanswered : count);
	return ret;
}

TEST(right_answers_pass)
{
	struct verify_mistake mistake;

	assert_int_equal(verify(IBV_WR_ATOMIC_FETCH_AND_ADD, 1000, UINT64_MAX, &mistake), 0);
	assert_int_equal(verify(IBV_WR_ATOMIC_CMP_AND_SWP, 1000, UINT64_MAX, &mistake), 0);
}

TEST(a_wrong_one_is_named)
{
	struct verify_mistake mistake;

	assert_int_equal(verify(IBV_WR_ATOMIC_FETCH_AND_ADD, 1000, 0, &mistake), -EBADMSG);
	assert_int_equal(mistake.request, 0);
	assert_int_equal(verify(IBV_WR_ATOMIC_FETCH_AND_ADD, 1000, 999, &mistake), -EBADMSG);
	assert_int_equal(mistake.expected, 999);
	assert_int_equal(mistake.found, 1000);
	assert_int_equal(verify(IBV_WR_ATOMIC_CMP_AND_SWP, 1000, 500, &mistake), -EBADMSG);
	assert_int_equal(mistake.request, 500);
}

/* The alarm is for a loop that never asks. */
TEST(what_never_completes_is_given_up)
{
	struct verify_mistake mistake;

	unanswered = 500;
	alarm(60);
	assert_int_equal(verify(IBV_WR_ATOMIC_FETCH_AND_ADD, 1000, UINT64_MAX, &mistake), 0);
	alarm(0);
	assert_int_equal(times_idle, 3);
}

TEST_MAIN(NULL, NULL)
