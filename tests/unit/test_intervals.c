// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The rows of intervals, with timestamps invented by the test: does each have the messages of its time and end when it
 * should, whatever delays a side? The report is a list of rows, the side channel a simulated struct.
 */
#include <math.h>

#include "cmocka_all.h"
#include "comm/protocol.h"
#include "report/report.h"
#include "session/measure/measurement.h"
#include "session/print/print.h"
#include "stats/clock.h"

#define MOST_ROWS 64
#define START_S	  100.0
#define RATE	  1e6 /* messages per second of each direction */
#define WIDTH	  1000U

struct interval_side {
	struct session session;
	struct run_progress progress;
	struct run run;
	struct report_row rows[MOST_ROWS];
	enum report_part parts[MOST_ROWS];
	unsigned num_rows;
	unsigned dones; /* that it told */
	struct interval_side *other;
	double held_until_s; /* it does nothing before */
};

static struct interval_side sides[2];
static struct interval_side *const own = &sides[0], *const peer = &sides[1];

/* --- what stands in --- */

int report_result(struct report *report, const struct report_row *row, enum report_part part)
{
	struct interval_side *side = (struct interval_side *)(void *)report;

	assert_true(side->num_rows < MOST_ROWS);
	side->parts[side->num_rows] = part;
	side->rows[side->num_rows++] = *row;
	return 0;
}

struct cpu_use *report_cpu(struct report *report)
{
	return NULL;
}

void session_check_interval(struct session *session, const struct report_row *row)
{
}

void report_progress(struct report *report, const struct progress_state *state)
{
}

static struct interval_side *side_of(struct comm *comm)
{
	return comm == &sides[0].session.comm ? &sides[0] : &sides[1];
}

static int transmit(struct comm *comm, unsigned type, const void *body)
{
	struct comm *other = &side_of(comm)->other->session.comm;

	if (type == MESSAGE_ALIVE)
		other->interim++;
	if (type != MESSAGE_DONE)
		return 0;
	side_of(comm)->dones++;
	other->peer_done = true;
	other->done = *(const struct comm_done *)body;
	return 0;
}

static int look_at_done(struct comm *comm)
{
	return comm->peer_done;
}

static const struct comm_ops fake_ops = {
	.transmit = transmit,
	.look = look_at_done,
};

static int no_loop(struct run *run)
{
	return 0;
}

/* --- a run of two sides --- */

static uint64_t at(double seconds)
{
	return clock_ns_to_cycles((START_S + seconds) * 1e9);
}

static void open_sides(bool both, double interval_s, unsigned duration_s)
{
	const struct traffic_spec spec = {.verb = VERB_WRITE, .metric = METRIC_BW, .bidirectional = both};

	memset(sides, 0, sizeof(sides));
	for (unsigned i = 0; i < 2; i++) {
		struct interval_side *side = &sides[i];

		side->other = &sides[!i];
		side->session.report = (struct report *)(void *)side;
		side->session.params.spec.bidirectional = both;
		side->session.params.test.duration_s = duration_s;
		side->session.traffic = traffic_of(&spec, i ? SIDE_SERVER : SIDE_CLIENT);
		side->session.comm =
			(struct comm){.ops = &fake_ops, .traits = &comm_native_traits, .channel.timeout_ms = -1};
		side->session.loop = no_loop;
		side->run.hooks.owner = &side->progress;
		side->run.plan.want_peak = true;
		side->run.plan.end_sample_cycles = UINT64_MAX;
		side->run.plan.end_cycles = UINT64_MAX;
		side->run.queues.num_tx = 1;
		side->run.result.begin_cycles = at(0);
		side->progress.session = &side->session;
		side->progress.interval_cycles = clock_ns_to_cycles(interval_s * 1e9);
		side->progress.heartbeat_cycles = clock_ns_to_cycles(1e9);
		session_start_clock(&side->progress, &side->run, at(0));
		window_open(&side->run.result.window, WIDTH, at(0));
		window_limit(&side->run.result.window, side->run.plan.begin_sample_cycles,
			     side->run.plan.end_sample_cycles);
	}
}

/* Everything completes, and counts while it is of the run. */
static void complete(struct interval_side *side, uint64_t messages, double now_s)
{
	struct run_result *result = &side->run.result;
	const uint64_t now = at(now_s);

	result->posted += messages;
	result->completed += messages;
	result->last_cycles = now;
	if (now >= side->run.plan.begin_sample_cycles && now <= side->run.plan.end_sample_cycles)
		result->sampled += messages;
	else if (now <= side->run.plan.over_cycles)
		result->margins += messages;
	result->finish_cycles = now < side->run.plan.end_sample_cycles ? now : side->run.plan.end_sample_cycles;
}

static void look(struct interval_side *side, double now_s)
{
	if (!side->run.result.stopped && at(now_s) >= side->run.hooks.next_tick_cycles)
		side->run.hooks.next_tick_cycles = session_tick(&side->run, at(now_s));
}

/* Milliseconds from begin to end; a side that is held up moves nothing, and nothing of that time later. */
static void pass(double begin_s, double end_s)
{
	const int end = (int)lround(end_s * 1000);

	for (int ms = (int)lround(begin_s * 1000) + 1; ms <= end; ms++) {
		for (unsigned i = 0; i < 2; i++) {
			struct interval_side *side = &sides[i];

			if (ms / 1e3 < side->held_until_s || side->run.result.stopped)
				continue;
			complete(side, (uint64_t)(RATE / 1e3), ms / 1e3);
			look(side, ms / 1e3);
		}
	}
}

static void end_both(void)
{
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(session_send_done(&sides[i].progress, &sides[i].run), 0);
		assert_int_equal(session_end_intervals(&sides[i].progress, &sides[i].run, false /* failed */), 0);
	}
}

static uint64_t messages_of(const struct interval_side *side)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < side->num_rows; i++)
		sum += side->rows[i].iterations;
	return sum;
}

static double end_of(const struct report_row *row)
{
	return row->interval_begin_s + row->seconds;
}

/* Each row is of its messages and of its time, and begins where the one before it ended. */
static void check_rows(const struct interval_side *side)
{
	double end_s = 0;

	for (unsigned i = 0; i < side->num_rows; i++) {
		const struct report_row *row = &side->rows[i];

		assert_true(fabs(row->interval_begin_s - end_s) < 1e-6);
		assert_true(row->seconds > 0);
		assert_true(fabs(row->message_rate * row->seconds - (double)row->iterations) < 1e-3);
		end_s = end_of(row);
	}
}

/* --- tests --- */

/* With -b, too, a row is of what its side sends. */
TEST(a_row_for_each_interval)
{
	for (unsigned both = 0; both < 2; both++) {
		open_sides(both, 0.1, 1);
		pass(0, 1);
		end_both();
		check_rows(own);
		assert_int_equal(own->num_rows, 10);
		assert_int_equal(messages_of(own), own->run.result.sampled);
		for (unsigned i = 0; i < own->num_rows; i++) {
			assert_int_equal(own->parts[i], both ? REPORT_LOCAL : REPORT_TOTAL);
			assert_true(fabs(own->rows[i].message_rate / RATE - 1) < 0.02);
			assert_true(own->rows[i].bw_peak >= own->rows[i].bw_average);
			assert_false(own->rows[i].partial);
		}
		/* only what has a limit is compared */
		assert_int_equal(own->session.worst.known, !both);
	}
}

/* Its row is of all the time in which it stood still, and ends with the tick behind it. */
TEST(a_side_that_stood_still_has_no_rate_of_another_time)
{
	open_sides(true, 0.1, 1);
	pass(0, 0.22);
	peer->held_until_s = 0.57;
	pass(0.22, 1);
	end_both();
	check_rows(own);
	check_rows(peer);
	assert_int_equal(own->num_rows, 10);
	assert_int_equal(peer->num_rows, 8);
	assert_true(fabs(peer->rows[2].interval_begin_s - 0.2) < 0.002);
	assert_true(fabs(end_of(&peer->rows[2]) - 0.57) < 0.002);
	assert_in_range(peer->rows[2].iterations, 0.019 * RATE, 0.022 * RATE);
	assert_int_equal(messages_of(peer), peer->run.result.sampled);
}

TEST(peaks_of_both_directions)
{
	assert_true(session_add_peaks(5, 1, 3, 1) == 8);
	assert_true(session_add_peaks(5, 1, 0, 0) == 5);
	assert_true(session_add_peaks(0, 0, 3, 1) == 3);
	/* not measured */
	assert_true(session_add_peaks(5, 1, 0, 1) == 0);
	assert_true(session_add_peaks(0, 1, 3, 1) == 0);
	assert_true(session_add_peaks(0, 1, 0, 0) == 0);
}

/* What was on its way when the time was over completes behind it: the summary has it not, and nor have the rows. */
TEST(the_last_row_ends_with_the_time)
{
	for (unsigned both = 0; both < 2; both++) {
		open_sides(both, 0.25, 1);
		pass(0, 1);
		complete(own, 129, 1.00002);
		end_both();
		check_rows(own);
		assert_int_equal(own->num_rows, 4);
		assert_true(fabs(end_of(&own->rows[3]) - 1) < 1e-6);
		assert_int_equal(messages_of(own), own->run.result.sampled);
	}
}

/* The program was stopped until behind the end, or until just before it: no row of what is left. */
TEST(a_standstill_at_the_end_is_in_the_last_row)
{
	static const double until_s[] = {0.9995, 1.2};

	for (unsigned i = 0; i < 4; i++) {
		const bool both = i & 1;
		const double again_s = until_s[i / 2];

		open_sides(both, 0.1, 1);
		pass(0, 0.85);
		for (unsigned n = 0; n < 2; n++) {
			complete(&sides[n], 128, again_s);
			look(&sides[n], again_s);
			complete(&sides[n], 128, again_s + 0.01);
			look(&sides[n], again_s + 0.01);
		}
		end_both();
		check_rows(own);
		assert_int_equal(own->num_rows, 9);
		assert_true(fabs(end_of(&own->rows[8]) - 1) < 1e-6);
		assert_int_equal(messages_of(own), own->run.result.sampled);
	}
}

static struct latency total, interval;

/* A latency test of one second with four intervals. */
static void open_latency_sides(void)
{
	assert_int_equal(latency_open(&total, 0), 0);
	assert_int_equal(latency_open(&interval, 0), 0);
	open_sides(false, 0.25, 1);
	own->progress.total = &total;
	own->run.plan.latency = &interval;
	own->run.plan.want_peak = false;
}

static void close_latency(void)
{
	latency_close(&total);
	latency_close(&interval);
}

/* A tick waits for the answer that is awaited, or for a tenth of a second: its row is of the interval all the same. */
TEST(a_latency_row_ends_with_its_interval)
{
	static const double ticks_s[] = {0.2500001, 0.6, 0.83, 1.01};
	open_latency_sides();
	for (unsigned i = 0; i < sizeof(ticks_s) / sizeof(ticks_s[0]); i++) {
		latency_record(&interval, 1000);
		look(own, ticks_s[i]);
	}
	assert_int_equal(session_end_intervals(&own->progress, &own->run, false /* failed */), 0);
	assert_int_equal(own->num_rows, 4);
	for (unsigned i = 0; i < own->num_rows; i++) {
		assert_true(fabs(own->rows[i].interval_begin_s - 0.25 * i) < 1e-6);
		assert_true(fabs(end_of(&own->rows[i]) - 0.25 * (i + 1)) < 1e-6);
		assert_int_equal(own->rows[i].end_cycles, at(0.25 * (i + 1)));
		assert_int_equal(own->rows[i].iterations, 1);
	}
	assert_int_equal(total.histogram.count, 4);
	close_latency();
}

/* One sample just behind a boundary, and then a gap that the user ends: its rate is that of the time until then. */
TEST(the_last_latency_row_ends_with_the_loop)
{
	for (unsigned endless = 0; endless < 2; endless++) {
		open_latency_sides();
		own->session.params.test.run_infinitely = endless;
		session_start_clock(&own->progress, &own->run, at(0));
		look(own, 0.2500001);
		latency_record(&interval, 1000);
		own->run.result.last_cycles = own->run.result.finish_cycles = at(0.2500002);
		own->run.result.stopped = true;
		own->progress.ended_cycles = at(0.35);
		assert_int_equal(session_end_intervals(&own->progress, &own->run, false /* failed */), 0);
		assert_int_equal(own->num_rows, 2);
		assert_int_equal(own->rows[1].iterations, 1);
		assert_true(fabs(end_of(&own->rows[1]) - 0.35) < 1e-6);
		close_latency();
	}
}

/* What this side then awaits will not come: the time until it saw that is none of the peer's. */
TEST(a_peer_that_was_stopped_was_seen_before)
{
	open_sides(false, 0.25, 1);
	session_start_clock(&own->progress, &own->run, clock_cycles());
	assert_int_equal(session_idle(&own->run), IDLE_WAIT);
	assert_int_equal(own->run.result.peer_seen_cycles, 0);
	peer->run.result.stopped = true;
	assert_int_equal(session_send_done(&peer->progress, &peer->run), 0);
	assert_int_equal(session_idle(&own->run), IDLE_ABORT);
	assert_true(own->run.result.peer_seen_cycles == own->progress.idle_cycles && own->progress.idle_cycles);
}

/* An interval in which nothing was answered has no median, and so is not the one with the largest. */
TEST(an_interval_without_samples_has_no_median)
{
	open_latency_sides();
	own->session.traffic.metric = METRIC_LAT;
	look(own, 0.2500001);
	assert_int_equal(own->num_rows, 1);
	assert_false(own->session.worst.known);
	latency_record(&interval, 1000);
	look(own, 0.5000001);
	look(own, 0.7500001);
	assert_int_equal(own->num_rows, 3);
	assert_true(own->session.worst.known && own->session.worst.value > 0);
	assert_true(fabs(own->session.worst.begin_s - 0.25) < 1e-6);
	close_latency();
}

/* While the peer's messages are awaited there is no row of nothing. */
TEST(a_direction_that_ends_first_ends_its_rows)
{
	open_sides(true, 0.15, 0);
	for (int ms = 1; ms <= 800; ms++) {
		if (ms <= 200)
			complete(own, 1000, ms / 1e3);
		own->run.result.sent_all = ms >= 200;
		look(own, ms / 1e3);
	}
	assert_int_equal(session_end_intervals(&own->progress, &own->run, false /* failed */), 0);
	check_rows(own);
	assert_int_equal(own->num_rows, 2);
	assert_int_equal(messages_of(own), 200000);
	assert_true(fabs(end_of(&own->rows[1]) - 0.2) < 1e-6);
}

/* The rows have the margins, which the summary has not. */
TEST(rows_have_the_margins)
{
	open_sides(false, 0.5, 4);
	own->session.params.test.margin_s = 1;
	session_start_clock(&own->progress, &own->run, at(0));
	pass(0, 4);
	complete(own, 129, 4.1);
	end_both();
	check_rows(own);
	assert_int_equal(own->num_rows, 8);
	assert_in_range(own->run.result.sampled, 1.99 * RATE, 2.01 * RATE);
	assert_int_equal(messages_of(own), own->run.result.sampled + own->run.result.margins);
	assert_int_equal(messages_of(own), own->run.result.completed - 129);
}

TEST(the_last_row_of_a_run_that_was_cut_short_is_partial)
{
	for (unsigned failed = 0; failed < 2; failed++) {
		open_sides(false, 0.1, 60);
		pass(0, 0.25);
		own->run.result.stopped = !failed;
		assert_int_equal(session_end_intervals(&own->progress, &own->run, failed), 0);
		check_rows(own);
		assert_int_equal(own->num_rows, 3);
		assert_false(own->rows[1].partial);
		assert_true(own->rows[2].partial);
		assert_true(fabs(end_of(&own->rows[2]) - 0.25) < 1e-6);
	}
}

/* Behind its last message, too, the user may end a side: the other one must know that it takes nothing more. */
TEST(a_stop_is_reported_after_the_last_message)
{
	open_sides(true, 0.1, 1);
	own->run.result.sent_all = true;
	assert_int_equal(session_send_done(&own->progress, &own->run), 0);
	assert_int_equal(session_send_done(&own->progress, &own->run), 0);
	assert_int_equal(own->dones, 1);
	assert_false(peer->session.comm.done.stopped);
	own->run.result.stopped = true;
	assert_int_equal(session_send_done(&own->progress, &own->run), 0);
	assert_int_equal(session_send_done(&own->progress, &own->run), 0);
	assert_int_equal(own->dones, 2);
	assert_true(peer->session.comm.done.stopped);
	assert_int_equal(session_idle(&peer->run), IDLE_ABORT);
}

int main(void)
{
	clock_start(true /* nanoseconds: stamps that are made up have no rounding */);
	return tests_run(NULL, NULL);
}
