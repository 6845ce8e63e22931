// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The software rate limit of the bandwidth loop, on a fake device and a clock of the test. */
#define _GNU_SOURCE /* ppoll() in fake_verbs.h */
#include "bandwidth_rig.h"
#include "made_up_clock.h"

TEST(bursts_are_not_exceeded)
{
	const unsigned variants[] = {BW_SENDS | BW_RATE, BW_SENDS | BW_RATE | BW_MANY | BW_MODERATED};

	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		struct run run = make_run(variants[i]);

		assert_int_equal(loop_bw_send(&run), 0);
		check_counts(&run, variants[i]);
		assert_int_equal(fake.most_posts_between_polls, run.plan.burst_size);
	}
}

/* The time of a burst passes before it: even one alone is not faster than the limit. */
TEST(one_burst_takes_its_time)
{
	struct run run = make_run(BW_SENDS | BW_RATE);

	run.plan.iters = run.plan.burst_size;
	run.plan.message_cycles = (double)clock_ns_to_cycles(100e3) / run.plan.burst_size;
	assert_int_equal(loop_bw_send(&run), 0);
	assert_int_equal(run.result.completed, run.plan.burst_size);
	assert_true(run.result.finish_cycles - run.result.begin_cycles >= clock_ns_to_cycles(100e3) - 1);
}

static uint64_t still_from, still_until;

static void stand_still(void *arg)
{
	if (made_up_ns >= still_from && made_up_ns < still_until)
		made_up_ns = still_until;
}

#define MESSAGE_NS 10000

/* Of the loops that post messages singly. */
static const unsigned singles[] = {0, BW_MANY, BW_MODERATED, BW_MODERATED | BW_MANY};

/* Whatever the size of the bursts, a run by count lasts as long as its messages may take: the last burst is of the
 * rest. */
TEST(a_run_takes_the_time_of_its_messages)
{
	static const uint32_t bursts[] = {1, 7, 9, ITERS - 1, ITERS, 4 * ITERS};
	const bool uses_gettime = clock_uses_gettime;

	clock_uses_gettime = true;
	for (size_t i = 0; i < sizeof(bursts) / sizeof(bursts[0]); i++) {
		for (size_t n = 0; n < sizeof(singles) / sizeof(singles[0]); n++) {
			const unsigned flags = BW_SENDS | BW_RATE | singles[n];
			struct run run = make_run(flags);
			const uint64_t messages = run.plan.iters * run.queues.num_tx;

			made_up_ns = 1000000000;
			run.plan.burst_size = bursts[i];
			run.plan.message_cycles = MESSAGE_NS;
			assert_int_equal(bw_general(&run, flags), 0);
			made_up_ns = 0;
			check_clean_end(&run);
			assert_int_equal(run.result.completed, messages);
			assert_in_range(run.result.finish_cycles - run.result.begin_cycles, messages * MESSAGE_NS,
					(messages + 5) * MESSAGE_NS);
		}
	}
	clock_uses_gettime = uses_gettime;
}

/* A list has its time before it, too, where it is longer than a burst, or no part of one. */
TEST(lists_take_the_time_of_their_bursts)
{
	static const uint32_t bursts[] = {1, 3, 8, 20};
	const bool uses_gettime = clock_uses_gettime;

	clock_uses_gettime = true;
	for (size_t i = 0; i < sizeof(bursts) / sizeof(bursts[0]); i++) {
		for (unsigned more = 0; more <= BW_MANY; more += BW_MANY) {
			struct run run = make_run(BW_SENDS | BW_LIST | BW_RATE | more);
			uint64_t messages;

			made_up_ns = 1000000000;
			run.plan.iters = 5 * run.plan.post_list;
			run.plan.burst_size = bursts[i];
			run.plan.message_cycles = MESSAGE_NS;
			assert_int_equal(bw_general(&run, BW_SENDS | BW_LIST | BW_RATE | more), 0);
			made_up_ns = 0;
			messages = run.plan.iters * run.queues.num_tx;
			check_clean_end(&run);
			assert_int_equal(run.result.completed, messages);
			assert_in_range(run.result.finish_cycles - run.result.begin_cycles, messages * MESSAGE_NS,
					(messages + 2) * MESSAGE_NS);
		}
	}
	clock_uses_gettime = uses_gettime;
}

#define BURST	  8
#define BURST_NS  20246 /* no whole number of them is the window */
#define MARGIN_NS 2000000
#define WINDOW_NS 10000000

/* What was due in the margin and not posted there is not posted in the window: its average is not above the limit. */
TEST(a_standstill_in_the_margin_is_not_made_up_in_the_window)
{
	const unsigned variants[] = {0, BW_MANY, BW_MODERATED, BW_LIST};
	const int64_t most = WINDOW_NS * BURST / BURST_NS;
	/* since the window's begin; from there on it stands until here; bursts that this costs the window */
	static const int64_t stills_ns[][3] = {
		{0, 0, 0}, {-1800000, -100000, 0}, {-1800000, 300000, 15}, {-50000, 50000, 3}, {5000000, 8000000, 0}};
	const bool uses_gettime = clock_uses_gettime;

	clock_uses_gettime = true;
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		for (size_t n = 0; n < sizeof(stills_ns) / sizeof(stills_ns[0]); n++) {
			const unsigned flags = BW_SENDS | BW_CLOCK | BW_RATE | variants[i];
			struct run run = make_run(flags);
			uint64_t begin;

			made_up_ns = 1000000000;
			begin = made_up_ns + MARGIN_NS;
			run.plan.iters = 0;
			run.plan.burst_size = BURST;
			run.plan.message_cycles = (double)BURST_NS / BURST;
			run.plan.cq_mod = flags & BW_MODERATED ? BURST / 2 : run.plan.cq_mod;
			run.plan.begin_sample_cycles = begin;
			run.plan.end_sample_cycles = begin + WINDOW_NS;
			run.plan.end_cycles = run.plan.end_sample_cycles + MARGIN_NS;
			run.plan.over_cycles = run.plan.end_cycles;
			still_from = begin + (uint64_t)stills_ns[n][0];
			still_until = begin + (uint64_t)stills_ns[n][1];
			fake.posted = stand_still;
			assert_int_equal(bw_general(&run, flags), 0);
			made_up_ns = 0;
			check_clean_end(&run);
			assert_in_range(run.result.sampled, most - (stills_ns[n][2] + 2) * BURST, most);
			assert_in_range(run.result.margins, 1, run.result.completed - run.result.sampled);
		}
	}
	clock_uses_gettime = uses_gettime;
}

/*
 * All that the limit allows in the sample window completes in it, whatever the size of a burst, one that is longer than
 * the window among them: also without margins, where the last burst has only its own time to complete in.
 */
TEST(a_window_has_all_that_the_limit_allows)
{
	static const uint32_t bursts[] = {1, 8, 100, 333, 1000, 2000}; /* of 1000 messages */
	const bool uses_gettime = clock_uses_gettime;

	clock_uses_gettime = true;
	for (size_t i = 0; i < sizeof(bursts) / sizeof(bursts[0]); i++) {
		for (size_t n = 0; n < sizeof(singles) / sizeof(singles[0]); n++) {
			for (uint64_t margin = 0; margin <= MARGIN_NS; margin += MARGIN_NS) {
				const unsigned flags = BW_SENDS | BW_CLOCK | BW_RATE | singles[n];
				struct run run = make_run(flags);

				made_up_ns = 1000000000;
				run.plan.iters = 0;
				run.plan.burst_size = bursts[i];
				run.plan.message_cycles = MESSAGE_NS;
				/* a divisor of each burst, as params_cq_mod() has it */
				run.plan.cq_mod = !(flags & BW_MODERATED) ? 1
						  : bursts[i] % 2	  ? bursts[i] % 3 ? 1 : 3
									  : 4;
				run.plan.begin_sample_cycles = made_up_ns + margin;
				run.plan.end_sample_cycles = run.plan.begin_sample_cycles + WINDOW_NS;
				run.plan.end_cycles = run.plan.end_sample_cycles + margin;
				run.plan.over_cycles = run.plan.end_cycles;
				assert_int_equal(bw_general(&run, flags), 0);
				made_up_ns = 0;
				check_clean_end(&run);
				assert_in_range(run.result.sampled, WINDOW_NS / MESSAGE_NS - 1, WINDOW_NS / MESSAGE_NS);
				/* and in the margins it goes on, but for a burst that is longer than they are */
				if (margin && bursts[i] * (uint64_t)MESSAGE_NS < margin)
					assert_in_range(run.result.margins, 2 * margin / MESSAGE_NS - 3 * bursts[i],
							2 * margin / MESSAGE_NS + 2);
				/* where its time passes before it: the receiver's window may end later */
				else if (margin)
					assert_int_equal(run.result.margins, 0);
			}
		}
	}
	clock_uses_gettime = uses_gettime;
}

int main(void)
{
	clock_start(false);
	return tests_run(NULL, fake_teardown);
}
