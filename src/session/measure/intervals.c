// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What an interval row contains, and when it is printed: at the end of the interval. With -b it is of what this side
 * sends, and printed as a part; the other side prints its own. The last interval ends with the time that the test
 * lasts: see last_end(). Called by the ticks of a loop (wait.c), and by measure.c after it.
 */
#include "session/measure/measurement.h"

#include <math.h>

#include "report/host.h"
#include "session/print/print.h"
#include "stats/clock.h"
#include "util/arith.h"

#define ROUNDING 100U /* an end that is this part of an interval before that of the run is the same */

uint64_t session_messages_so_far(const struct run_progress *progress, const struct run *run)
{
	return progress->counts_arrivals ? run->result.received : run->result.completed;
}

/* ... and how many of them are in the rows, once the loop is over: by time those that moved in it. */
static uint64_t messages_in_rows(const struct run_progress *progress, const struct run *run)
{
	return progress->interval_end == UINT64_MAX ? session_messages_so_far(progress, run)
						    : run->result.sampled + run->result.margins;
}

static void open_row(const struct run_progress *progress, const struct run *run, struct report_row *row)
{
	session_set_units(progress->session, run);
	*row = (struct report_row){
		.size = run->plan.size,
		.sl = progress->session->params.verbs.sl,
		.is_interval = true,
		.latency = run->plan.latency,
		.since_post = run->plan.open.since_post,
		.lost = progress->session->traffic.transport->reliable ? 0 : REPORT_NOT_KNOWN,
		.cpu_percent = progress->session->params.report.cpu_util
				       ? cpu_use_interval(report_cpu(progress->session->report))
				       : NAN,
	};
}

/* Messages per second, of the interval that ends now. */
static double take_peak(const struct run_progress *progress, struct run *run, uint64_t count, uint64_t now)
{
	double peak;

	if (!run->plan.want_peak)
		return 0;
	peak = window_take_interval(&run->result.window, count, progress->interval.begin, now);
	/* The last interval ends after the loop. */
	run->result.peak = fmax(run->result.peak, run->result.window.peak);
	return peak * clock_calibrate()->cycles_per_second;
}

/*
 * Was the run cut short? Its last row is then of less than its header says. A run without end is ended by its user, and
 * is not cut short.
 */
static bool was_cut_short(const struct run_progress *progress, const struct run *run)
{
	const struct session *session = progress->session;

	return progress->interval.failed ||
	       (!session->params.test.run_infinitely && (run->result.stopped || session->comm.done.stopped));
}

/* Messages of an interval; what was counted before its end is not subtracted. */
static uint64_t more_than(uint64_t messages, uint64_t before)
{
	return messages > before ? messages - before : 0;
}

/* Was nothing sampled because the interval that ends here is in a margin (-f)? */
static bool is_in_margin(const struct run_progress *progress, const struct run *run, const struct report_row *row)
{
	const uint64_t late = progress->interval_cycles / ROUNDING;
	const uint64_t begin = row->end_cycles - clock_ns_to_cycles(row->seconds * 1e9);

	return row->latency && !row->latency->histogram.count &&
	       (row->end_cycles <= run->plan.begin_sample_cycles + late || begin + late >= run->plan.end_sample_cycles);
}

static double interval_s(const struct run_progress *progress)
{
	return clock_cycles_to_seconds((double)progress->interval_cycles);
}

static void compare_interval(const struct run_progress *progress, const struct run *run, const struct report_row *row)
{
	struct session *session = progress->session;
	struct report_worst *worst = &session->worst;
	const bool is_time = session->traffic.metric == METRIC_LAT;
	double value = row->bw_average;

	if (row->partial || !judge_takes(row->seconds, interval_s(progress)) || is_in_margin(progress, run, row))
		return;
	if (is_time)
		value = row->latency ? latency_median(row->latency) : NAN;
	if (!isnan(value) && (!worst->known || (is_time ? value > worst->value : value < worst->value)))
		*worst =
			(struct report_worst){true, value, row->interval_begin_s, row->interval_begin_s + row->seconds};
	session_check_interval(session, row);
}

/* The interval that ends here, with this many messages since the start, and the start of the next one. */
static int print_interval(struct run_progress *progress, struct run *run, uint64_t end_cycles, uint64_t messages,
			  bool partial)
{
	struct session *session = progress->session;
	const enum report_part part = session_prints_both(session) ? REPORT_LOCAL : REPORT_TOTAL;
	const uint64_t count = more_than(messages, progress->interval.count);
	struct report_row row;
	bool has_rate;
	double peak;
	int ret;

	open_row(progress, run, &row);
	row.partial = partial;
	row.end_cycles = end_cycles;
	row.iterations = count;
	row.seconds = clock_cycles_to_seconds((double)(end_cycles - progress->interval.begin));
	row.interval_begin_s = clock_cycles_to_seconds((double)(progress->interval.begin - progress->start_cycles));
	if (run->plan.latency) {
		row.iterations = run->plan.latency->histogram.count;
		latency_add(progress->total, run->plan.latency);
		if (session->traffic.open_loop) {
			latency_add(progress->total_post, run->plan.open.since_post);
			session_load_row(session, run, &progress->interval.load_before, &row);
			progress->interval.load_before = run->result;
		}
	} else {
		row.message_rate = judge_rate_of((double)count, row.seconds, interval_s(progress));
		row.bw_average = row.message_rate * (double)row.size;
		has_rate = !isnan(row.message_rate);
		peak = take_peak(progress, run, has_rate ? count : 0, end_cycles) * (double)row.size;
		row.bw_peak = has_rate && peak > 0 ? fmax(peak, row.bw_average) : 0;
	}
	progress->interval.count += count;
	progress->interval.begin = end_cycles;
	ret = report_result(session->report, &row, part);
	if (part == REPORT_TOTAL)
		compare_interval(progress, run, &row);
	if (run->plan.latency)
		latency_reset(run->plan.latency);
	if (run->plan.open.since_post)
		latency_reset(run->plan.open.since_post);
	return ret;
}

/* --- the last interval --- */

/* By time, and not cut short. */
static bool lasted_its_time(const struct run_progress *progress, const struct run *run)
{
	return progress->interval_end != UINT64_MAX && !was_cut_short(progress, run);
}

/*
 * A run by time lasts its time, even if nothing moved at its end; what was in flight then is in no row, as it is not in
 * the summary. Any other run, and one that was cut short, lasts until its last message, as in its summary; in a latency
 * test until its end, as a boundary may be just before a sample, and its gap before that.
 */
static uint64_t last_end(const struct run_progress *progress, const struct run *run)
{
	const uint64_t last = run->result.last_cycles ? run->result.last_cycles : run->result.finish_cycles;
	const uint64_t moved = run->plan.latency ? progress->ended_cycles : last;

	return lasted_its_time(progress, run) || moved > progress->interval_end ? progress->interval_end : moved;
}

/* An interval without a message says that nothing moved in part of the requested time, or it says nothing. */
static bool last_has_row(const struct run_progress *progress, const struct run *run, uint64_t messages)
{
	return messages || lasted_its_time(progress, run);
}

/* --- when an interval ends --- */

/* Not so late that it is the end of the run, because of rounding or a late tick. */
static bool is_before_end(const struct run_progress *progress, uint64_t cycles)
{
	return progress->interval_end == UINT64_MAX ||
	       cycles + progress->interval_cycles / ROUNDING < progress->interval_end;
}

/* Boundaries are multiples of the interval after the start of the run, however late an earlier row was. */
static uint64_t next_interval(const struct run_progress *progress, uint64_t now)
{
	uint64_t next;

	if (!progress->interval_cycles)
		return UINT64_MAX;
	next = clock_next_multiple(progress->start_cycles, progress->interval_cycles, now);
	return is_before_end(progress, next) ? next : UINT64_MAX;
}

void session_start_intervals(struct run_progress *progress, uint64_t now)
{
	progress->interval = (struct intervals){.begin = now};
	progress->next_interval = next_interval(progress, now);
}

/*
 * The tick of a latency test is late by the exchange that was open, or while its answer is awaited by run.h's 0.1 s: no
 * sample that ended after the interval is recorded yet. The messages of other tests are counted now, as are the samples
 * of an open loop, which waits for a moment without messages.
 */
static uint64_t row_end(const struct run_progress *progress, uint64_t now)
{
	return progress->total && !progress->session->traffic.open_loop
		       ? clock_last_multiple(progress->start_cycles, progress->interval_cycles, now)
		       : now;
}

bool session_interval_is_due(struct run_progress *progress, uint64_t now)
{
	if (now < progress->next_interval)
		return false;
	if (is_before_end(progress, row_end(progress, now)))
		return true;
	progress->next_interval = UINT64_MAX;
	return false;
}

int session_end_interval(struct run_progress *progress, struct run *run, uint64_t now)
{
	progress->next_interval = next_interval(progress, now);
	return print_interval(progress, run, row_end(progress, now), session_messages_so_far(progress, run),
			      false /* partial */);
}

uint64_t session_next_tick(const struct run_progress *progress)
{
	return arith_smaller(progress->next_interval, progress->next_heartbeat);
}

int session_end_intervals(struct run_progress *progress, struct run *run, bool failed)
{
	uint64_t end, messages, more;

	if (!progress->interval_cycles || !progress->session->loop)
		return 0;
	progress->interval.failed = failed;
	end = last_end(progress, run);
	messages = messages_in_rows(progress, run);
	more = run->plan.latency ? run->plan.latency->histogram.count : more_than(messages, progress->interval.count);
	if (end <= progress->interval.begin || !last_has_row(progress, run, more))
		return 0;
	return print_interval(progress, run, end, messages, was_cut_short(progress, run));
}
