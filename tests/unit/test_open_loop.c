// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The open loop with a simulated clock and a peer that answers by it, so that each sample is known in advance: the
 * schedule, a peer that hangs, requests that are late, lost or never answered, and the answering side.
 */
#define _GNU_SOURCE /* ppoll() in fake_verbs.h */
#include <math.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "fake_verbs.h"

#define STEP	 100  /* ns that a reading of the clock takes; the loop reads it once or twice a turn */
#define TURN	 1000 /* ns: no turn of the loop takes longer */
#define SERVICE	 4000 /* ns from a post to its answer */
#define INTERVAL 10000.0
#define WINDOW	 64
#define REQUESTS 20000
#define SLOW	 2000000 /* ns that the answer to some requests takes: more requests than the window holds */
#define NEVER	 UINT64_MAX

enum kind { WRITE, SENDING, REQUEST, DATAGRAM, KINDS };

static struct latency since_due, since_post;
static struct open_request requests[WINDOW];
static uint8_t poll_bytes[256 * FAKE_STEP];
static uint8_t post_bytes[256 * FAKE_STEP];

/* The peer: when each request was posted and will be answered, and what has become of that. */
static struct {
	uint64_t now;
	uint64_t posted, delivered;
	uint64_t post[REQUESTS + 2], answer[REQUESTS + 2];
	bool is_answered[REQUESTS + 2];
	uint32_t number[REQUESTS + 2]; /* of the answer that came n-th */
	/* It is an unknown peer's message, which has no number, in the place of one that was lost. */
	bool is_stray[REQUESTS + 2];
	uint64_t arrived, seen;
	uint64_t stop_begin, stop_end; /* it stands still */
	uint64_t lose_every;	       /* an answer; 0: none */
	uint64_t lost;
	uint64_t slow_every; /* an answer, which others overtake; 0: none */
	bool by_memory;
} peer;

static const struct run *running;

static uint8_t mark_of(uint64_t n)
{
	return (uint8_t)(0x80 | (n >> 6)); /* of 64 slots */
}

static void deliver(void)
{
	for (uint64_t n = peer.delivered; n < peer.posted; n++) {
		if (peer.is_answered[n])
			continue;
		if (peer.answer[n] > peer.now && !peer.slow_every)
			break;
		if (peer.answer[n] > peer.now)
			continue;
		peer.is_answered[n] = true;
		if (peer.lose_every && n % peer.lose_every == peer.lose_every - 1) {
			peer.lost++;
			peer.is_stray[peer.arrived] = true;
		}
		peer.number[peer.arrived++] = (uint32_t)n;
		if (peer.by_memory)
			poll_bytes[n % WINDOW * FAKE_STEP] = mark_of(n);
		else if (running->plan.opcode != IBV_WR_RDMA_READ)
			fake.qps[0].arrivals++;
	}
	while (peer.delivered < peer.posted && peer.is_answered[peer.delivered])
		peer.delivered++;
	if (running->plan.opcode == IBV_WR_RDMA_READ)
		fake.held = peer.posted - peer.arrived;
}

int clock_gettime(clockid_t id, struct timespec *time)
{
	if (id != CLOCK_MONOTONIC_RAW)
		return (int)syscall(SYS_clock_gettime, id, time);
	peer.now += STEP;
	if (running)
		deliver();
	*time = (struct timespec){.tv_sec = (time_t)(peer.now / 1000000000), .tv_nsec = (long)(peer.now % 1000000000)};
	return 0;
}

/* A request reaches the peer, which answers in order. */
static void take_request(void *arg)
{
	const uint64_t n = peer.posted++;
	uint64_t answer = peer.now + SERVICE;

	assert_in_range(n, 0, REQUESTS + 1);
	if (peer.by_memory)
		assert_int_equal(post_bytes[n % WINDOW * FAKE_STEP], mark_of(n));
	if (answer >= peer.stop_begin && answer < peer.stop_end)
		answer = peer.stop_end;
	if (peer.slow_every && n % peer.slow_every == peer.slow_every - 1)
		answer += SLOW;
	peer.post[n] = peer.now;
	peer.answer[n] = answer;
	fake.held += running->plan.opcode == IBV_WR_RDMA_READ;
}

/* As fake_poll_cq(), with the numbers of the answers, in the order in which they came. */
static int poll_numbered(struct ibv_cq *cq, int entries, struct ibv_wc *wc)
{
	const int found = fake_poll_cq(cq, entries, wc);

	if (cq == &fake.recv_cq && found > 0) {
		wc->wc_flags = peer.is_stray[peer.seen] ? 0 : IBV_WC_WITH_IMM;
		wc->imm_data = htobe32(peer.number[peer.seen++]);
	}
	if (cq == &fake.send_cq && found > 0 && running->plan.opcode == IBV_WR_RDMA_READ)
		wc->wr_id = peer.number[peer.seen++];
	return found;
}

static struct run make_run(enum kind kind, bool wr_api)
{
	static const enum ibv_wr_opcode opcodes[KINDS] = {IBV_WR_RDMA_WRITE, IBV_WR_SEND, IBV_WR_RDMA_READ,
							  IBV_WR_SEND};
	struct run run = {
		.queues.num_tx = 1,
		.plan.opcode = opcodes[kind],
		.plan.size = 1,
		.plan.iters = REQUESTS + 1,
		.plan.tx_depth = WINDOW,
		.plan.rx_depth = WINDOW,
		.plan.cq_mod = 1,
		.plan.post_list = 1,
		.plan.recv_post_list = 1,
		.plan.end_sample_cycles = UINT64_MAX,
		.plan.end_cycles = UINT64_MAX,
		.plan.latency = &since_due,
		.plan.begins = true,
		.plan.open = {.pace.mean_cycles = INTERVAL,
			      .requests = requests,
			      .mask = WINDOW - 1,
			      .since_post = &since_post,
			      .numbered = kind == DATAGRAM,
			      .may_lose = kind == DATAGRAM},
		.hooks.next_tick_cycles = UINT64_MAX,
		.hooks.idle = fake_idle_wait,
	};

	running = NULL;
	clock_start(true /* as the test has it */);
	latency_close(&since_due);
	latency_close(&since_post);
	assert_int_equal(latency_open(&since_due, REQUESTS), 0);
	assert_int_equal(latency_open(&since_post, REQUESTS), 0);
	memset(&peer, 0, sizeof(peer));
	memset(poll_bytes, 0, sizeof(poll_bytes));
	peer.by_memory = kind == WRITE;
	peer.now = 1000000000;
	fake_reset(&run, wr_api, false /* events */);
	fake.whole_polls = true;
	fake.depth = 2 * WINDOW;
	fake.tx[0].step = FAKE_STEP;
	fake.tx[0].span = WINDOW * FAKE_STEP;
	fake.tx[0].poll_byte = poll_bytes;
	fake.tx[0].post_byte = post_bytes;
	fake.posted = take_request;
	if (kind == DATAGRAM)
		fake.context.ops.poll_cq = poll_numbered;
	if (kind == SENDING || kind == DATAGRAM)
		assert_int_equal(loop_post_receives(&run), 0);
	return run;
}

static int measure(enum kind kind, struct run *run)
{
	static const loop_fn loops[KINDS] = {loop_open_write, loop_open_send, loop_open_request, loop_open_send};
	int ret;

	running = run;
	ret = loops[kind](run);
	running = NULL;
	return ret;
}

/* When the n-th request was due, n from 1: the schedule begins when the one before it is answered. */
static uint64_t *due_of(const struct run *run)
{
	uint64_t *due = calloc(REQUESTS + 1, sizeof(*due));
	struct schedule schedule;

	assert_non_null(due);
	schedule_begin(&schedule, &run->plan.open.pace, run->result.begin_cycles);
	for (unsigned n = 1; n <= REQUESTS; n++)
		due[n] = schedule_next(&schedule);
	return due;
}

/* Each sample is the time from its planned start to its answer, and that from its post, by the peer's own books. */
static void check_samples(const struct run *run)
{
	uint64_t *due = due_of(run);

	assert_int_equal(since_due.num_samples, REQUESTS);
	assert_int_equal(since_post.num_samples, REQUESTS);
	for (unsigned n = 1; n <= REQUESTS; n++) {
		const uint64_t from_due = since_due.samples[n - 1], from_post = since_post.samples[n - 1];

		assert_int_equal(from_due - from_post, peer.post[n] - due[n]);
		assert_in_range(peer.post[n] + from_post, peer.answer[n], UINT64_MAX);
		/* It was posted at once, or when the window had room. */
		if (n > WINDOW && due[n] < peer.answer[n - WINDOW])
			assert_in_range(peer.post[n], peer.answer[n - WINDOW], UINT64_MAX);
		else if (peer.answer[n - 1] < due[n])
			assert_in_range(peer.post[n], due[n], due[n] + TURN);
	}
	free(due);
}

static void check_end(const struct run *run, enum kind kind)
{
	assert_int_equal(run->result.posted, REQUESTS + 1);
	assert_int_equal(run->result.completed, REQUESTS + 1);
	assert_int_equal(run->result.received, kind == REQUEST ? 0 : REQUESTS + 1);
	assert_int_equal(run->result.sampled, REQUESTS);
	assert_int_equal(run->result.open.sent, REQUESTS);
	assert_int_equal(run->result.open.lost + run->result.open.unanswered + run->result.open.unsent, 0);
	assert_true(run->result.sent_all);
	assert_false(run->result.stopped);
	assert_false(fake.overflowed);
	if (kind == SENDING || kind == DATAGRAM)
		assert_int_equal(fake.qps[0].receives, WINDOW);
}

TEST(requests_leave_on_schedule)
{
	for (unsigned i = 0; i < 4 * KINDS; i++) {
		const enum kind kind = i % KINDS;
		struct run run = make_run(kind, (i / KINDS) & 1);
		double rate;

		run.plan.open.pace.is_poisson = i / (2 * KINDS);
		run.plan.open.pace.seed = i;
		assert_int_equal(measure(kind, &run), 0);
		check_end(&run, kind);
		check_samples(&run);
		assert_int_equal(run.result.open.late, 0);
		/* The rate that was asked for, exact to far more than 1 %; a Poisson process's within four errors. */
		rate = REQUESTS / (double)(run.result.finish_cycles - run.result.begin_cycles);
		assert_true(fabs(rate * INTERVAL - 1) < (i / (2 * KINDS) ? 4 / sqrt(REQUESTS) : 1e-5));
	}
}

/*
 * The peer stands still for 50 ms of 200. A quarter of all requests is due in that time, and waits for what is left of
 * it: of the planned starts the percentile 75 + 25 * x / 50 ms is x. Of the posts only as many as were in flight know
 * of it, one in 300.
 */
TEST(a_standstill_has_its_weight)
{
	const double stop = 50e6;

	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct run run = make_run(kind, false);

		peer.stop_begin = peer.now + 70000000;
		peer.stop_end = peer.stop_begin + (uint64_t)stop;
		assert_int_equal(measure(kind, &run), 0);
		check_end(&run, kind);
		check_samples(&run);
		for (double percent = 76; percent < 100; percent += 3) {
			const double exact = stop * (percent - 75) / 25;

			assert_true(fabs(latency_percentile(&since_due, percent) - exact) < 0.02 * stop);
		}
		assert_true(latency_percentile(&since_due, 70) < SERVICE + 2 * TURN);
		assert_true(fabs(latency_mean(&since_due) - stop / 8) < 0.02 * stop);
		assert_true(fabs((double)since_due.max - stop) < 0.001 * stop);
		assert_in_range(run.result.open.late, stop / INTERVAL - WINDOW - 2, 1.03 * stop / INTERVAL - WINDOW);
		/* What a loop that waits for its answers would have seen: next to nothing. */
		assert_true(latency_percentile(&since_post, 99) < 20 * SERVICE);
		assert_true((double)since_post.max > 0.98 * stop && (double)since_post.max < 1.001 * stop);
	}
}

/* One request at a time, and late ones keep their planned starts. */
TEST(a_window_of_one)
{
	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct run run = make_run(kind, false);
		uint64_t *due;

		run.plan.tx_depth = 1;
		run.plan.open.mask = 0;
		run.plan.iters = 101;
		run.plan.open.pace.mean_cycles = SERVICE / 2.0;
		fake.depth = TX_MIN_LATENCY_DEPTH;
		assert_int_equal(measure(kind, &run), 0);
		assert_int_equal(run.result.sampled, 100);
		assert_int_equal(run.result.open.late, 99);
		due = due_of(&run);
		for (unsigned n = 2; n <= 100; n++) {
			assert_in_range(peer.post[n] - peer.answer[n - 1], 0, TURN);
			assert_int_equal(since_due.samples[n - 1], peer.post[n] - due[n] + since_post.samples[n - 1]);
		}
		free(due);
	}
}

/* By time requests count whose planned start is in the window, and the window is the time. */
TEST(a_window_of_planned_starts)
{
	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct run run = make_run(kind, false);

		run.plan.iters = 0;
		run.plan.begin_sample_cycles = peer.now + 10000000;
		run.plan.end_sample_cycles = peer.now + 40000000;
		run.plan.end_cycles = peer.now + 50000000;
		assert_int_equal(measure(kind, &run), 0);
		assert_int_equal(run.result.sampled, 3000);
		assert_int_equal(since_due.num_samples, 3000);
		assert_in_range(run.result.open.sent, 2999, 3001);
		assert_in_range(run.result.posted, 4999, 5001);
		assert_int_equal(run.result.posted, run.result.completed);
		assert_int_equal(run.result.finish_cycles - run.result.begin_cycles, 30000000);
		assert_false(run.result.stopped);
	}
}

static uint64_t abort_after;

static enum idle_answer give_up(struct run *run)
{
	fake.idle_calls++;
	return peer.now > abort_after ? IDLE_ABORT : IDLE_WAIT;
}

/* Nothing is answered any more from the middle of the window on: ages are samples, also of what was never posted. */
TEST(what_is_never_answered_counts_by_its_age)
{
	for (enum kind kind = WRITE; kind <= REQUEST; kind++) {
		struct run run = make_run(kind, false);
		uint64_t end;

		run.plan.iters = 0;
		end = peer.now + 100000000;
		run.plan.begin_sample_cycles = peer.now;
		run.plan.end_sample_cycles = run.plan.end_cycles = end;
		peer.stop_begin = peer.now + 50000000;
		peer.stop_end = NEVER;
		abort_after = end + 20000000;
		run.hooks.idle = give_up;
		assert_int_equal(measure(kind, &run), 0);
		assert_true(run.result.stopped);
		assert_in_range(run.result.sampled, 4998, 5000);
		assert_int_equal(run.result.open.unanswered, WINDOW);
		assert_true(run.result.open.stands_out);
		assert_in_range(run.result.sampled + run.result.open.unanswered + run.result.open.unsent, 9999, 10000);
		/* All but those that were younger than the median when the schedule ended. */
		assert_in_range(since_due.histogram.count, 9997, 10000);
		assert_int_equal(since_post.histogram.count, run.result.sampled + WINDOW);
		/* The oldest was waited for until the end of the run, the others until the end of the schedule. */
		assert_true(fabs((double)since_due.max - 70e6) < 2e6);
		assert_true(fabs(latency_percentile(&since_due, 75) - 25e6) < 1e6);
		assert_int_equal(run.result.finish_cycles, end);
	}
}

static uint64_t stop_user(struct run *run, uint64_t now)
{
	stop_flag = SIGINT;
	return UINT64_MAX;
}

TEST(the_user_ends_it)
{
	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct run run = make_run(kind, false);

		run.hooks.tick = stop_user;
		run.hooks.next_tick_cycles = peer.now + 20000000;
		run.plan.open.pace.mean_cycles = 250000; /* time for a tick between two */
		assert_int_equal(measure(kind, &run), 0);
		stop_flag = 0;
		assert_true(run.result.stopped);
		assert_in_range(run.result.sampled, 79, 81);
		assert_int_equal(since_due.histogram.count, run.result.sampled);
		assert_int_equal(run.result.open.unanswered + run.result.open.unsent, 0);
		assert_false(run.result.open.stands_out);
	}

	/* Those that were just posted are none to speak of. */
	struct run run = make_run(REQUEST, false);

	run.plan.open.pace.mean_cycles = 4 * STEP;
	fake.stop_at = 1000;
	assert_int_equal(measure(REQUEST, &run), 0);
	stop_flag = 0;
	assert_true(run.result.stopped);
	assert_true(run.result.open.unanswered > 0);
	assert_false(run.result.open.stands_out);
}

static uint64_t ticks, tick_flights;

static uint64_t count_ticks(struct run *run, uint64_t now)
{
	ticks++;
	tick_flights += run->result.posted - run->result.completed;
	return now + 1000000;
}

/* A tick is made while nothing is on its way and nothing is due, where there is such a time; otherwise it is late. */
TEST(ticks_wait_for_a_quiet_moment)
{
	for (unsigned busy = 0; busy < 2; busy++) {
		struct run run = make_run(REQUEST, false);

		ticks = tick_flights = 0;
		run.hooks.tick = count_ticks;
		run.hooks.next_tick_cycles = peer.now;
		run.plan.iters = 2001;
		if (!busy)
			run.plan.open.pace.mean_cycles = 200000;
		else
			run.plan.iters = REQUESTS + 1;
		assert_int_equal(measure(REQUEST, &run), 0);
		if (!busy) {
			assert_in_range(ticks, 300, 400);
			assert_int_equal(tick_flights, 0);
		} else {
			assert_int_equal(ticks, 1); /* of 200 ms, 100 ms late */
		}
	}
}

/* Each 100th answer is lost: it is counted, and the others keep their samples. */
TEST(a_lost_request_is_counted)
{
	struct run run = make_run(DATAGRAM, false);
	uint64_t *due;
	unsigned sample = 0;

	peer.lose_every = 100;
	assert_int_equal(measure(DATAGRAM, &run), 0);
	assert_int_equal(run.result.posted, REQUESTS + 1);
	assert_int_equal(run.result.open.lost, peer.lost);
	assert_int_equal(peer.lost, REQUESTS / 100);
	assert_int_equal(run.result.open.given_up, peer.lost);
	assert_int_equal(run.result.sampled, REQUESTS - peer.lost);
	assert_int_equal(since_due.num_samples, REQUESTS - peer.lost);
	due = due_of(&run);
	for (unsigned n = 1; n <= REQUESTS; n++) {
		if (n % 100 == 99)
			continue;
		assert_in_range(since_due.samples[sample++], peer.answer[n] - due[n], peer.answer[n] - due[n] + TURN);
	}
	assert_int_equal(run.result.open.late, 0); /* a place that a lost one holds is given up when it is needed */
	free(due);
}

/* On a reliable transport that keeps no order: it is late, and each answer belongs to its own request. */
TEST(what_is_overtaken_is_not_lost)
{
	for (unsigned i = 0; i < 4; i++) {
		const enum kind kind = i % 2 ? DATAGRAM : REQUEST;
		struct run run = make_run(kind, i / 2 /* ibv_wr_*() */);
		uint64_t *due;

		run.plan.open.numbered = true;
		run.plan.open.may_lose = false;
		fake.context.ops.poll_cq = poll_numbered;
		peer.slow_every = 1000;
		assert_int_equal(measure(kind, &run), 0);
		check_end(&run, kind);
		assert_int_equal(run.result.open.given_up, 0);
		assert_true(run.result.open.late > 0);
		due = due_of(&run);
		for (unsigned n = 1; n <= REQUESTS; n++) {
			const uint64_t number = peer.number[n], exact = peer.answer[number] - due[number];

			assert_in_range(since_due.samples[n - 1], exact, exact + WINDOW * TURN);
		}
		if (kind == REQUEST)
			assert_int_equal(fake.tx[0].wr->wr_id, REQUESTS);
		free(due);
	}
}

/* All that is in flight is lost at once: a second later it goes on, and what had to wait is late. */
TEST(a_window_that_is_lost)
{
	struct run run = make_run(DATAGRAM, false);

	run.plan.open.pace.mean_cycles = 1000000;
	run.plan.iters = 3001;
	peer.lose_every = 1;
	abort_after = peer.now + 2500000000;
	run.hooks.idle = give_up;
	assert_int_equal(measure(DATAGRAM, &run), 0);
	assert_true(run.result.stopped);
	assert_int_equal(run.result.sampled, 0);
	assert_int_equal(run.result.open.given_up, 1 + WINDOW);
	assert_true(run.result.open.silent);
}

/* In place of a schedule: as many a second as can be, with a full window. */
TEST(the_most_that_can_be)
{
	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct run run = make_run(kind, false);

		run.plan.iters = 0;
		run.plan.tx_depth = 4;
		run.plan.open.pace.mean_cycles = 0;
		run.plan.latency = NULL;
		run.plan.open.since_post = NULL;
		run.plan.begin_sample_cycles = peer.now + 1000000;
		run.plan.end_sample_cycles = run.plan.end_cycles = peer.now + 5000000;
		assert_int_equal(measure(kind, &run), 0);
		/* Four at a time, each for its service and a few turns. */
		assert_in_range(run.result.open.answered, 4 * 4000000 / (SERVICE + 4 * TURN), 4 * 4000000 / SERVICE);
		assert_int_equal(run.result.posted, run.result.completed);
	}
}

TEST(a_failure_ends_it)
{
	struct run run = make_run(REQUEST, false);

	fake.fail_at = 50;
	assert_int_equal(measure(REQUEST, &run), -EIO);
	assert_int_equal(run.result.failure.status, IBV_WC_RETRY_EXC_ERR);
	assert_int_equal(run.result.sampled, 48);

	run = make_run(WRITE, false);
	fake.refuse_at = 10;
	assert_int_equal(measure(WRITE, &run), -ENOMEM);
	assert_int_equal(run.result.posted, 9);
}

/* --- the side that answers --- */

#define ECHOES 1000

static uint64_t asked;

/* The n-th request is there once so many are answered, less the window. */
static void ask(void)
{
	while (asked < ECHOES && asked < fake.posts + WINDOW) {
		if (peer.by_memory)
			poll_bytes[asked % WINDOW * FAKE_STEP] = mark_of(asked);
		else
			fake.qps[0].arrivals++;
		peer.number[peer.arrived++] = (uint32_t)asked++;
	}
}

static void check_echo(void *arg)
{
	const uint64_t n = fake.posts - 1;

	if (peer.by_memory)
		assert_int_equal(post_bytes[n % WINDOW * FAKE_STEP], mark_of(n));
	if (running->plan.open.numbered)
		assert_int_equal(be32toh(fake.tx[0].wr->imm_data), peer.number[n]);
	ask();
}

TEST(each_message_is_answered_by_one)
{
	for (unsigned i = 0; i < 2 * KINDS; i++) {
		const enum kind kind = i % KINDS;
		struct run run = make_run(kind, i / KINDS);

		if (kind == REQUEST)
			continue;
		run.plan.iters = ECHOES;
		run.plan.latency = NULL;
		fake.posted = check_echo;
		asked = 0;
		running = &run;
		ask();
		/* The clock does not deliver what the peer of the other tests does. */
		peer.posted = peer.delivered = 0;
		assert_int_equal(kind == WRITE ? loop_echo_write(&run) : loop_echo_send(&run), 0);
		running = NULL;
		assert_int_equal(run.result.posted, ECHOES);
		assert_int_equal(run.result.received, ECHOES);
		assert_true(run.result.sent_all);
		assert_false(fake.overflowed);
		if (kind != WRITE)
			assert_int_equal(fake.qps[0].receives, WINDOW);
	}
}

/* By time it does not know how many there are: it ends when the other side has. */
TEST(it_answers_until_the_other_side_ends)
{
	for (unsigned aborts = 0; aborts < 2; aborts++) {
		struct run run = make_run(WRITE, false);

		run.plan.iters = 0;
		fake.posted = check_echo;
		run.hooks.idle = aborts ? fake_idle_abort : fake_idle_drain;
		asked = 0;
		running = &run;
		ask();
		assert_int_equal(loop_echo_write(&run), 0);
		running = NULL;
		assert_int_equal(run.result.posted, ECHOES);
		assert_int_equal(run.result.stopped, aborts);
	}
}

int main(void)
{
	const int failed = tests_run(NULL, NULL);

	fake_close();
	latency_close(&since_due);
	latency_close(&since_post);
	return failed;
}
