// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The measurement itself: for each message size both sides prepare, start together, run their loops,
 * tell each other when they are done, and report. Called by session.c with the queue pairs connected.
 */
#include "session/measure.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/intervals.h"
#include "session/loop.h"
#include "session/plan.h"
#include "session/rows.h"
#include "session/validate_check.h"
#include "session/validate_rounds.h"
#include "session/wait.h"
#include "session/warm_up.h"
#include "stats/clock.h"
#include "util/log.h"

#define SECOND_NS	  1e9
#define BOTH_HEARTBEAT_NS 20e6

/* --rate_limit by the program. A receiver is told, too: nothing may come for so long, and its clock starts behind a
 * burst. */
static void fill_rate(const struct params *params, struct run *run)
{
	const double limit = params_message_limit(params, run->plan.size);
	const uint32_t list = params->queues.post_list;

	run->plan.begin_after = 1;
	if (!(limit > 0))
		return;
	run->plan.burst_size = params_burst(params, run->plan.size);
	run->plan.burst_cycles = clock_ns_to_cycles(run->plan.burst_size * SECOND_NS / limit);
	/* The first time that something is posted: whole lists whose time has passed. */
	run->plan.begin_after = run->plan.burst_size < list ? list : run->plan.burst_size / list * list;
}

static void session_fill_run(const struct session *session, uint64_t size, struct run *run)
{
	const struct params *params = &session->params;
	const struct resources *resources = &session->resources;
	const bool latency = session->traffic.metric == METRIC_LAT;

	run->queues = resources->sets[0];
	run->plan.opcode = session->traffic.opcode;
	run->plan.inline_data = resources_inlines(resources, size);
	run->plan.size = size;
	run->plan.iters = params_by_time(params) ? 0 : session_messages(session, params->test.iters);
	run->plan.tx_depth = params->queues.tx_depth;
	run->plan.rx_depth = resources->rx_depth;
	run->plan.signals_all = session->device.signals_all;
	run->plan.cq_mod = run->plan.signals_all ? 1 : params_cq_mod(params, size);
	run->plan.post_list = params->queues.post_list;
	run->plan.recv_post_list = params->queues.recv_post_list;
	run->plan.cqe_poll = params->queues.cqe_poll;
	run->plan.dynamic_poll = !params->queues.disable_dynamic_polling && !latency;
	/* A receiver sees when messages arrive, not when they were posted: it has no peak. */
	run->plan.want_peak = !latency && !params->report.no_peak && session->traffic.posts;
	run->plan.end_sample_cycles = UINT64_MAX;
	run->plan.end_cycles = UINT64_MAX;
	run->plan.gap_cycles = clock_ns_to_cycles(params->rate.latency_gap_us * 1e3);
	run->plan.takes_turns = session_takes_turns(session);
	run->plan.marks_held = session->traffic.ping_pong && session->comm.traits->takes_turns &&
			       !run->plan.takes_turns && !params->test.data_validation;
	run->plan.begins = session->traffic.begins;
	run->plan.recv_header_bytes = session->traffic.transport->recv_header_bytes;
	fill_rate(params, run);
	/* No options travel: the peer may have been told another size. */
	if (!session->comm.traits->negotiates && !session->comm.traits->silent &&
	    (!latency || (session->traffic.ping_pong && !params->test.with_imm)))
		run->plan.arrival_bytes = (uint32_t)size + run->plan.recv_header_bytes;
	run->hooks.tick = session_tick;
	run->hooks.idle = session_idle;
}

static double interval_seconds(const struct params *params)
{
	if (params->report.interval_s > 0)
		return params->report.interval_s;
	return params->test.run_infinitely ? params->test.duration_s : 0;
}

static void __attribute__((format(printf, 2, 3))) fail_limit(struct session *session, const char *format, ...)
{
	char text[LOG_TEXT_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	log_error("%s", text);
	if (!session->limit_failed)
		memcpy(session->limit, text, sizeof(text));
	session->limit_failed = true;
}

/* -w and -y: every size must pass. */
static void check_limits(struct session *session, const struct report_row *row)
{
	const struct params *params = &session->params;
	const double unit = params->report.gbits ? 125e6 : 1048576;

	if (isnan(row->message_rate)) {
		if (params->report.limit_bw > 0 || params->report.limit_msgrate > 0)
			fail_limit(session,
				   "no rate to compare with -w and -y at %llu bytes: all messages came at once; raise "
				   "-n, or give the limits to the side that sends",
				   (unsigned long long)row->size);
		return;
	}
	/* What was not measured has not met the limit either. */
	if (params->report.limit_bw > 0 && !(row->bw_average / unit >= params->report.limit_bw)) {
		fail_limit(session, "BW result is below bw limit: %.2f %s at %llu bytes, the limit (-w) is %.2f",
			   row->bw_average / unit, params->report.gbits ? "Gb/s" : "MiB/s",
			   (unsigned long long)row->size, params->report.limit_bw);
	}
	if (params->report.limit_msgrate > 0 && !(row->message_rate / 1e6 >= params->report.limit_msgrate)) {
		fail_limit(session, "message rate is below the limit: %f Mpps at %llu bytes, the limit (-y) is %f",
			   row->message_rate / 1e6, (unsigned long long)row->size, params->report.limit_msgrate);
	}
}

static void row_from_result(const struct comm_result *result, struct report_row *row)
{
	row->size = result->size;
	row->iterations = result->iterations;
	row->bw_peak = result->bw_peak;
	row->bw_average = result->bw_average;
	row->message_rate = result->message_rate;
	row->partial = result->partial;
	row->seconds = result->message_rate > 0 ? (double)result->iterations / result->message_rate : 0;
	row->cpu_percent = -1;
}

/* Of a bidirectional test by time a classic peer does not report what it sent; this side knows what arrived. */
static bool keeps_arrivals_to_itself(const struct session *session)
{
	const struct params *params = &session->params;

	return !session->comm.traits->tells_results && params->test.bidirectional && session->traffic.arrivals &&
	       params_by_time(params);
}

static int print_both(struct session *session, const struct report_row *local, const struct report_row *remote)
{
	struct report_row total = *local;
	int ret;

	total.bw_peak = session_add_peaks(local->bw_peak, local->iterations, remote->bw_peak, remote->iterations);
	total.bw_average += remote->bw_average;
	total.message_rate += remote->message_rate;
	total.partial |= remote->partial;
	total.iterations_of[REPORT_OWN] = local->iterations;
	total.iterations_of[REPORT_PEER] = remote->iterations;
	/* By number it is what each side was told to send. Otherwise each has a number of its own, and the sum is of
	 * both. */
	if (params_by_time(&session->params) || total.partial)
		total.iterations += remote->iterations;
	if (!session->params.test.data_validation)
		total.lost = local->lost == REPORT_NOT_KNOWN || remote->lost == REPORT_NOT_KNOWN
				     ? REPORT_NOT_KNOWN
				     : local->lost + remote->lost;
	ret = report_result(session->report, &total, REPORT_TOTAL);
	check_limits(session, &total);
	if (ret || !session->params.report.both)
		return ret;
	ret = report_result(session->report, local, REPORT_LOCAL);
	return ret ? ret : report_result(session->report, remote, REPORT_REMOTE);
}

/* Prints what this side prints for one size. The rows are complete. */
static int print_rows(struct session *session, const struct report_row *local, const struct report_row *remote)
{
	const bool latency = session->traffic.metric == METRIC_LAT;
	/* A round is too short for a receiver's own figures, from its first arrival to its last. */
	const bool own = session->traffic.reports &&
			 (session->traffic.active || latency || !session->params.test.data_validation);
	int ret;

	/* Without a side channel a side knows what it sends, and has a row of that. */
	if (session->params.test.bidirectional && !session->comm.traits->silent)
		return print_both(session, local, remote);
	/* Stopped before the margin of -D was over, or before anything came: there is no figure yet. */
	if ((latency || session->comm.traits->silent) && session->interrupted && !local->iterations)
		return 0;
	if (own) {
		ret = report_result(session->report, local, REPORT_TOTAL);
		if (!latency)
			check_limits(session, local);
		return ret;
	}
	/* A classic peer in an endless run says nothing. */
	if (latency || (!session->comm.traits->tells_results && !remote->iterations))
		return 0;
	ret = report_result(session->report, remote, REPORT_TOTAL);
	check_limits(session, remote);
	return ret;
}

/* The loop failed half way: what was measured until then, marked, if it was anything. */
static void print_partial(struct session *session, const struct run *run)
{
	struct report_row row = {0};

	session_row(session, run, &row);
	row.partial = true;
	if (!session->traffic.transport->reliable)
		row.lost = REPORT_NOT_KNOWN;
	if (row.iterations && session->traffic.reports)
		report_result(session->report, &row, session->params.test.bidirectional ? REPORT_LOCAL : REPORT_TOTAL);
}

/*
 * A classic peer that is through with its messages goes on. When it sent fewer than this side waits
 * for, it counts otherwise; on UC and UD they may as well be lost, as long as some came.
 */
static int check_counts(const struct session *session, const struct run *run)
{
	const uint64_t due = session_messages_due(session, run) * run->queues.num_tx;
	const bool may_lose =
		!session->traffic.transport->reliable && !session->traffic.ping_pong && run->result.received;

	if (session->comm.traits->tells_done || session->interrupted || run->result.received >= due || may_lose ||
	    !(session->traffic.receives || session->traffic.ping_pong))
		return 0;
	log_error("%s sent only %llu of %llu messages of %llu bytes: use the same -n, -q and -s on both sides",
		  session->comm.conn.peer, (unsigned long long)run->result.received, (unsigned long long)due,
		  (unsigned long long)run->plan.size);
	return -EPROTO;
}

static void row_from_arrivals(const struct session *session, const struct run *run, struct report_row *row)
{
	struct run arrivals = *run;

	arrivals.result.sampled = run->result.sampled_arrivals;
	/* It is the peer's to measure. */
	arrivals.plan.want_peak = false;
	session_row(session, &arrivals, row);
}

/* What a message has for a figure that is not available. */
static double known(double figure)
{
	return isnan(figure) ? 0 : figure;
}

/* Messages that were sent and have not arrived, where both numbers are known; told: to the peer, or "". */
static uint64_t lost_of(const struct run *run, uint64_t sent, uint64_t arrived, const char *told)
{
	const uint64_t lost = sent > arrived ? sent - arrived : 0;

	if (lost)
		log_warning("%llu of %llu messages of %llu bytes were lost on the way%s", (unsigned long long)lost,
			    (unsigned long long)sent, (unsigned long long)run->plan.size, told);
	return lost;
}

/*
 * UC and UD may lose messages on the way; what was on its way when someone stopped is not lost. Who receives hears how
 * many were sent, and who sends how many arrived; a classic peer says neither, but by number it was told as many as
 * this side. The rows are of the directions in which the sides send.
 */
static void count_lost(const struct session *session, const struct run *run, const struct comm_result *theirs,
		       struct report_row *local, struct report_row *remote)
{
	const struct traffic *traffic = &session->traffic;
	const bool by_time = params_by_time(&session->params), tells = session->comm.traits->tells_done;
	const uint64_t planned = run->plan.iters * run->queues.num_tx;
	uint64_t *arriving = session->params.test.bidirectional ? &remote->lost : &local->lost;

	if (traffic->transport->reliable || session->params.test.data_validation || traffic->metric != METRIC_BW)
		return;
	local->lost = REPORT_NOT_KNOWN;
	remote->lost = REPORT_NOT_KNOWN;
	if (session->interrupted || !traffic->arrivals)
		return;
	if (traffic->posts && theirs->received != COMM_NOT_TOLD)
		local->lost = lost_of(run, run->result.posted, theirs->received, " to the peer");
	if (traffic->receives && (tells || !by_time))
		*arriving = lost_of(run, tells ? session->comm.done.messages : planned, run->result.received, "");
	/* The other side's row, on one that has none of its own. */
	if (!session->params.test.bidirectional)
		remote->lost = local->lost;
}

/* Both sides know what the other did. */
static int session_compare_sides(struct session *session, const struct run *run, struct report_row *local,
				 struct report_row *remote)
{
	const struct comm_result mine = {
		.size = run->plan.size,
		.iterations = local->iterations,
		.bw_peak = local->bw_peak,
		.bw_average = known(local->bw_average),
		.message_rate = known(local->message_rate),
		.partial = session->interrupted,
		.received = session->traffic.receives ? run->result.received : COMM_NOT_TOLD,
		.last = !session->params.test.all_sizes || run->plan.size * 2 > session->largest,
	};
	struct comm_result theirs = {.received = COMM_NOT_TOLD};
	int ret;

	ret = check_counts(session, run);
	if (!ret)
		ret = comm_exchange_result(&session->comm, &mine, &theirs);
	if (ret)
		return ret;
	row_from_result(&theirs, remote);
	if (keeps_arrivals_to_itself(session))
		row_from_arrivals(session, run, remote);
	if (theirs.partial && !session->interrupted) {
		log_error("the %s (%s) ended the test early; the result is partial",
			  session->comm.client ? "server" : "client", session->comm.conn.peer);
		snprintf(session->failure, sizeof(session->failure), "ended early by the peer");
		session->interrupted = true;
	}
	local->partial = session->interrupted;
	remote->partial = session->interrupted;
	count_lost(session, run, &theirs, local, remote);
	return 0;
}

/* One measurement of one size, and what it came to. */
struct measurement {
	struct run run;
	struct run_progress progress;
	struct report_row local;  /* what this side counted */
	struct report_row remote; /* what the other side said */
	bool incomplete;	  /* it failed while messages moved: run has what there is of it */
};

/*
 * How often a busy side speaks, and listens. With -b either user may end it, and until the other side hears of that it
 * sends alone, faster than both do, which is in no figure: session_leave_out_alone().
 */
static double heartbeat_ns(const struct session *session)
{
	return session->params.test.bidirectional ? BOTH_HEARTBEAT_NS : SECOND_NS;
}

static void open_measurement(struct session *session, uint64_t size, struct latency *latency, struct latency *interval,
			     struct measurement *measurement)
{
	struct run *run = &measurement->run;
	struct run_progress *progress = &measurement->progress;

	*measurement = (struct measurement){
		.run.plan.latency = latency,
		.progress.session = session,
		.progress.total = latency,
		.progress.counts_arrivals = session->traffic.receives && !session->traffic.posts,
		.progress.interval_cycles = clock_ns_to_cycles(interval_seconds(&session->params) * SECOND_NS),
		.local.cpu_percent = -1,
		.remote.cpu_percent = -1,
	};
	session_fill_run(session, size, run);
	run->hooks.owner = progress;
	if (latency && progress->interval_cycles)
		run->plan.latency = interval;
	/* Ping-pongs need no heartbeat, each side sees the other's messages, and it would be in their samples. */
	if (session->loop && (session->traffic.metric == METRIC_BW || !session->traffic.peer_measures))
		progress->heartbeat_cycles = clock_ns_to_cycles(heartbeat_ns(session));
}

/* Work requests, and receives. 0 or -errno, reported. */
static int session_prepare_run(struct session *session, struct run *run)
{
	int ret = resources_prepare(&session->resources, run->plan.size);

	if (ret)
		return ret;
	if (session->params.test.data_validation)
		return session_validation_open(session);
	if (!session->traffic.receives)
		return 0;
	ret = loop_post_receives(run);
	if (ret) {
		log_error("can't post receives: %s", strerror(-ret));
		return ret;
	}
	return resources_let_in(&session->resources);
}

/* The messages, from start to end on both sides. 0 or -errno, reported. */
static int move_messages(struct session *session, struct run *run, struct run_progress *progress)
{
	int ret, ended;

	if (session->params.test.data_validation)
		return session_run_rounds(session, run, progress);
	/* A classic peer calibrates its clock first, and begins its own time after that. */
	progress->awaits_peer = !session->comm.traits->starts_at_barrier && session->traffic.ping_pong &&
				params_by_time(&session->params);
	ret = session_await_first(session, run, progress);
	if (ret || run->result.stopped)
		return ret;
	session_start_clock(progress, run, clock_cycles());
	ret = session_run_loop(session, run, progress);
	session_leave_out_alone(progress, run);
	/* The last interval has its row, whatever ended it. */
	ended = session_end_intervals(progress, run, ret != 0 /* failed */);
	ret = ret ? ret : ended;
	if (!ret && session->traffic.peer_measures)
		ret = comm_wait_done(&session->comm);
	return ret;
}

/* What both sides have to say of it. 0 or -errno, reported. */
static int measurement_conclude(struct session *session, struct measurement *measurement)
{
	struct report_row *local = &measurement->local, *remote = &measurement->remote;
	int ret;

	session_row(session, &measurement->run, local);
	if (session->params.report.cpu_util)
		local->cpu_percent = report_cpu_percent(session->report);
	ret = session_compare_sides(session, &measurement->run, local, remote);
	if (!ret)
		ret = session_end_sums(&measurement->progress, &measurement->run);
	if (ret)
		return ret;
	measurement->incomplete = false;
	remote->cpu_percent = local->cpu_percent;
	if (!session->params.test.data_validation)
		return 0;
	ret = session_exchange_verdicts(session, measurement->run.plan.size, local);
	remote->lost = local->lost;
	remote->checked = local->checked;
	remote->wrong = local->wrong;
	return ret;
}

/*
 * One measurement of one size; of sizes, of what is printed and of how often it is repeated it knows nothing. tag: of
 * the barrier before it, the same on both sides. interval: room for the samples of one interval. 0 or -errno, reported.
 */
static int measure_once(struct session *session, uint64_t size, uint32_t tag, bool warms_up, struct latency *latency,
			struct latency *interval, struct measurement *measurement)
{
	struct run *run = &measurement->run;
	struct run_progress *progress = &measurement->progress;
	int ret;

	open_measurement(session, size, latency, interval, measurement);
	ret = session_prepare_run(session, run);
	if (!ret && warms_up)
		ret = session_warm_up(session, run, progress);
	if (ret)
		return ret;
	if (session->params.test.all_sizes || params_by_time(&session->params))
		session_tell_progress(session, size, 0, 0);
	report_cpu_start(session->report);
	ret = comm_barrier(&session->comm, tag);
	if (ret)
		return ret;
	session->comm.peer_done = false;
	measurement->incomplete = true;
	ret = move_messages(session, run, progress);
	if (latency && progress->interval_cycles) {
		latency_add(latency, interval);
		run->plan.latency = latency;
	}
	return ret ? ret : measurement_conclude(session, measurement);
}

static int open_latency(const struct session *session, struct latency *total, struct latency *interval)
{
	const struct params *params = &session->params;
	const size_t raw = session_raw_samples(session, params_by_time(params) ? UINT64_MAX : params->test.iters);
	int ret;

	if (session->traffic.metric != METRIC_LAT || !session->loop)
		return 0;
	ret = latency_open(total, raw);
	if (!ret)
		ret = latency_open(interval, 0);
	if (ret)
		log_error("no memory for %zu samples; leave -H and -U out, or lower -n", raw);
	return ret;
}

int session_measure(struct session *session)
{
	const struct params *params = &session->params;
	const bool sampling = session->traffic.metric == METRIC_LAT && session->loop;
	/* A classic peer that measures alone reports its last size only. */
	const bool sweeps = params->test.all_sizes && (session->loop || session->comm.traits->tells_every_size);
	uint64_t size = sweeps ? SWEEP_SMALLEST : session->largest;
	/* Their histograms are too large for a small stack. */
	struct latency *both = calloc(2, sizeof(*both));
	struct latency *total = &both[0], *interval = &both[1];
	struct measurement measurement;
	uint32_t tag = COMM_SIZE;
	int ret;

	if (!both) {
		log_error("no memory for the samples");
		return -ENOMEM;
	}
	ret = open_latency(session, total, interval);
	if (ret)
		goto out;
	/* The side that answers READs or atomics has no latency to show, and no table. */
	if (sampling || session->traffic.metric == METRIC_BW)
		report_heading(session->report);
	do {
		if (sampling) {
			latency_reset(total);
			latency_reset(interval);
		}
		ret = measure_once(session, size, tag, tag == COMM_SIZE || params->rate.warm_up,
				   sampling ? total : NULL, sampling ? interval : NULL, &measurement);
		if (!ret)
			ret = print_rows(session, &measurement.local, &measurement.remote);
		else if (measurement.incomplete)
			print_partial(session, &measurement.run);
		tag++;
		size *= 2;
	} while (!ret && params->test.all_sizes && size <= session->largest && !session->interrupted);
out:
	if (params->test.data_validation)
		report_validation(session->report, session_validation_end(session));
	session_validation_close(session);
	latency_close(interval);
	latency_close(total);
	free(both);
	return ret;
}
