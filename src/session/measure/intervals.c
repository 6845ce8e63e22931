// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What an interval row contains, and when it is printed. A test in one direction prints it at the end of the interval.
 * With -b each side tells the other what it has done by then, and the row is the sum of both, as in the row of the
 * whole test; it is printed when the other side's report arrives. A side that could not report in time (its program was
 * stopped) reports several intervals at once, and so does the row. The last interval ends with the time that the test
 * lasts: see last_end(). Called by the ticks of a loop (wait.c), and by measure.c after it.
 */
#include "session/measure/measurement.h"

#include <math.h>

#include "session/print/print.h"
#include "stats/clock.h"

#define LOOK_NS	   1e6 /* between two checks for the peer's report; it is due when this side's is */
#define SECOND_NS  1e9
#define MEDIAN	   50.0 /* percent */
#define APART	   4	/* the two sides' ends of an interval may differ by this part of it, */
#define APART_LONG 32	/* or of a row that has become long */
#define ROUNDING   100U /* an end that is this part of an interval before that of the run is the same */

uint64_t session_messages_so_far(const struct run_progress *progress, const struct run *run)
{
	return progress->counts_arrivals ? run->result.received : run->result.completed;
}

static uint64_t arrivals_in_rows(const struct run_progress *progress, const struct run *run)
{
	return progress->interval_end == UINT64_MAX ? run->result.received : run->result.arrivals_in_time;
}

/* ... and how many of them are in the rows, once the loop is over: by time those that moved in it. */
static uint64_t messages_in_rows(const struct run_progress *progress, const struct run *run)
{
	if (progress->counts_arrivals && progress->session->traffic.posts)
		return arrivals_in_rows(progress, run);
	return progress->interval_end == UINT64_MAX ? session_messages_so_far(progress, run)
						    : run->result.sampled + run->result.margins;
}

static double seconds_since_start(const struct run_progress *progress, uint64_t now)
{
	return clock_cycles_to_seconds((double)(now - progress->start_cycles));
}

static void open_row(const struct run_progress *progress, const struct run *run, struct report_row *row)
{
	*row = (struct report_row){
		.size = run->plan.size,
		.sl = progress->session->params.verbs.sl,
		.is_interval = true,
		.latency = run->plan.latency,
		.since_post = run->plan.open.since_post,
		.tick_seconds = clock_cycles_to_seconds(1) / (progress->session->traffic.round_trips ? 2 : 1),
		.lost = progress->session->traffic.transport->reliable ? 0 : REPORT_NOT_KNOWN,
		.cpu_percent = progress->session->params.report.cpu_util
				       ? report_cpu_interval(progress->session->report)
				       : NAN,
	};
}

/* Messages per second, of the interval that ends now. */
static double take_peak(const struct run_progress *progress, struct run *run, uint64_t count, uint64_t now)
{
	double peak;

	if (!run->plan.want_peak || (progress->counts_arrivals && progress->session->traffic.posts))
		return 0;
	peak = window_take_interval(&run->result.window, count, progress->interval.begin, now);
	/* The last interval ends after the loop. */
	run->result.peak = fmax(run->result.peak, run->result.window.peak);
	return peak * clock_calibrate()->cycles_per_second;
}

static void fill_rates(struct report_row *row, double messages_per_second, double peak)
{
	row->message_rate = messages_per_second;
	row->bw_average = messages_per_second * (double)row->size;
	row->bw_peak = peak > 0 ? fmax(peak * (double)row->size, row->bw_average) : 0;
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

/* With -b a classic peer sends no report, but if all its messages consume receives they are counted here. */
static bool sees_both(const struct run_progress *progress)
{
	const struct session *session = progress->session;

	return session->params.spec.bidirectional && !session->comm.traits->silent && !progress->interval.sums &&
	       session->traffic.arrivals && session->traffic.transport->reliable;
}

/*
 * The rest at the end of a run may be so short that its figure says nothing: only a row of at least half an interval is
 * compared. With -b a row of one side has no figure to compare.
 */
static void compare_interval(const struct run_progress *progress, const struct report_row *row)
{
	const double interval_s = clock_cycles_to_seconds((double)progress->interval_cycles);
	struct session *session = progress->session;
	struct report_worst *worst = &session->worst;
	const bool is_time = session->traffic.metric == METRIC_LAT;
	double value = row->bw_average;

	if (row->partial || row->seconds * 2 < interval_s)
		return;
	if (is_time)
		value = row->latency ? latency_percentile(row->latency, MEDIAN) * row->tick_seconds : 0;
	if (!worst->known || (is_time ? value > worst->value : value < worst->value))
		*worst =
			(struct report_worst){true, value, row->interval_begin_s, row->interval_begin_s + row->seconds};
	session_check_interval(session, row);
}

static int print_interval(const struct run_progress *progress, const struct report_row *row, enum report_part part)
{
	const int ret = report_result(progress->session->report, row, part);

	if (part == REPORT_TOTAL)
		compare_interval(progress, row);
	return ret;
}

/* The end of an interval: since the start, including margins. */
struct interval_end {
	uint64_t cycles;
	uint64_t messages;
	uint64_t arrivals;
	bool partial; /* it was cut short */
};

/* Prints the interval that ends here, and starts the next one. */
static int print_own(struct run_progress *progress, struct run *run, const struct interval_end *end)
{
	struct session *session = progress->session;
	const uint64_t count = more_than(end->messages, progress->interval.count);
	const uint64_t arrived = more_than(end->arrivals, progress->interval.arrivals);
	const bool both = sees_both(progress);
	const bool part = session->params.spec.bidirectional && !session->comm.traits->silent && !both;
	struct report_row row;
	double peak;
	int ret;

	open_row(progress, run, &row);
	row.partial = end->partial;
	row.end_cycles = end->cycles;
	row.iterations = count;
	row.seconds = clock_cycles_to_seconds((double)(end->cycles - progress->interval.begin));
	row.interval_begin_s = seconds_since_start(progress, progress->interval.begin);
	if (run->plan.latency) {
		row.iterations = run->plan.latency->histogram.count;
		latency_add(progress->total, run->plan.latency);
		if (session->traffic.open_loop) {
			latency_add(progress->total_post, run->plan.open.since_post);
			session_load_row(session, run, &progress->interval.load_before, &row);
			progress->interval.load_before = run->result;
		}
	} else {
		peak = take_peak(progress, run, count, end->cycles);
		fill_rates(&row, (double)count / row.seconds, peak);
	}
	if (both) {
		row.iterations = count + arrived;
		row.iterations_of[REPORT_OWN] = count;
		row.iterations_of[REPORT_PEER] = arrived;
		fill_rates(&row, (double)row.iterations / row.seconds, 0 /* the peer's is not known */);
	}
	progress->interval.count += count;
	progress->interval.arrivals += arrived;
	progress->interval.begin = end->cycles;
	ret = print_interval(progress, &row, part ? REPORT_LOCAL : REPORT_TOTAL);
	if (run->plan.latency)
		latency_reset(run->plan.latency);
	if (run->plan.open.since_post)
		latency_reset(run->plan.open.since_post);
	return ret;
}

/* --- the sum of both sides --- */

/* From the last interval that is in a row to this one. */
struct share {
	uint64_t messages;
	double peak; /* messages per second; 0: not measured */
};

static void take_share(struct comm_intervals *intervals, unsigned index, struct comm_interval *printed,
		       struct share *share)
{
	const struct comm_interval *end = &intervals->items[index];

	*share = (struct share){
		.messages = end->messages - printed->messages,
	};
	for (unsigned i = 0; i <= index; i++)
		share->peak = fmax(share->peak, intervals->items[i].peak);
	*printed = *end;
	comm_intervals_drop(intervals, index);
}

/*
 * From the end of the previous row to end_s: what both sides moved, over the time of the row. A direction that is over
 * before the row is charged for the rest of it, other than in the row of the whole test: the few messages at its end
 * would otherwise have a rate that there never was.
 */
static int print_sum(struct run_progress *progress, const struct run *run, double end_s, const struct share shares[2],
		     bool partial)
{
	const struct share *own = &shares[REPORT_OWN], *peer = &shares[REPORT_PEER];
	/* What arrived on a side is what the other one sent. */
	const enum report_side sender = session_rates_arrivals(progress->session) ? REPORT_PEER : REPORT_OWN;
	struct report_row row;

	open_row(progress, run, &row);
	row.partial = partial;
	row.interval_begin_s = progress->interval.printed_s;
	row.seconds = end_s - row.interval_begin_s;
	row.end_cycles = progress->start_cycles + clock_ns_to_cycles(end_s * SECOND_NS);
	row.iterations_of[sender] = own->messages;
	row.iterations_of[!sender] = peer->messages;
	row.iterations = own->messages + peer->messages;
	fill_rates(&row, row.seconds > 0 ? (double)row.iterations / row.seconds : 0,
		   session_add_peaks(own->peak, own->messages, peer->peak, peer->messages));
	progress->interval.printed_s = end_s;
	return print_interval(progress, &row, REPORT_TOTAL);
}

static double middle(double one_s, double other_s)
{
	return (one_s + other_s) / 2;
}

/*
 * Both sides have reported the interval with this number: can they be added up? Not if one reported so much later that
 * it was delayed: it has caught up by the end of the next one. If sides are always late, a row of many intervals is
 * accepted. Both sides come to the same result.
 */
static bool ended_together(const struct run_progress *progress, double own_s, double peer_s)
{
	const double interval_s = clock_cycles_to_seconds((double)progress->interval_cycles);
	const double row_s = middle(own_s, peer_s) - progress->interval.printed_s;

	return fabs(own_s - peer_s) <= fmax(interval_s / APART, row_s / APART_LONG);
}

/* The index of the peer's report on the same interval, or of its last report if it has ended by then. */
static int find_report(const struct run_progress *progress, const struct comm_interval *own)
{
	const struct comm_intervals *peer = &progress->session->comm.intervals;

	for (unsigned i = 0; i < peer->count; i++) {
		const struct comm_interval *report = &peer->items[i];

		if (report->number == COMM_LAST_INTERVAL
			    ? report->seconds <= own->seconds
			    : report->number == own->number && ended_together(progress, own->seconds, report->seconds))
			return (int)i;
	}
	return -1;
}

int session_print_sums(struct run_progress *progress, const struct run *run)
{
	struct comm_intervals *peer = &progress->session->comm.intervals, *own = &progress->interval.own;
	int ret = 0;

	for (unsigned i = 0; !ret && i < own->count && own->items[i].number != COMM_LAST_INTERVAL;) {
		const struct comm_interval *printed = progress->interval.printed;
		const int index = find_report(progress, &own->items[i]);
		struct share shares[2] = {0};
		bool ended;

		/* It has ended, and its last report was part of a row. */
		ended = progress->interval.printed[REPORT_PEER].number == COMM_LAST_INTERVAL;
		if (index < 0 && !ended) {
			i++;
			continue;
		}
		if (index >= 0) {
			ended = peer->items[index].number == COMM_LAST_INTERVAL;
			take_share(peer, (unsigned)index, &progress->interval.printed[REPORT_PEER],
				   &shares[REPORT_PEER]);
		}
		take_share(own, i, &progress->interval.printed[REPORT_OWN], &shares[REPORT_OWN]);
		i = 0;
		/* Two ends that differ slightly count as one in the middle, without those of a peer that has ended. */
		ret = print_sum(progress, run,
				ended ? printed[REPORT_OWN].seconds
				      : middle(printed[REPORT_OWN].seconds, printed[REPORT_PEER].seconds),
				shares, ended && was_cut_short(progress, run));
	}
	return ret;
}

static int interval_send_peer(struct run_progress *progress, struct run *run, uint64_t number,
			      const struct interval_end *end)
{
	const struct comm_interval interval = {
		.number = number,
		.messages = end->messages,
		.seconds = seconds_since_start(progress, end->cycles),
		.peak = take_peak(progress, run, end->messages - progress->interval.count, end->cycles),
	};

	progress->interval.count = end->messages;
	progress->interval.begin = end->cycles;
	/* The clock has not moved since the last interval: this one has no row of its own. */
	if (comm_intervals_add(&progress->interval.own, &interval))
		return 0;
	return comm_transmit(&progress->session->comm, WIRE_INTERVAL, &interval);
}

/* --- the last interval --- */

/* By time, and not cut short: both sides come to the same result. */
static bool lasted_its_time(const struct run_progress *progress, const struct run *run)
{
	return progress->interval_end != UINT64_MAX && !was_cut_short(progress, run);
}

/*
 * A run by time lasts its time, even if nothing moved at its end; what was in flight then is in no row, as it is not in
 * the summary. Any other run, and one that was cut short, lasts until its last message, as in its summary.
 */
static uint64_t last_end(const struct run_progress *progress, const struct run *run)
{
	const uint64_t last = sees_both(progress) ? run->result.arrived_cycles : run->result.last_cycles;
	const uint64_t moved = last ? last : run->result.finish_cycles;

	return lasted_its_time(progress, run) || moved > progress->interval_end ? progress->interval_end : moved;
}

/* An interval without a message says that nothing moved in part of the requested time, or it says nothing. */
static bool last_has_row(const struct run_progress *progress, const struct run *run, uint64_t messages)
{
	return messages || lasted_its_time(progress, run);
}

int session_end_sums(struct run_progress *progress, const struct run *run)
{
	struct comm_intervals *peer = &progress->session->comm.intervals, *own = &progress->interval.own;
	const struct comm_interval *printed = progress->interval.printed;
	struct share shares[2] = {0};
	int ret;

	if (!progress->interval.sums)
		return 0;
	ret = session_print_sums(progress, run);
	if (ret || !own->count)
		return ret;
	/* All that is left, of both, until the later end: the same on both sides. */
	take_share(own, own->count - 1, &progress->interval.printed[REPORT_OWN], &shares[REPORT_OWN]);
	if (peer->count)
		take_share(peer, peer->count - 1, &progress->interval.printed[REPORT_PEER], &shares[REPORT_PEER]);
	if (!last_has_row(progress, run, shares[REPORT_OWN].messages + shares[REPORT_PEER].messages))
		return 0;
	return print_sum(progress, run, fmax(printed[REPORT_OWN].seconds, printed[REPORT_PEER].seconds), shares,
			 was_cut_short(progress, run));
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
	const struct session *session = progress->session;

	progress->interval = (struct intervals){
		.begin = now,
		.sums = session->params.spec.bidirectional && session->comm.traits->sends_intervals,
	};
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
	const struct interval_end end = {
		.cycles = row_end(progress, now),
		.messages = session_messages_so_far(progress, run),
		.arrivals = run->result.received,
	};

	progress->next_interval = next_interval(progress, now);
	if (!progress->interval.sums)
		return print_own(progress, run, &end);
	return interval_send_peer(progress, run, (now - progress->start_cycles) / progress->interval_cycles, &end);
}

uint64_t session_next_tick(const struct run_progress *progress, uint64_t now)
{
	uint64_t next =
		progress->next_interval < progress->next_heartbeat ? progress->next_interval : progress->next_heartbeat;
	const uint64_t look = now + clock_ns_to_cycles(LOOK_NS);

	return progress->interval.own.count && look < next ? look : next;
}

/* A peer that is gone sends no report: what is not in a row of both sides is printed for this side alone. */
static void take_back(struct run_progress *progress, struct run *run)
{
	const struct comm_interval *printed = &progress->interval.printed[REPORT_OWN];
	const struct comm_intervals *own = &progress->interval.own;

	progress->interval.count = printed->messages;
	if (own->count)
		progress->interval.begin = progress->start_cycles + clock_ns_to_cycles(printed->seconds * SECOND_NS);
	for (unsigned i = 0; i < own->count; i++)
		run->result.window.interval_peak = fmax(run->result.window.interval_peak,
							own->items[i].peak / clock_calibrate()->cycles_per_second);
}

int session_end_intervals(struct run_progress *progress, struct run *run, bool failed)
{
	struct interval_end end;
	uint64_t messages;

	if (!progress->interval_cycles || !progress->session->loop)
		return 0;
	progress->interval.failed = failed;
	end = (struct interval_end){
		.cycles = last_end(progress, run),
		.messages = messages_in_rows(progress, run),
		.arrivals = arrivals_in_rows(progress, run),
		.partial = was_cut_short(progress, run),
	};
	if (progress->interval.sums && !failed) {
		/* From what was reported before. */
		if (end.cycles < progress->interval.begin)
			end.cycles = progress->interval.begin;
		if (end.messages < progress->interval.count)
			end.messages = progress->interval.count;
		return interval_send_peer(progress, run, COMM_LAST_INTERVAL, &end);
	}
	if (progress->interval.sums)
		take_back(progress, run);
	messages = run->plan.latency
			   ? run->plan.latency->histogram.count
			   : more_than(end.messages, progress->interval.count) +
				     (sees_both(progress) ? more_than(end.arrivals, progress->interval.arrivals) : 0);
	if (end.cycles <= progress->interval.begin || !last_has_row(progress, run, messages))
		return 0;
	return print_own(progress, run, &end);
}
