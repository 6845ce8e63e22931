// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The receives of the bandwidth loop, on a fake device: how they are kept posted, shared, counted and handed over. */
#define _GNU_SOURCE /* ppoll() in fake_verbs.h */
#include "bandwidth_rig.h"

/* In every way to end, and beside a message that was taken before the loop. */
TEST(each_receive_queue_is_counted)
{
	for (unsigned i = 0; i < 4; i++) {
		const unsigned flags = BW_RECEIVES | BW_MANY | (i & 1 ? BW_CLOCK : 0) | (i & 2 ? BW_EVENTS : 0);
		uint64_t received[3] = {0}, sampled[3] = {0};
		struct run run = make_run(flags);

		run.plan.by_queue = (struct queue_counts){received, sampled};
		fake.qps[1].arrivals = ITERS + 7;
		fake.qps[2].arrivals = ITERS - 7;
		assert_int_equal(loop_await_first(&run), 0);
		assert_int_equal(received[0] + received[1] + received[2], 1);
		if (flags & BW_CLOCK)
			run.plan.end_cycles = run.plan.end_sample_cycles = UINT64_MAX - 1;
		assert_int_equal(bw_flags(&run, BW_RECEIVES), flags | BW_QUEUES);
		assert_int_equal(loop_bw_recv(&run), 0);
		assert_int_equal(received[0], ITERS);
		assert_int_equal(received[1], ITERS + 7);
		assert_int_equal(received[2], ITERS - 7);
		assert_int_equal(run.result.received, 3 * ITERS);
		assert_int_equal(sampled[0] + sampled[1] + sampled[2], run.result.sampled);
		/* By time the first message is of no window. */
		assert_int_equal(run.result.sampled, 3 * ITERS - !!(flags & BW_CLOCK));
	}
}

static uint64_t num_polled;

/* Every 50th is of another length; of the second length 300 are lost. */
static int poll_lengths(struct ibv_cq *cq, int entries, struct ibv_wc *wc)
{
	const int found = fake_poll_cq(cq, entries, wc);

	for (int i = 0; i < found; i++) {
		num_polled++;
		wc[i].byte_len = num_polled % 50 == 7		? 61
				 : num_polled % 50 == 8		? UINT32_MAX
				 : num_polled <= 25 * 50	? 60
				 : num_polled <= (25 + 17) * 50 ? 124
								: 252;
	}
	return found;
}

TEST(lengths_are_counted_in_one_run)
{
	static const uint32_t sizes[] = {60, 124, 252};

	for (unsigned i = 0; i < 4; i++) {
		const bool many = i & 1, behind = i & 2;
		struct length_count lengths[253] = {0};
		struct run run = make_run(BW_RECEIVES | (many ? BW_MANY : 0));

		for (unsigned j = 0; j < 3; j++)
			lengths[sizes[j]] = (struct length_count){.left = j ? 1000 : 1190, .begin_after = 1};
		fake.context.ops.poll_cq = poll_lengths;
		for (unsigned j = 0; j < run.queues.num_tx; j++)
			fake.qps[j].arrivals = many ? 1200 : 3600;
		num_polled = 0;
		run.plan.lengths = lengths;
		run.plan.num_lengths = 253;
		run.plan.iters *= 4; /* more than all of them */
		/* Polls that find no end: when the first of them came is not known. */
		fake.whole_polls = behind;
		run.plan.cqe_poll = 4;
		run.hooks.idle = fake_idle_abort;
		assert_int_equal(loop_await_first(&run), 0);
		assert_int_equal(run.result.received, 1);
		assert_true(bw_flags(&run, BW_RECEIVES) & BW_LENGTHS);
		assert_int_equal(loop_bw_recv(&run), 0);
		assert_false(run.result.stopped);
		assert_int_equal(lengths[60].frames, 1190);
		assert_int_equal(lengths[124].frames, 17 * 48);
		assert_int_equal(lengths[252].frames, 1000);
		assert_int_equal(lengths[124].left, 1000 - 17 * 48);
		assert_int_equal(run.result.received, 1190 + 17 * 48 + 1000);
		assert_int_equal(lengths[61].frames, 0);
		for (unsigned j = 0; j < 3; j++) {
			const struct length_count *count = &lengths[sizes[j]];
			const uint64_t least = behind ? (uint64_t)run.plan.rx_depth * run.queues.num_rx : 1;

			assert_true(count->unrated >= least);
			assert_true(count->unrated < count->frames);
			assert_true(count->end_cycles > count->begin_cycles);
			if (j)
				assert_true(count->begin_cycles >= lengths[sizes[j - 1]].end_cycles);
		}
	}
}

TEST(a_first_frame_of_another_length_ends_the_run)
{
	struct length_count lengths[61] = {[60] = {.left = 1}};
	struct run run = make_run(BW_RECEIVES);

	run.plan.lengths = lengths;
	run.plan.num_lengths = 61;
	fake.byte_len = 61;
	assert_int_equal(loop_await_first(&run), -EMSGSIZE);
	assert_int_equal(run.result.first_arrival_bytes, 61);

	run = make_run(BW_RECEIVES);
	run.plan.lengths = lengths;
	run.plan.num_lengths = 61;
	run.plan.sees_others = true;
	run.hooks.idle = fake_idle_abort;
	assert_int_equal(loop_await_first(&run), 0);
	assert_true(run.result.stopped);
	assert_int_equal(run.result.received, 0);
}

/* A message was taken before the loop, whose first poll finds nothing: all the others are in the rate. */
TEST(the_clock_starts_without_an_arrival)
{
	for (unsigned flags = BW_RECEIVES; flags <= (BW_RECEIVES | BW_CLOCK); flags += BW_CLOCK) {
		struct run run = make_run(flags);

		assert_int_equal(loop_await_first(&run), 0);
		fake.polls = 3; /* as fake_poll_cq() has it, the next one is empty */
		if (flags & BW_CLOCK)
			run.plan.end_cycles = run.plan.end_sample_cycles = UINT64_MAX - 1;
		assert_int_equal(bw_flags(&run, BW_RECEIVES), flags);
		assert_int_equal(loop_bw_recv(&run), 0);
		assert_int_equal(run.result.received, ITERS);
		assert_int_equal(run.result.sampled - run.result.unrated, ITERS - 1);
		assert_true(run.result.finish_cycles > run.result.begin_cycles);
	}
}

static int refuse_receive(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	*bad = wr;
	return -ENOMEM; /* as some libraries do */
}

TEST(a_refused_receive_ends_the_wait_for_the_first_message)
{
	struct run run = make_run(BW_RECEIVES);

	fake.context.ops.post_recv = refuse_receive;
	assert_int_equal(loop_await_first(&run), -ENOMEM);
}

static const unsigned char *next_place, *first_place;
static uint64_t places, step_of_places, handed_over;

static void note_place(const void *data, uint64_t length)
{
	assert_ptr_equal(data, next_place);
	assert_int_equal(length, 8);
	handed_over++;
	next_place = first_place + handed_over % places * step_of_places;
}

static void expect_places(uint64_t base, uint32_t step, uint32_t span)
{
	first_place = next_place = (const unsigned char *)(uintptr_t)base;
	step_of_places = step;
	places = span / step;
	handed_over = 0;
}

/* In order, each in the receive that was posted for it, or where the READ put it. */
TEST(what_arrives_is_handed_over)
{
	static const unsigned roles[] = {BW_RECEIVES, BW_SENDS | BW_RECEIVES, BW_SENDS};

	for (unsigned i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		for (unsigned more = 0; more <= BW_MODERATED; more += BW_MODERATED) {
			const unsigned flags = roles[i] | (roles[i] & BW_SENDS ? more : 0);
			struct run run = make_run(flags & ~BW_RECEIVES);

			fake.tx[0].step = fake.rx[0].step = 64;
			fake.tx[0].span = fake.rx[0].span = 4096;
			run.hooks.arrived = note_place;
			if (flags & BW_RECEIVES) {
				run.plan.opcode = IBV_WR_SEND;
				fake.qps[0].arrivals = ITERS;
				fake.byte_len = UINT32_MAX; /* cut to plan.size */
				assert_int_equal(loop_post_receives(&run), 0);
				expect_places(fake.rx[0].base, 64, 4096);
			} else {
				run.plan.opcode = IBV_WR_RDMA_READ;
				expect_places(fake.tx[0].local_base, 64, 4096);
			}
			assert_int_equal(bw_flags(&run, roles[i]), flags | BW_READS);
			assert_int_equal(bw_reads(&run, flags), 0);
			check_counts(&run, flags);
			assert_int_equal(handed_over, ITERS);
		}
	}
}

/* What is left over of a round is used up by the next: no receive too many is posted. */
TEST(leftover_receives_count)
{
	struct message_slots slots;
	struct run run = make_run_with_slots(BW_RECEIVES, &slots);

	assert_int_equal(fake.rx[0].posted, run.plan.rx_depth);
	assert_int_equal(fake.rx[0].left, ITERS - run.plan.rx_depth);
	fake.rx[0].posted = 5;
	run.plan.iters = 12;
	assert_int_equal(loop_post_receives(&run), 0);
	assert_int_equal(fake.rx[0].posted, 12);
	assert_int_equal(fake.rx[0].left, 0);
	run.plan.iters = 9;
	assert_int_equal(loop_post_receives(&run), 0);
	assert_int_equal(fake.rx[0].posted, 12);
	assert_int_equal(fake.rx[0].left, 0);
}

/* One receive queue of three queue pairs (SRQ): it is kept full, whichever of them uses its receives up. */
TEST(queue_pairs_share_receives)
{
	struct run run = make_run(BW_RECEIVES | BW_MANY | BW_SHARED);

	assert_int_equal(fake.shared_receives, run.plan.rx_depth);
	fake.qps[0].arrivals = 10;
	fake.qps[1].arrivals = 2 * ITERS;
	fake.qps[2].arrivals = ITERS - 10;
	assert_int_equal(loop_bw_recv(&run), 0);
	assert_int_equal(run.result.received, 3 * ITERS);
	assert_int_equal(fake.max_shared_receives, run.plan.rx_depth);
	assert_int_equal(fake.shared_receives, run.plan.rx_depth);
	assert_int_equal(fake.rx[0].posted, run.plan.rx_depth);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(fake.qps[i].max_receives, 0);
}

/* Then only the number in the completion says to which queue pair a message came. */
TEST(shared_receives_name_their_queue_pair)
{
	struct message_slots slots;
	struct run run = make_run_with_slots(BW_RECEIVES | BW_MANY, &slots);

	fake_reset(&run, false, false);
	fake_share(&run);
	fake.qps[1].qpx.qp_base.qp_num = 0x108; /* in a table of 8 these two meet */
	fake.qps[2].qpx.qp_base.qp_num = 0x110;
	assert_int_equal(queue_set_number(&run.queues, NULL, false), 0);
	run.plan.iters = 100;
	assert_int_equal(loop_post_receives(&run), 0);
	fake.qps[0].arrivals = 40;
	fake.qps[1].arrivals = 160;
	fake.qps[2].arrivals = 100;
	assert_int_equal(loop_bw_recv(&run), 0);
	assert_int_equal(slots.num_arrivals[0], 40);
	assert_int_equal(slots.num_arrivals[1], 160);
	assert_int_equal(slots.num_arrivals[2], 100);
	assert_int_equal(fake.rx[0].left, 0);
	assert_int_equal(fake.shared_receives, 0);
	assert_int_equal(queue_set_arrival(&run.queues, &(struct ibv_wc){.qp_num = 0x999}), 0);
	queue_set_forget(&run.queues);
}

TEST(a_receiver_ends_when_all_is_drained)
{
	const unsigned variants[] = {BW_RECEIVES, BW_RECEIVES | BW_MANY, BW_RECEIVES | BW_EVENTS | BW_CLOCK};

	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		struct run run = make_run(variants[i]);

		run.hooks.idle = fake_idle_drain;
		fake.qps[0].arrivals = 700; /* 300 are lost on the way */
		assert_int_equal(loop_bw_recv(&run), 0);
		assert_false(run.result.stopped);
		assert_int_equal(run.result.received, run.plan.iters * run.queues.num_tx - 300);
		assert_int_equal(run.result.sampled, run.result.received);
		assert_int_equal(fake.idle_calls, 1);
	}
}

TEST(a_receiver_of_nothing_ends)
{
	struct run run = make_run(BW_RECEIVES);

	run.hooks.idle = fake_idle_drain;
	fake.qps[0].arrivals = 0;
	assert_int_equal(loop_bw_recv(&run), 0);
	assert_int_equal(run.result.received, 0);
	assert_int_equal(run.result.begin_cycles, run.result.finish_cycles);
}

TEST(the_receive_queue_stays_full)
{
	const unsigned variants[] = {BW_RECEIVES, BW_RECEIVES | BW_MANY};

	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		struct run run = make_run(variants[i]);

		assert_int_equal(loop_bw_recv(&run), 0);
		for (unsigned j = 0; j < run.queues.num_tx; j++) {
			assert_int_equal(fake.qps[j].receives, run.plan.rx_depth);
			assert_int_equal(fake.qps[j].max_receives, run.plan.rx_depth);
			assert_int_equal(fake.rx[j].posted, run.plan.rx_depth);
		}
		/* The next size finds nothing to post. */
		assert_int_equal(loop_post_receives(&run), 0);
		assert_int_equal(fake.qps[0].max_receives, run.plan.rx_depth);
	}
}

TEST(lists_of_receives_are_replaced_whole)
{
	struct run run = make_run(BW_RECEIVES);

	/* 5 does not divide 16: three lists wait, and each is replaced when 5 receives are used up. */
	run.plan.recv_post_list = 5;
	fake_reset(&run, false, false);
	assert_int_equal(loop_post_receives(&run), 0);
	assert_int_equal(fake.qps[0].receives, 15);
	fake.qps[0].arrivals = 1000;
	assert_int_equal(loop_bw_recv(&run), 0);
	assert_int_equal(run.result.received, 1000);
	assert_int_equal(fake.qps[0].max_receives, 15);
	assert_int_equal(fake.qps[0].receives, 15);
}

/* Twice there is still something on the way after all. */
static enum idle_answer drain_in_vain(struct run *run)
{
	if (++fake.idle_calls <= 2)
		fake.qps[0].arrivals += 100;
	return fake.idle_calls <= 3 ? IDLE_WAIT : IDLE_DRAIN;
}

TEST(what_comes_late_is_received)
{
	struct run run = make_run(BW_RECEIVES);

	run.hooks.idle = drain_in_vain;
	fake.qps[0].arrivals = 500;
	assert_int_equal(loop_bw_recv(&run), 0);
	assert_int_equal(run.result.received, 700);
	assert_int_equal(fake.idle_calls, 4);
}

int main(void)
{
	clock_start(false);
	return tests_run(NULL, fake_teardown);
}
