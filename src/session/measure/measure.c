// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The measurement: for each message size both sides prepare, start together, run their loops, tell each other when they
 * are done, and report. Called by session.c with the queue pairs connected.
 */
#include "session/measure/measurement.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/memory.h"
#include "report/host.h"
#include "report/precision.h"
#include "session/group/member.h"
#include "session/print/print.h"
#include "stats/clock.h"
#include "util/log.h"
#include "util/starter.h"

#define SECOND_NS	   1e9
#define HEARTBEAT_NS	   500e6 /* the shortest --timeout is a second, and a tick may be late */
#define SHORT_HEARTBEAT_NS 20e6

static double interval_seconds(const struct params *params)
{
	if (params->test.interval_s > 0)
		return params->test.interval_s;
	return params->test.run_infinitely ? params->test.duration_s : 0;
}

/* The samples of a latency test: of an open loop since they were due, and since their post. */
enum { TOTAL, INTERVAL, TOTAL_POST, INTERVAL_POST, HISTOGRAMS };

struct samples {
	struct latency of[HISTOGRAMS]; /* too large for a small stack */
};

/* One measurement of one size, and its result. */
struct measurement {
	struct run run;
	struct run_progress progress;
	struct burst_plan burst;
	struct report_row local;       /* what this side counted */
	struct report_row remote;      /* what the other side reported */
	struct report_row total;       /* with -b: of both */
	struct comm_result results[2]; /* by enum report_side: what they reported to each other */
	bool incomplete;	       /* it failed while messages moved: run has a partial result */
};

/*
 * How often a busy side sends, and checks for, messages on the side channel. With -b either user may stop it, and until
 * the other side knows that it sends alone, faster than both do together. No acknowledgement tells a sender of
 * datagrams that its receiver has stopped.
 */
static double heartbeat_ns(const struct session *session)
{
	return !session->traffic.open_loop && (session->params.spec.bidirectional ||
					       (!session->traffic.transport->reliable && !session->comm.traits->silent))
		       ? SHORT_HEARTBEAT_NS
		       : HEARTBEAT_NS;
}

/* --use_rss: two counts per queue, in two consecutive arrays. */
static size_t queue_counts_bytes(const struct session *session)
{
	return 2 * session->resources.num_rx * sizeof(uint64_t);
}

static int open_queue_counts(struct session *session)
{
	uint64_t *counts;

	if (!session->resources.rss)
		return 0;
	counts = malloc(queue_counts_bytes(session));
	if (!counts)
		return log_fail(-ENOMEM, "no memory for the counts of %u work queues", session->resources.num_rx);
	session->by_queue = (struct queue_counts){counts, counts + session->resources.num_rx};
	return 0;
}

static void close_queue_counts(struct session *session)
{
	free(session->by_queue.received);
	session->by_queue = (struct queue_counts){0};
}

static void open_measurement(struct session *session, uint64_t size, struct samples *samples,
			     struct measurement *measurement)
{
	const bool has_rows = session->loop && !session->load.seeks_maximum && !session_only_answers(session) &&
			      (session->traffic.metric != METRIC_LAT || session->traffic.samples);
	const double interval_s = has_rows ? interval_seconds(&session->params) : 0;
	struct run *run = &measurement->run;
	struct run_progress *progress = &measurement->progress;

	*measurement = (struct measurement){
		.progress.session = session,
		.progress.counts_arrivals = session->traffic.receives && !session->traffic.posts,
		.progress.interval_cycles = clock_ns_to_cycles(interval_s * SECOND_NS),
		.local.cpu_percent = NAN,
		.remote.cpu_percent = NAN,
	};
	session_fill_run(session, size, run);
	session->worst = (struct report_worst){0};
	if (session->by_queue.received)
		memset(session->by_queue.received, 0, queue_counts_bytes(session));
	if (session->traffic.bursts && !session->traffic.reports)
		progress->interval_cycles = 0;
	run->hooks.owner = progress;
	run->hooks.tick = session_tick;
	run->hooks.idle = session_idle;
	if (samples) {
		progress->total = &samples->of[TOTAL];
		progress->total_post = &samples->of[TOTAL_POST];
		run->plan.latency = &samples->of[progress->interval_cycles ? INTERVAL : TOTAL];
		if (session->traffic.open_loop)
			run->plan.open.since_post =
				&samples->of[progress->interval_cycles ? INTERVAL_POST : TOTAL_POST];
	}
	/*
	 * A ping-pong needs no heartbeat: each side sees the other's messages, and it would be in their samples.
	 * Messages of an open loop may be far apart.
	 */
	if (session->loop &&
	    (session->traffic.metric == METRIC_BW || !session->traffic.peer_measures || session_load_is_slow(session)))
		progress->heartbeat_cycles = clock_ns_to_cycles(heartbeat_ns(session));
}

/* Prepares work requests and receives. 0 or -errno, reported. */
static int session_prepare_run(struct session *session, struct run *run)
{
	int ret = resources_prepare(&session->resources, run->plan.size);

	if (ret)
		return ret;
	if (session->params.verbs.data_validation)
		return session_validation_open(session);
	if (!session->traffic.receives)
		return 0;
	ret = loop_post_receives(run);
	if (ret)
		return log_fail(ret, "cannot post receives: %s", strerror(-ret));
	return resources_let_in(&session->resources);
}

/* Moves the messages, from start to end on both sides. 0 or -errno, reported. */
static int move_messages(struct session *session, struct run *run, struct run_progress *progress)
{
	int ret, ended;

	if (session->params.verbs.data_validation)
		return session_run_rounds(session, run, progress);
	/* A classic peer first calibrates its clock, and its time starts after that. */
	progress->awaits_peer = !session->comm.traits->starts_at_barrier &&
				(session->traffic.ping_pong || session->traffic.forwards) &&
				params_by_time(&session->params);
	ret = session_await_first(session, run, progress);
	if (ret || run->result.stopped)
		return ret;
	ret = session_gather_threads(session);
	if (ret)
		return ret;
	session_start_clock(progress, run, clock_cycles());
	ret = session_run_loop(session, run, progress);
	if (!ret) {
		session_warn_of_silence(progress, run);
		session_take_window(session, run);
	}
	/* The last interval has its row, whatever ended the run. */
	ended = session_end_intervals(progress, run, ret != 0 /* failed */);
	ret = ret ? ret : ended;
	if (!ret && session->traffic.peer_measures)
		ret = comm_receive(&session->comm, MESSAGE_DONE, NULL);
	return ret;
}

/* What both sides report about it. 0 or -errno, reported. */
static int measurement_conclude(struct session *session, struct measurement *measurement)
{
	struct report_row *local = &measurement->local, *remote = &measurement->remote;
	int ret;

	session_row(session, &measurement->run, local);
	if (session->params.report.cpu_util)
		local->cpu_percent = cpu_use_percent(report_cpu(session->report));
	ret = session_compare_sides(session, &measurement->run, local, remote, measurement->results);
	if (!ret)
		ret = member_exchange_samples(session, local);
	if (ret)
		return ret;
	measurement->incomplete = false;
	remote->cpu_percent = local->cpu_percent;
	/* The last row of both sides is printed behind the loop. */
	local->worst = remote->worst = session->worst;
	if (session->params.verbs.data_validation)
		ret = session_exchange_verdicts(session, measurement->run.plan.size, local);
	if (session->params.verbs.data_validation) {
		remote->lost = local->lost;
		remote->checked = local->checked;
		remote->wrong = local->wrong;
	}
	measurement->total = session_sum_of_both(session, local, remote, measurement->results);
	return ret;
}

/*
 * -W on the side of WRITEs, READs and atomics that sends nothing: it counts from where the peer has warmed up, which
 * its readiness says. What goes wrong while it waits is reported by the barrier that follows. 0 or -errno, reported.
 */
static int await_warm_peer(struct session *session)
{
	struct comm *comm = &session->comm;
	const bool is_passive = !session->traffic.posts && !session->traffic.arrivals;
	int ret;

	if (!is_passive || !session->params.report.counters[0] || !comm->traits->negotiates)
		return 0;
	for (;;) {
		ret = comm_look(comm);
		if (ret < 0)
			return ret;
		if (comm_at_barrier(comm))
			return report_counters_mark(session->report);
		if (comm_wait_beside(comm, -1, params_timeout_ms(&session->params)))
			return 0;
	}
}

/*
 * One measurement of one size, independent of sizes, printing and repetition. tag: of the barrier before it, the same
 * on both sides. samples: NULL: none are kept. 0 or -errno, reported.
 */
static int measure_once(struct session *session, uint64_t size, uint32_t tag, bool warms_up, struct samples *samples,
			struct measurement *measurement)
{
	struct run *run = &measurement->run;
	struct run_progress *progress = &measurement->progress;
	int ret;

	open_measurement(session, size, samples, measurement);
	progress->goes_on = tag != COMM_SIZE;
	ret = session_open_bursts(session, run, tag - COMM_SIZE, &measurement->burst);
	if (!ret)
		ret = session_prepare_run(session, run);
	if (!ret && warms_up)
		ret = session_warm_up(session, run, progress);
	if (!ret)
		ret = comm_compare_clocks(&session->comm);
	if (!ret && warms_up)
		ret = await_warm_peer(session);
	if (ret)
		return ret;
	if (session->params.verbs.all_sizes || params_by_time(&session->params) || params_repeats(&session->params) ||
	    session_load_share(session))
		session_report_progress(session, size, 0, 0);
	ret = session->member ? member_start(session) : session->comm.client ? start_gate_pass() : 0;
	if (ret)
		return ret;
	cpu_use_start(report_cpu(session->report));
	ret = comm_barrier(&session->comm, tag);
	if (ret)
		return ret;
	measurement->incomplete = true;
	ret = move_messages(session, run, progress);
	if (!ret && memory_copies_failed())
		ret = -EIO;
	if (samples && progress->interval_cycles) {
		latency_add(progress->total, run->plan.latency);
		run->plan.latency = progress->total;
	}
	if (run->plan.open.since_post && progress->interval_cycles) {
		latency_add(progress->total_post, run->plan.open.since_post);
		run->plan.open.since_post = progress->total_post;
	}
	return ret ? ret : measurement_conclude(session, measurement);
}

static int samples_open(const struct session *session, struct samples *samples)
{
	const struct params *params = &session->params;
	const size_t raw = session_raw_samples(session, params_by_time(params) ? UINT64_MAX : params->test.iters);
	int ret = 0;

	if (!session->traffic.samples)
		return 0;
	for (unsigned i = 0; !ret && i < HISTOGRAMS; i++)
		ret = latency_open(&samples->of[i],
				   i == TOTAL || (i == TOTAL_POST && session->traffic.open_loop) ? raw : 0);
	return ret ? log_fail(ret, "no memory for %zu samples; omit -H and -U, or lower -n", raw) : 0;
}

static void samples_reset(struct samples *samples)
{
	for (unsigned i = 0; i < HISTOGRAMS; i++)
		latency_reset(&samples->of[i]);
}

static void samples_close(struct samples *samples)
{
	for (unsigned i = 0; i < HISTOGRAMS; i++)
		latency_close(&samples->of[i]);
}

static int session_open_repeats(const struct session *session, bool sampling, struct repeats *repeats)
{
	const struct repeat_config config = {
		.plan = session->params.repeat,
		.measures = sampling || session->traffic.metric == METRIC_BW,
		.both = session_prints_both(session),
		.own = session_prints_own(session),
	};
	int ret = repeats_open(repeats, &config, sampling);

	return ret ? log_fail(ret, "no memory for %u measurements of a size", series_most(&config.plan)) : 0;
}

/* If the peer ended the test, more measurements do not help. */
static void warn_of_doubt(const struct session *session, const struct series_result *repeats, uint64_t size)
{
	char what[32];

	if (session->ending.interrupted || !session->traffic.reports)
		return;
	snprintf(what, sizeof(what), "%llu bytes", (unsigned long long)size);
	precision_warn(what, &session->params.repeat, repeats, "-n or -D");
}

/* Several pairs at once: passes the client's row to the group; if messages may be lost, that of what arrived. */
static int leave_to_group(struct session *session, const struct measurement *measurement)
{
	const bool server = session->traffic.arrivals && !session->traffic.transport->reliable &&
			    session->traffic.metric == METRIC_BW;
	const enum report_side side = session->comm.client != server ? REPORT_OWN : REPORT_PEER;
	const struct comm_result *const both[] = {&measurement->results[side], &measurement->results[!side]};
	const struct report_row *row = side == REPORT_OWN ? &measurement->local : &measurement->remote;

	if (session_prints_both(session))
		return member_measured(session, &measurement->total, both, 2);
	return member_measured(session, row, both, 1);
}

/*
 * Measures one size as often as requested, and prints its row. A measurement that was cut short counts only if it is
 * the first. 0 or -errno, reported.
 */
static int measure_size(struct session *session, uint64_t size, uint32_t *tag, struct repeats *repeats,
			struct samples *samples)
{
	const bool repeated = params_repeats(&session->params);
	struct measurement measurement;
	enum series_vote vote = SERIES_ENOUGH;
	int ret, printed;

	repeats_begin(repeats);
	session->measured = 0;
	do {
		if (samples)
			samples_reset(samples);
		ret = measure_once(session, size, *tag, *tag == COMM_SIZE || session->params.rate.warm_up, samples,
				   &measurement);
		free(measurement.burst.stamps);
		++*tag;
		if (ret || !repeated || (session->ending.interrupted && repeats->series.count))
			break;
		ret = repeats_add(repeats, &measurement.local, &measurement.remote, &measurement.total);
		if (ret) {
			log_error("no memory for another measurement");
			break;
		}
		session->measured = repeats->series.count;
		session_report_repeat(session, repeats, size);
		if (!session->ending.interrupted) {
			const enum series_vote own = series_vote(&repeats->series);

			ret = comm_swap(&session->comm, MESSAGE_VOTE, &own, &vote);
			vote = own > vote ? own : vote;
		}
	} while (!ret && vote == SERIES_AGAIN);
	if (repeats->series.count) {
		repeats_conclude(repeats, &measurement.local, &measurement.remote, &measurement.total);
		measurement.local.partial |= ret || session->ending.interrupted;
		measurement.remote.partial |= ret || session->ending.interrupted;
		measurement.total.partial |= ret || session->ending.interrupted;
		if (measurement.total.partial)
			measurement.total.iterations = measurement.total.iterations_of[REPORT_OWN] +
						       measurement.total.iterations_of[REPORT_PEER];
	} else if (ret) {
		if (measurement.incomplete)
			session_print_partial(session, &measurement.run);
		return ret;
	}
	if (!ret && repeated)
		warn_of_doubt(session, &measurement.total.repeats, size);
	if (session->member)
		return ret ? ret : leave_to_group(session, &measurement);
	printed = session_print_rows(session, &measurement.local, &measurement.remote, &measurement.total);
	if (!printed && !repeated)
		printed = session_report_threads(session, &measurement.run, measurement.local.partial);
	return ret ? ret : printed;
}

/* With loads in shares of it, the maximum is measured first. 0 or -errno, reported. */
static int measure_maximum(struct session *session, uint32_t tag)
{
	struct measurement measurement;
	int ret = measure_once(session, session->largest, tag, true /* warms up */, NULL /* samples */, &measurement);

	if (ret || session->ending.interrupted)
		return ret;
	ret = session_load_take_maximum(session, &measurement.run);
	/* It is in no row, as the warm-up. */
	return ret ? ret : report_counters_mark(session->report);
}

/*
 * All sizes of a side that receives them in one run, which has ended with ret: what ended it early has cut short the
 * last size that had begun. 0 or -errno, reported.
 */
static int print_lengths(struct session *session, const struct measurement *all, int ret)
{
	const bool interrupted = session->ending.interrupted, ended_early = ret || interrupted;
	uint64_t size = session->params.verbs.sweep.first, missing = 0;
	unsigned num_missing = 0;
	struct measurement one;
	int printed = 0;

	do {
		one = *all;
		if (!session_take_length(session, size, &one.run)) {
			missing = num_missing++ ? missing : size;
			continue;
		}
		session->ending.interrupted = interrupted && session_length_is_cut(session, size);
		if (ret && session_length_is_cut(session, size)) {
			session_print_partial(session, &one.run);
			continue;
		}
		printed = measurement_conclude(session, &one);
		if (!printed)
			printed = session_print_rows(session, &one.local, &one.remote, &one.total);
	} while (!printed && session_next_size(session, &size));
	session->ending.interrupted = interrupted;
	if (ended_early || printed || !num_missing)
		return ret ? ret : printed;
	return log_fail(-EPROTO,
			"nothing arrived of %u of the %u sizes, the first of %llu bytes: the other side has other "
			"--sizes, was started before this one, or ended early",
			num_missing, session_size_number(session, session->largest), (unsigned long long)missing);
}

/* On such a side. 0 or -errno, reported. */
static int measure_lengths(struct session *session)
{
	struct measurement all;
	int ret;

	open_measurement(session, session->largest, NULL /* samples */, &all);
	session_plan_lengths(session, &all.run);
	ret = session_prepare_run(session, &all.run);
	if (ret)
		return ret;
	session_report_progress(session, session->largest, 0, 0);
	ret = move_messages(session, &all.run, &all.progress);
	return print_lengths(session, &all, ret);
}

/* All that a test measures: its sizes, or its loads. 0 or -errno, reported. */
static int measure_all(struct session *session, struct repeats *repeats, struct samples *samples)
{
	const struct params *params = &session->params;
	/* A classic peer that measures alone reports only its last size. */
	const bool sweeps = params->verbs.all_sizes && (session->loop || session->comm.traits->sends_results);
	uint64_t size = sweeps ? session->params.verbs.sweep.first : session->largest;
	uint32_t tag = COMM_SIZE;
	int ret = 0;

	if (session->lengths)
		return measure_lengths(session);
	if (session_load_seeks_maximum(session))
		ret = measure_maximum(session, tag++);
	while (!ret && !session->ending.interrupted) {
		ret = measure_size(session, size, &tag, repeats, samples);
		if (!session_load_next(session) && !session_next_size(session, &size))
			break;
	}
	return ret;
}

int session_measure(struct session *session)
{
	const struct params *params = &session->params;
	struct samples *samples = calloc(1, sizeof(*samples));
	struct repeats repeats = {0};
	int ret;

	if (!samples)
		return log_fail(-ENOMEM, "no memory for the samples");
	ret = session_load_open(session);
	if (!ret)
		ret = session_open_threads(session);
	if (!ret)
		ret = open_queue_counts(session);
	if (!ret)
		ret = session_open_lengths(session);
	if (!ret)
		ret = samples_open(session, samples);
	if (!ret)
		ret = session_open_repeats(session, session->traffic.samples, &repeats);
	if (ret)
		goto out;
	if (!session->member)
		session_note_limits(session);
	/* A side that only answers has no latency to print, and no table. With -b rows of intervals have their own. */
	if (session->traffic.metric == METRIC_LAT ? session->traffic.samples && !session_only_answers(session)
						  : !session_prints_both(session) || !(interval_seconds(params) > 0))
		report_heading(session->report);
	else
		fflush(stdout); /* a pipe has the addresses before the first row, too */
	ret = measure_all(session, &repeats, session->traffic.samples ? samples : NULL);
out:
	session_sum_up_intervals(session);
	if (params->verbs.data_validation)
		report_validation(session->report, session_validation_end(session));
	session_validation_close(session);
	samples_close(samples);
	repeats_close(&repeats);
	free(session->load.requests);
	free(session->lengths);
	session->lengths = NULL;
	session_close_threads(session);
	close_queue_counts(session);
	free(samples);
	return ret;
}
