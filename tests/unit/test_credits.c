// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Flow control of the bandwidth loop (verbs/qp/credit.h), on a fake device: it waits for receives and reports them. */
#define _GNU_SOURCE /* ppoll() in fake_verbs.h */
#include "bandwidth_rig.h"

#include "verbs/qp/credit.h"

#define WINDOW 16 /* receives of a queue pair */

static struct credit credits[3];
static uint32_t granted[3], replaced[3];

/* A run with credits, as bw_flags() then sees it. */
static struct run make_run_with_credits(unsigned flags)
{
	struct run run = make_run(flags | BW_MANY);

	assert_int_equal(run.plan.rx_depth, WINDOW);
	memset(granted, 0, sizeof(granted));
	memset(replaced, 0, sizeof(replaced));
	for (unsigned i = 0; i < 3; i++) {
		credits[i] = (struct credit){
			.granted = &granted[i],
			.replaced = &replaced[i],
			.knows_peer = true,
			.wr = {.sg_list = &credits[i].sge,
			       .num_sge = 1,
			       .opcode = IBV_WR_RDMA_WRITE,
			       .send_flags = IBV_SEND_SIGNALED},
		};
		fake.tx[i].credit = &credits[i];
	}
	fake.depth += CREDIT_WRITES;
	assert_int_equal(bw_flags(&run, flags & (BW_SENDS | BW_RECEIVES)) & (BW_MANY | BW_CREDITS),
			 BW_MANY | BW_CREDITS);
	return run;
}

/* None is posted without a receive. The peer is five messages behind with what it grants. */
static void posts_into_receives(void *arg)
{
	for (unsigned i = 0; i < 3; i++)
		assert_true(fake.qps[i].posted - granted[i] <= WINDOW);
}

static void grants_late(void)
{
	for (unsigned i = 0; i < 3; i++)
		if (fake.qps[i].posted - granted[i] > 5)
			granted[i]++;
}

TEST(a_sender_waits_for_receives)
{
	static const unsigned variants[] = {0,	       BW_MODERATED, BW_LIST, BW_WR_API, BW_RATE | BW_MODERATED,
					    BW_EVENTS, BW_CLOCK};

	for (unsigned i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		const unsigned flags = BW_SENDS | variants[i];
		struct run run = make_run_with_credits(flags);

		fake.posted = posts_into_receives;
		fake.polled = grants_late;
		assert_int_equal(loop_bw_send(&run), 0);
		check_counts(&run, flags | BW_MANY);
		assert_int_equal(credits[2].sent, ITERS);
	}
}

/* What a run has not granted, the next one grants. */
TEST(a_receiver_grants_new_receives)
{
	for (unsigned list = 0; list <= BW_LIST; list += BW_LIST) {
		struct run run = make_run_with_credits(BW_RECEIVES | list);

		for (unsigned rounds = 1; rounds <= 2; rounds++) {
			assert_int_equal(loop_bw_recv(&run), 0);
			check_counts(&run, BW_RECEIVES | BW_MANY);
			for (unsigned i = 0; i < 3; i++) {
				assert_int_equal(credits[i].arrived, rounds * ITERS);
				/* What is not granted at the end delays no side. */
				assert_in_range(replaced[i], rounds * ITERS - WINDOW, rounds * ITERS);
				/* Each time about a third has come, and no more often. */
				assert_in_range(fake.qps[i].posted, rounds * ITERS / WINDOW,
						rounds * ITERS / (WINDOW / 3));
				assert_in_range(fake.qps[i].max_receives, 1, WINDOW);
				fake.qps[i].arrivals = ITERS;
			}
			run.result = (struct run_result){0};
		}
	}
}

static uint64_t looked_at;

static void look_at(const void *data, uint64_t length)
{
	looked_at++;
}

/* qperf's -ar, in one direction and in both. */
TEST(what_is_under_control_is_handed_over_too)
{
	static const unsigned roles[] = {BW_RECEIVES, BW_SENDS | BW_RECEIVES};

	for (unsigned i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		struct run run = make_run_with_credits(roles[i]);

		looked_at = 0;
		run.hooks.arrived = look_at;
		fake.polled = roles[i] & BW_SENDS ? grants_late : NULL;
		assert_int_equal((roles[i] & BW_SENDS ? loop_bw_both : loop_bw_recv)(&run), 0);
		assert_int_equal(looked_at, 3 * ITERS);
	}
}

TEST(both_directions_grant_and_wait)
{
	struct run run = make_run_with_credits(BW_SENDS | BW_RECEIVES);

	fake.polled = grants_late;
	assert_int_equal(loop_bw_both(&run), 0);
	assert_int_equal(run.result.completed, 3 * ITERS);
	assert_int_equal(run.result.received, 3 * ITERS);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(credits[i].sent, ITERS);
		assert_in_range(replaced[i], ITERS - WINDOW, ITERS);
		assert_in_range(credits[i].under_way, 0, CREDIT_WRITES);
	}
	assert_false(fake.overflowed);
}

static const struct run *two_way_run;
static uint64_t all_sent_cycles;

/* Nothing arrives until all is sent, and no credit write is posted until then. */
static void arrives_when_all_is_sent(void)
{
	grants_late();
	if (all_sent_cycles || two_way_run->result.completed < 3 * ITERS)
		return;
	all_sent_cycles = clock_cycles();
	for (unsigned i = 0; i < 3; i++)
		fake.qps[i].arrivals = ITERS;
}

/* The time of what was sent ends with it, not with the credits that the peer is granted after that. */
TEST(credit_writes_are_not_timed)
{
	struct run run = make_run_with_credits(BW_SENDS | BW_RECEIVES | BW_CLOCK);

	two_way_run = &run;
	all_sent_cycles = 0;
	for (unsigned i = 0; i < 3; i++)
		fake.qps[i].arrivals = 0;
	fake.polled = arrives_when_all_is_sent;
	assert_int_equal(loop_bw_both(&run), 0);
	assert_int_equal(run.result.received, 3 * ITERS);
	assert_true(all_sent_cycles);
	assert_true(run.result.last_cycles <= all_sent_cycles);
}

/* linux-rdma perftest counts each run by itself. */
TEST(a_classic_peer_begins_anew)
{
	struct run run = make_run_with_credits(BW_SENDS);

	run.plan.credits_restart = true;
	granted[0] = granted[1] = granted[2] = 4711;
	credits[0].sent = credits[1].sent = credits[2].sent = 4711;
	fake.posted = posts_into_receives;
	fake.polled = grants_late;
	assert_int_equal(loop_bw_send(&run), 0);
	assert_int_equal(credits[0].sent, ITERS);
}

/* What it wrote last in the run before comes into this one. */
static void grants_of_the_run_before(void)
{
	for (unsigned i = 0; i < 3; i++) {
		if (fake.qps[i].posted > WINDOW / 3)
			granted[i] = (uint32_t)fake.qps[i].posted - 5;
		else if (fake.qps[i].posted)
			granted[i] = ITERS;
	}
}

TEST(a_late_word_of_the_run_before_holds_nobody_up)
{
	struct run run = make_run_with_credits(BW_SENDS);

	run.plan.credits_restart = true;
	granted[0] = 0;
	granted[1] = granted[2] = ITERS;
	fake.polled = grants_of_the_run_before;
	assert_int_equal(loop_bw_send(&run), 0);
	assert_int_equal(credits[2].sent, ITERS);
	assert_int_equal(credit_room(&(struct credit){.granted = &granted[0], .sent = 3}, WINDOW), WINDOW - 3);
}

int main(void)
{
	clock_start(false);
	return tests_run(NULL, fake_teardown);
}
