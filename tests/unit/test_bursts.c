// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The burst loops against a scripted peer: samples, losses, invalid answers, and the ways in which a run ends. */
#define _GNU_SOURCE /* ppoll() in fake_verbs.h */
#include "cmocka_all.h"
#include "fake_verbs.h"

#include "frames/frame.h"

#define ITERS	100
#define BURST	16
#define SLOTS	64 /* of the queues: more than both depths */
#define HEADERS 6  /* in front of a mark */

static struct latency latency;
static struct burst_plan burst;
static struct burst_early early;
static uint64_t stamps[BURST + 1];
static uint8_t sent[SLOTS][FAKE_STEP], received[SLOTS][FAKE_STEP];
static unsigned arrivals; /* that were written to a receive */
static struct mark answered[2 * ITERS];
static unsigned num_answered;

static const struct mark *lost; /* questions without answer, up to one of every 0 */
static bool answers_twice;

static void arrive(const struct mark *mark)
{
	uint8_t *slot = received[arrivals++ % SLOTS];

	memset(slot, 0, FAKE_STEP);
	if (mark)
		mark_write(slot + HEADERS, *mark);
	fake.qps[0].arrivals++;
	fake_announce(1);
}

static bool is_lost(const struct mark *mark)
{
	for (const struct mark *other = lost; other && other->every; other++)
		if (other->number == mark->number)
			return true;
	return false;
}

/* The message that was just posted, in order, on its own slot. */
static struct mark last_posted(void)
{
	struct mark mark;

	assert_true(mark_read(sent[(fake.posts - 1) % SLOTS] + HEADERS, &mark));
	return mark;
}

static void answer(void *arg)
{
	struct mark mark = last_posted();

	assert_false(mark.answers);
	assert_int_equal(mark.number, burst.first + fake.posts - 1);
	assert_int_equal(mark.every, burst.reply_every);
	if (fake.posts % mark.every || is_lost(&mark))
		return;
	mark.answers = true;
	arrive(&mark);
	if (answers_twice)
		arrive(&mark);
}

static void take_answer(void *arg)
{
	answered[num_answered++] = last_posted();
}

static struct run make_run(uint16_t every, uint32_t list, bool events)
{
	struct run run = {
		.queues.num_tx = 1,
		.plan.opcode = IBV_WR_SEND,
		.plan.size = FAKE_STEP,
		.plan.iters = ITERS,
		.plan.tx_depth = 10,
		.plan.rx_depth = 40,
		.plan.cq_mod = 7,
		.plan.post_list = list,
		.plan.recv_post_list = 1,
		.plan.cqe_poll = 16,
		.plan.burst_size = BURST,
		.plan.burst = &burst,
		.plan.end_sample_cycles = UINT64_MAX,
		.plan.end_cycles = UINT64_MAX,
		.hooks.next_tick_cycles = UINT64_MAX,
		.hooks.idle = fake_idle_wait,
		.plan.latency = &latency,
	};

	latency_close(&latency);
	assert_int_equal(latency_open(&latency, ITERS), 0);
	memset(stamps, 0, sizeof(stamps));
	burst = (struct burst_plan){.reply_every = every, .mark_offset = HEADERS, .stamps = stamps, .early = &early};
	arrivals = num_answered = 0;
	lost = NULL;
	answers_twice = false;
	fake_reset(&run, false /* ibv_wr_* */, events);
	fake.byte_len = FAKE_STEP;
	fake.tx[0].local_base = (uintptr_t)sent;
	fake.rx[0].base = (uintptr_t)received;
	fake.tx[0].step = fake.rx[0].step = FAKE_STEP;
	fake.tx[0].span = fake.rx[0].span = sizeof(sent);
	fake.posted = answer;
	assert_int_equal(loop_post_receives(&run), 0);
	return run;
}

static void check_samples(const struct run *run, uint64_t samples)
{
	assert_int_equal(run->result.posted, ITERS);
	assert_int_equal(run->result.completed, ITERS);
	assert_int_equal(run->result.received, samples);
	assert_int_equal(run->result.sampled, samples);
	assert_int_equal(latency.histogram.count, samples);
	assert_false(run->result.stopped);
	assert_true(run->result.sent_all);
	assert_false(fake.overflowed);
	assert_false(fake.slept_unarmed);
	assert_int_equal(fake.unacked, 0);
	assert_true(run->result.finish_cycles >= run->result.begin_cycles);
}

TEST(every_answer_is_a_sample)
{
	static const uint16_t every[] = {1, 3, BURST};
	static const uint32_t lists[] = {1, 7, 10};

	for (unsigned i = 0; i < 18; i++) {
		struct run run = make_run(every[i % 3], lists[i / 3 % 3], i / 9);

		burst.first = i * 10;
		assert_int_equal(loop_burst_ask(&run), 0);
		check_samples(&run, ITERS / every[i % 3]);
		assert_int_equal(run.result.lost, 0);
	}
}

TEST(what_is_no_answer_is_no_sample)
{
	static const struct mark others[] = {
		{.every = 1, .number = 0}, /* a question */
		{.answers = true, .every = 1, .number = 50},
		{.answers = true, .every = 1, .number = (1ULL << MARK_NUMBER_BITS) - 1},
	};
	struct run run = make_run(1, 1, false);

	answers_twice = true;
	arrive(NULL);
	for (unsigned i = 0; i < 3; i++)
		arrive(&others[i]);
	assert_int_equal(loop_burst_ask(&run), 0);
	check_samples(&run, ITERS);
	assert_int_equal(run.result.lost, 0);
}

/* Of the first burst one in the middle, of the second the last: that takes a while. */
TEST(answers_that_are_lost_are_counted)
{
	static const struct mark some[] = {{.every = 1, .number = 5}, {.every = 1, .number = 2 * BURST - 1}, {0}};
	struct run run = make_run(1, 1, false);

	lost = some;
	assert_int_equal(loop_burst_ask(&run), 0);
	check_samples(&run, ITERS - 2);
	assert_int_equal(run.result.lost, 2);
}

TEST(a_burst_without_answer_is_idles_to_end)
{
	static const struct mark some[] = {{.every = BURST, .number = 2 * BURST - 1}, {0}};
	struct run run = make_run(BURST, 1, false);

	lost = some;
	run.hooks.idle = fake_idle_abort;
	assert_int_equal(loop_burst_ask(&run), 0);
	assert_true(run.result.stopped);
	assert_int_equal(run.result.posted, 2 * BURST);
	assert_int_equal(latency.histogram.count, 1);
}

TEST(the_user_may_stop_it)
{
	struct run run = make_run(1, 1, false);

	fake.stop_at = 20;
	assert_int_equal(loop_burst_ask(&run), 0);
	assert_true(run.result.stopped);
	assert_true(run.result.posted <= 2 * BURST);
}

TEST(a_failure_ends_it)
{
	struct run run = make_run(1, 1, false);

	fake.fail_at = 9;
	assert_int_equal(loop_burst_ask(&run), -EIO);
	assert_int_not_equal(run.result.failure.status, IBV_WC_SUCCESS);
	run = make_run(1, 3, false);
	fake.refuse_at = 30;
	assert_int_equal(loop_burst_ask(&run), -ENOMEM);
}

/* The asking side's messages, but for those that are lost; some at a time, as there are receives. */
static unsigned asked, to_ask;

static void ask_some(void)
{
	for (unsigned i = 0; i < 5 && asked < to_ask; i++, asked++) {
		const struct mark mark = {.every = burst.reply_every ? burst.reply_every : 4, .number = asked};

		if (!is_lost(&mark))
			arrive(&mark);
	}
}

static enum idle_answer ask_more(struct run *run)
{
	fake.idle_calls++;
	if (asked == to_ask)
		return IDLE_DRAIN;
	ask_some();
	return IDLE_WAIT;
}

static struct run make_answering(uint16_t every, uint32_t list)
{
	struct run run = make_run(every, list, false);

	asked = 0;
	to_ask = ITERS;
	fake.posted = take_answer;
	run.hooks.idle = ask_more;
	return run;
}

static void check_answers(const struct run *run, unsigned every, unsigned left_out)
{
	assert_int_equal(run->result.completed, num_answered);
	assert_true(run->result.sent_all);
	assert_int_equal(num_answered, ITERS / every - left_out);
	for (unsigned i = 0; i < num_answered; i++) {
		assert_true(answered[i].answers);
		assert_int_equal(answered[i].every, every);
		assert_int_equal((answered[i].number + 1) % every, 0);
		assert_false(is_lost(&answered[i]));
	}
}

TEST(questions_are_answered)
{
	struct run run = make_answering(1, 1);

	assert_int_equal(loop_burst_answer(&run), 0);
	assert_int_equal(run.result.received, ITERS);
	assert_int_equal(run.result.lost, 0);
	check_answers(&run, 1, 0);
	/* As the questions say it. */
	run = make_answering(0, 3);
	assert_int_equal(loop_burst_answer(&run), 0);
	check_answers(&run, 4, 0);
}

TEST(questions_that_are_lost_are_counted)
{
	static const struct mark some[] = {
		{.every = 1, .number = 0}, {.every = 1, .number = 41}, {.every = 1, .number = 99}, {0}};
	static const struct mark others[] = {{.every = 1, .number = ITERS}, {.answers = true, .every = 1}};
	struct run run = make_answering(1, 1);

	lost = some;
	arrive(NULL);
	arrive(&others[0]);
	arrive(&others[1]);
	assert_int_equal(loop_burst_answer(&run), 0);
	assert_int_equal(run.result.received, ITERS - 3);
	assert_int_equal(run.result.lost, 3);
	check_answers(&run, 1, 3);
}

/* Of the first size everything is lost from the 50th message on; that the second has begun ends it, without a wait. */
TEST(the_next_size_ends_this_one)
{
	struct run run = make_answering(1, 1);
	struct mark some[ITERS / 2 + 1] = {{0}};

	for (unsigned i = 0; i < ITERS / 2; i++)
		some[i] = (struct mark){.every = 1, .number = ITERS / 2 + i};
	lost = some;
	to_ask = 2 * ITERS;
	burst.end = 2 * ITERS;
	assert_int_equal(loop_burst_answer(&run), 0);
	assert_int_equal(run.result.received, ITERS / 2);
	assert_int_equal(run.result.lost, ITERS / 2);
	assert_int_equal(run.result.completed, ITERS / 2);
	assert_true(early.count > 0);

	burst.first = ITERS;
	fake.posts = 0; /* the first slot comes again */
	run.result = (struct run_result){0};
	assert_int_equal(loop_burst_answer(&run), 0);
	assert_int_equal(early.count, 0);
	assert_int_equal(run.result.received, ITERS);
	assert_int_equal(run.result.lost, 0);
	assert_int_equal(num_answered, ITERS / 2 + ITERS);
	for (unsigned i = 0; i < num_answered; i++)
		assert_int_equal(answered[i].number, i < ITERS / 2 ? i : i + ITERS / 2);
}

TEST(another_interval_is_named)
{
	static const struct mark marks[] = {{.every = 7}, {.every = 0}};

	for (unsigned i = 0; i < 2; i++) {
		struct run run = make_answering(3, 1);

		arrive(&marks[i]);
		assert_int_equal(loop_burst_answer(&run), -EPROTO);
		assert_int_equal(run.result.peer_every, marks[i].every);
	}
}

static int close_all(void **state)
{
	latency_close(&latency);
	fake_close();
	return 0;
}

TEST_MAIN(NULL, close_all)
