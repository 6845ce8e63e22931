// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The bandwidth loop in all its variants on a fake device: what is posted, signalled and counted, and how a run ends.
 */
#define _GNU_SOURCE /* ppoll() in fake_verbs.h */
#include "bandwidth_rig.h"

#include <limits.h>

TEST(every_combination_counts_exactly)
{
	for (unsigned flags = 0; flags < 2 * BW_RATE; flags++) {
		struct run run;

		if (!is_possible(flags))
			continue;
		run = make_run(flags);
		assert_int_equal(bw_flags(&run, flags & (BW_SENDS | BW_RECEIVES)), flags);
		assert_int_equal(bw_general(&run, flags), 0);
		check_counts(&run, flags);
	}
}

/* The same requests in the same order with the same flags and addresses, and the same counts. */
TEST(every_instance_is_the_general_loop)
{
	assert_true(bw_num_instances > 20);
	for (size_t i = 0; i < bw_num_instances; i++) {
		const unsigned flags = bw_instances[i].flags;
		uint64_t hash;
		uint64_t polls;
		struct run run;

		assert_true(is_possible(flags));
		run = make_run(flags);
		assert_int_equal(bw_general(&run, flags), 0);
		hash = fake.hash;
		polls = fake.polls;
		run = make_run(flags);
		assert_int_equal(bw_instances[i].loop(&run), 0);
		check_counts(&run, flags);
		assert_int_equal(fake.hash, hash);
		assert_int_equal(fake.polls, polls);
	}
}

static void check_slots(unsigned flags, const struct run *run)
{
	for (unsigned i = 0; i < run->queues.num_tx; i++) {
		for (unsigned n = 0; n < FAKE_SLOTS; n++) {
			assert_int_equal(fake.sent_from[i][n], flags & BW_SENDS && n < ITERS);
			if (!(flags & BW_RECEIVES))
				assert_int_equal(fake.sent_to[i][n], n < ITERS);
			assert_int_equal(fake.received_in[i][n], flags & BW_RECEIVES && n < ITERS);
		}
		assert_int_equal(run->plan.slots->num_arrivals[i], flags & BW_RECEIVES ? ITERS : 0);
		assert_int_equal(fake.rx[i].posted, 0);
		assert_int_equal(fake.rx[i].left, 0);
	}
}

/* Lists and moderation, queues that are shorter than the round: each message from its own slot to its own. */
TEST(every_message_has_a_slot)
{
	for (unsigned flags = 0; flags < 2 * BW_RATE; flags++) {
		struct message_slots slots;
		struct run run;

		if (!is_possible(flags))
			continue;
		run = make_run_with_slots(flags, &slots);
		assert_int_equal(bw_flags(&run, flags & (BW_SENDS | BW_RECEIVES)), flags | BW_SLOTS);
		assert_int_equal(bw_slots(&run, flags), 0);
		check_counts(&run, flags);
		check_slots(flags, &run);
	}
}

/* Of three queue pairs one is the first port's. */
TEST(each_port_is_counted)
{
	static const unsigned variants[] = {
		BW_SENDS,
		BW_SENDS | BW_MODERATED,
		BW_SENDS | BW_LIST | BW_WR_API,
		BW_SENDS | BW_RATE,
		BW_RECEIVES,
		BW_SENDS | BW_RECEIVES | BW_MODERATED,
	};

	for (unsigned i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		const unsigned flags = variants[i] | BW_MANY | BW_CLOCK;
		struct run run = make_run(flags);

		run.plan.per_port = true;
		run.plan.want_peak = true;
		assert_int_equal(bw_flags(&run, flags & (BW_SENDS | BW_RECEIVES)), flags | BW_PORTS);
		assert_int_equal(bw_ports(&run, flags), 0);
		check_counts(&run, flags);
		assert_int_equal(run.result.port_sampled[0], ITERS);
		assert_int_equal(run.result.port_sampled[1], 2 * ITERS);
		assert_int_equal(run.result.port_unrated[0] + run.result.port_unrated[1], run.result.unrated);
	}
}

TEST(small_messages_walk_over_a_page)
{
	struct run run = make_run(BW_SENDS);

	run.plan.iters = FAKE_SPAN / 64 + 1;
	assert_int_equal(loop_bw_send(&run), 0);
	/* Once round and one more: the last message is back at the first slot. */
	assert_int_equal(fake.send_sge[0][0].addr, FAKE_LOCAL(0));
	assert_int_equal(fake.send_wr[0][0].wr.rdma.remote_addr, FAKE_REMOTE(0));

	run = make_run(BW_SENDS);
	run.plan.iters = 3;
	assert_int_equal(loop_bw_send(&run), 0);
	assert_int_equal(fake.send_sge[0][0].addr, FAKE_LOCAL(0) + 2 * 64);
	assert_int_equal(fake.send_wr[0][0].wr.rdma.remote_addr, FAKE_REMOTE(0) + 2 * 64);

	/* The union of a UD send's address is left alone. */
	run = make_run(BW_SENDS);
	run.plan.opcode = IBV_WR_SEND;
	fake.send_wr[0][0].opcode = IBV_WR_SEND;
	fake.send_wr[0][0].wr.ud.ah = (struct ibv_ah *)&run;
	assert_int_equal(loop_bw_send(&run), 0);
	assert_ptr_equal(fake.send_wr[0][0].wr.ud.ah, &run);
}

TEST(a_failed_completion_ends_the_run)
{
	const unsigned variants[] = {BW_SENDS, BW_SENDS | BW_MANY, BW_SENDS | BW_MODERATED, BW_SENDS | BW_LIST,
				     BW_SENDS | BW_MANY | BW_MODERATED | BW_CLOCK};

	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		struct run run = make_run(variants[i]);

		fake.fail_at = 50;
		assert_int_equal(loop_bw_send(&run), -EIO);
		assert_int_equal(run.result.failure.status, IBV_WC_RETRY_EXC_ERR);
		assert_int_equal(run.result.failure.vendor_err, 0x81);
		assert_in_range(run.result.failure.qp_num, 0x100, 0x102);
		assert_int_equal(run.result.completed, 49 * run.plan.cq_mod);
		assert_int_equal(run.result.posted, fake.posts);
	}
}

TEST(a_flush_gives_way_to_the_error_behind_it)
{
	const struct ibv_wc polled[] = {{.status = IBV_WC_WR_FLUSH_ERR, .qp_num = 1},
					{.status = IBV_WC_SUCCESS, .qp_num = 2},
					{.status = IBV_WC_WR_FLUSH_ERR, .qp_num = 3},
					{.status = IBV_WC_REM_ACCESS_ERR, .qp_num = 4},
					{.status = IBV_WC_LOC_PROT_ERR, .qp_num = 5}};
	struct run run = {.result.failure.status = IBV_WC_SUCCESS};

	assert_int_equal(post_note_failure(&run, polled, polled + 5, true /* receive */), -EIO);
	assert_int_equal(run.result.failure.status, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(run.result.failure.qp_num, 4);
	assert_true(run.result.failure.receive);
	/* not behind the end; and an error that is none stays */
	post_note_failure(&run, polled, polled + 3, false /* receive */);
	assert_int_equal(run.result.failure.status, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(run.result.failure.qp_num, 1);
	post_note_failure(&run, polled + 4, polled + 5, false /* receive */);
	assert_int_equal(run.result.failure.status, IBV_WC_LOC_PROT_ERR);
}

TEST(a_failed_arrival_ends_the_run)
{
	struct run run = make_run(BW_RECEIVES);

	fake.fail_at = 30;
	assert_int_equal(loop_bw_recv(&run), -EIO);
	assert_int_equal(run.result.failure.status, IBV_WC_LOC_LEN_ERR);
	assert_int_equal(run.result.received, 29);
}

TEST(a_refused_post_ends_the_run)
{
	const unsigned variants[] = {BW_SENDS, BW_SENDS | BW_MODERATED, BW_SENDS | BW_WR_API,
				     BW_SENDS | BW_MANY | BW_MODERATED};

	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		/* 105 is the signalled message of a group of 7; 103 is in the middle of one. */
		for (uint64_t refused = 103; refused <= 105; refused++) {
			struct run run = make_run(variants[i]);

			fake.refuse_at = refused;
			fake.refuses_below_zero = refused % 2;
			assert_int_equal(loop_bw_send(&run), -ENOMEM);
			assert_int_equal(run.result.posted, refused - 1);
			assert_int_equal(run.result.failure.status, IBV_WC_SUCCESS);
		}
	}
}

TEST(the_user_stops_a_sender)
{
	for (unsigned flags = BW_SENDS; flags < 2 * BW_RATE; flags++) {
		struct run run;

		if (!is_possible(flags) || !(flags & BW_SENDS))
			continue;
		run = make_run(flags);
		run.plan.iters = 0;
		fake.stop_at = 333;
		assert_int_equal(bw_general(&run, flags), 0);
		assert_true(run.result.stopped);
		check_clean_end(&run);
		assert_in_range(run.result.posted, 333, 20000);
	}
}

/* Each poll finds a hundred messages: the look must not wait for as many polls as an idle loop makes. */
TEST(few_completions_do_not_delay_the_stop)
{
	struct run run = make_run(BW_SENDS | BW_MODERATED);

	run.plan.iters = 0;
	run.plan.tx_depth = 128;
	fake.depth = 128;
	run.plan.cq_mod = 100;
	fake.stop_at = 333;
	assert_int_equal(bw_general(&run, BW_SENDS | BW_MODERATED), 0);
	assert_true(run.result.stopped);
	assert_in_range(run.result.posted, 333, 1000);
}

/* A post may move the data: neither the end of the time nor the user may have to wait for a whole send queue. */
TEST(large_messages_do_not_delay_the_stop)
{
	for (unsigned flags = BW_SENDS; flags < 2 * BW_RATE; flags++) {
		struct run run;

		if (!is_possible(flags) || !(flags & BW_SENDS))
			continue;
		run = make_run(flags);
		run.plan.size = UINT64_C(1) << 30;
		run.plan.iters = 0;
		fake.whole_polls = true;
		fake.stop_at = 1;
		assert_int_equal(bw_general(&run, flags), 0);
		assert_true(run.result.stopped);
		check_clean_end(&run);
		assert_in_range(fake.most_posts_between_polls, 1,
				run.queues.num_tx * (flags & BW_LIST ? run.plan.post_list : run.plan.cq_mod));
	}
}

static uint64_t full_at;

static void completes_when_full(void)
{
	uint64_t in_flight = 0;

	for (unsigned i = 0; i < FAKE_MAX_QPS; i++)
		in_flight += fake.qps[i].posted - fake.qps[i].freed;
	if (in_flight == full_at)
		fake.held = 0;
}

/* A device that completes later gets the whole send queue. */
TEST(large_messages_fill_the_queue)
{
	const unsigned variants[] = {BW_SENDS, BW_SENDS | BW_MANY, BW_SENDS | BW_MODERATED, BW_SENDS | BW_LIST,
				     BW_SENDS | BW_EVENTS};

	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		struct run run = make_run(variants[i]);

		run.plan.size = UINT64_C(1) << 30;
		fake.held = UINT64_MAX;
		full_at = (uint64_t)run.plan.tx_depth * run.queues.num_tx;
		fake.polled = completes_when_full;
		assert_int_equal(bw_general(&run, variants[i]), 0);
		check_clean_end(&run);
		assert_int_equal(run.result.completed, ITERS * run.queues.num_tx);
	}
}

TEST(receive_of_nobody_is_refused)
{
	const unsigned variants[] = {BW_RECEIVES | BW_MANY, BW_SENDS | BW_RECEIVES | BW_MANY};
	const uint64_t strays[] = {0, 3, 1ULL << 40, UINT64_MAX};

	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		for (size_t n = 0; n < sizeof(strays) / sizeof(strays[0]); n++) {
			struct run run = make_run(variants[i]);

			fake.stray = strays[n];
			assert_int_equal(bw_general(&run, variants[i]), strays[n] ? -EBADMSG : 0);
		}
	}
}

TEST(send_of_nobody_is_refused)
{
	const unsigned variants[] = {BW_SENDS | BW_MANY, BW_SENDS | BW_MANY | BW_CLOCK, BW_SENDS | BW_MANY | BW_LIST};
	const uint64_t strays[] = {0, 3, 1ULL << 40, UINT64_MAX};

	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		for (size_t n = 0; n < sizeof(strays) / sizeof(strays[0]); n++) {
			struct run run = make_run(variants[i]);

			fake.stray_send = strays[n];
			assert_int_equal(bw_general(&run, variants[i]), strays[n] ? -EBADMSG : 0);
		}
	}
}

/* More completions than there was room for are none that may be looked at. */
TEST(a_poll_that_boasts_is_refused)
{
	const unsigned variants[] = {BW_SENDS, BW_RECEIVES, BW_SENDS | BW_RECEIVES, BW_SENDS | BW_MANY};
	const int boasts[] = {1024, INT_MAX - 64, INT_MIN};

	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		for (size_t n = 0; n < sizeof(boasts) / sizeof(boasts[0]); n++) {
			struct run run = make_run(variants[i]);

			fake.poll_boasts = boasts[n];
			assert_int_equal(bw_general(&run, variants[i]), boasts[n] < 0 ? -EIO : -EPROTO);
		}
	}
}

/* Where each is signalled and counted as it comes, and the run would end well. */
TEST(more_completions_than_requests_are_refused)
{
	struct run run = make_run(BW_SENDS);

	run.plan.cqe_poll = 16;
	run.plan.tx_depth = (uint32_t)run.plan.iters;
	fake.depth = (uint32_t)run.plan.iters * 2;
	fake.whole_polls = true;
	fake.poll_boasts = 1;
	run.plan.iters = 15;
	assert_int_equal(bw_general(&run, BW_SENDS), -EBADMSG);
}

TEST(another_length_is_refused)
{
	const unsigned variants[] = {BW_RECEIVES, BW_RECEIVES | BW_MANY, BW_SENDS | BW_RECEIVES};

	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		struct run run = make_run(variants[i]);

		run.plan.arrival_bytes = 8;
		fake.byte_len = 8;
		assert_int_equal(bw_general(&run, variants[i]), 0);
		assert_int_equal(run.result.received, run.plan.iters * run.queues.num_tx);

		run = make_run(variants[i]);
		run.plan.arrival_bytes = 8;
		fake.byte_len = 4;
		assert_int_equal(bw_general(&run, variants[i]), -EMSGSIZE);
		assert_int_equal(run.result.received, 0);
		assert_int_equal(run.result.first_arrival_bytes, 4);
	}
}

static uint64_t sent_all_at; /* stamp of the first idle() with sent_all */

static enum idle_answer note_when_sent(struct run *run)
{
	if (run->result.sent_all && !sent_all_at)
		sent_all_at = clock_cycles();
	return IDLE_WAIT;
}

/* With -b the side that is through with its sends does not charge them for the wait. */
TEST(a_direction_ends_with_its_last_completion)
{
	const unsigned variants[] = {BW_SENDS | BW_RECEIVES, BW_SENDS | BW_RECEIVES | BW_CLOCK};

	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		struct run run = make_run(variants[i]);

		sent_all_at = 0;
		run.hooks.idle = note_when_sent;
		fake.arrivals_a_poll = 1;
		assert_int_equal(loop_bw_both(&run), 0);
		assert_true(sent_all_at > run.result.begin_cycles);
		assert_true(run.result.finish_cycles <= sent_all_at);
	}
}

TEST(a_silent_device_is_aborted)
{
	const unsigned variants[] = {BW_SENDS, BW_SENDS | BW_MANY | BW_MODERATED | BW_CLOCK, BW_SENDS | BW_EVENTS};

	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		struct run run = make_run(variants[i]);

		fake.silent_after = 40;
		run.hooks.idle = fake_idle_abort;
		assert_int_equal(loop_bw_send(&run), 0);
		assert_true(run.result.stopped);
		assert_false(run.result.sent_all);
		assert_int_equal(run.result.completed, 40 * run.plan.cq_mod);
		assert_int_equal(fake.idle_calls, 1);
		assert_true(run.result.finish_cycles >= run.result.begin_cycles);
	}
}

/* The device goes on only after the peer has said, for some time, that it has all. */
static enum idle_answer late_acknowledgements(struct run *run)
{
	if (++fake.idle_calls == 5)
		fake.silent_after = 0;
	return IDLE_DRAIN;
}

TEST(a_sender_waits_for_late_acknowledgements)
{
	struct run run = make_run(BW_SENDS);

	run.plan.opcode = IBV_WR_SEND;
	run.hooks.idle = late_acknowledgements;
	fake.silent_after = 40;
	assert_int_equal(loop_bw_send(&run), 0);
	assert_false(run.result.stopped);
	assert_int_equal(run.result.completed, ITERS);
}

/* session tells the peer when all is sent; the peer may wait for that with its last messages. */
static enum idle_answer note_when_sent_all(struct run *run)
{
	if (run->result.sent_all && !fake.idle_calls++)
		assert_true(run->result.received < run->plan.iters);
	return IDLE_WAIT;
}

TEST(both_directions_report_when_all_is_sent)
{
	struct run run = make_run(BW_SENDS | BW_RECEIVES);

	run.hooks.idle = note_when_sent_all;
	fake.arrivals_a_poll = 1;
	assert_int_equal(loop_bw_both(&run), 0);
	assert_true(run.result.sent_all);
	assert_int_equal(run.result.received, ITERS);
	assert_int_equal(run.result.completed, ITERS);
	assert_true(fake.idle_calls >= 1);
}

static uint64_t tick_and_stop(struct run *run, uint64_t now)
{
	assert_int_equal(run->result.sampled, run->result.completed);
	if (run->result.completed > 500)
		run->result.stopped = true;
	return 0; /* again at the next look */
}

TEST(a_tick_may_end_the_run)
{
	struct run run = make_run(BW_SENDS);

	run.plan.iters = 0;
	run.hooks.next_tick_cycles = 0;
	run.hooks.tick = tick_and_stop;
	assert_int_equal(loop_bw_send(&run), 0);
	assert_true(run.result.stopped);
	assert_true(run.result.completed > 500);
}

TEST(warm_up_counts_nothing)
{
	struct run run = make_run(BW_SENDS | BW_MANY | BW_MODERATED | BW_CLOCK);

	assert_int_equal(loop_warm_up(&run, run.plan.tx_depth), 0);
	assert_int_equal(fake.posts, (uint64_t)run.plan.tx_depth * run.queues.num_tx);
	assert_int_equal(run.result.posted, 0);
	assert_int_equal(run.result.completed, 0);
	assert_int_equal(run.result.begin_cycles, 0);
	for (unsigned i = 0; i < run.queues.num_tx; i++)
		assert_int_equal(fake.qps[i].freed, run.plan.tx_depth);
	assert_int_equal(fake.num_ready, 0);
	/* And the measured run begins with an empty queue. */
	assert_int_equal(loop_bw_send(&run), 0);
	assert_int_equal(run.result.completed, ITERS * 3);

	run = make_run(BW_SENDS);
	fake.fail_at = 5;
	assert_int_equal(loop_warm_up(&run, run.plan.tx_depth), -EIO);
	assert_int_equal(run.result.failure.status, IBV_WC_RETRY_EXC_ERR);
}

TEST(depths_that_do_not_fit_are_refused)
{
	struct run run = make_run(BW_SENDS);

	run.plan.post_list = run.plan.tx_depth + 1;
	assert_int_equal(loop_bw_send(&run), -EINVAL);
	run = make_run(BW_SENDS | BW_LIST);
	run.plan.iters = 1001;
	assert_int_equal(loop_bw_send(&run), -EINVAL);
	run = make_run(BW_RECEIVES);
	run.plan.recv_post_list = run.plan.rx_depth + 1;
	assert_int_equal(loop_bw_recv(&run), -EINVAL);
	assert_int_equal(fake.posts, 0);
}

int main(void)
{
	clock_start(false);
	return tests_run(NULL, fake_teardown);
}
