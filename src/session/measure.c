// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The measurement itself: for each message size both sides prepare, start together, run their loops,
 * tell each other when they are done, and report. Called by session.c with the queue pairs connected.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/state.h"
#include "stats/clock.h"
#include "util/deadline.h"
#include "util/log.h"
#include "util/stop.h"
#include "verbs/completion.h"
#include "verbs/mr.h"

/* Raw samples kept for -H and -U where -n does not say how many there will be: 128 MiB. */
#define MAX_RAW_SAMPLES	     (1U << 24)
#define SECOND_NS	     1e9
#define ENDLESS_HEARTBEAT_NS 20e6
/* How long a failed request may wait for the peer's word on it. */
#define EXPLANATION_MS 500

/* --rate_limit by the program. A receiver is told, too: nothing may come for so long, and its clock starts behind a
 * burst. */
static void fill_rate(const struct params *params, struct run *run)
{
	const double limit = params_message_limit(params, run->plan.size);
	const uint32_t list = params->post_list;

	run->plan.begin_after = 1;
	if (!(limit > 0))
		return;
	run->plan.burst_size = params_burst(params, run->plan.size);
	run->plan.burst_cycles = clock_ns_to_cycles(run->plan.burst_size * SECOND_NS / limit);
	run->plan.begin_after = (run->plan.burst_size + list - 1) / list * list;
}

/* A classic peer counts on strict ping-pongs, and on no message more than -n. */
static bool takes_turns(const struct session *session)
{
	return params_takes_turns(&session->params) && session->comm.traits->takes_turns;
}

uint64_t session_messages(const struct session *session, uint64_t samples)
{
	if (session->traffic.metric != METRIC_LAT ||
	    (session->traffic.ping_pong && !session->comm.traits->first_is_no_sample))
		return samples;
	return takes_turns(session) ? 3 * samples + 1 : samples + 1;
}

uint64_t session_samples(const struct session *session, uint64_t messages)
{
	if (session->traffic.metric != METRIC_LAT || !messages)
		return messages;
	return takes_turns(session) ? (messages - 1) / 3 : messages - 1;
}

static void fill_run(const struct session *session, uint64_t size, struct run *run)
{
	const struct params *params = &session->params;
	const struct resources *resources = &session->resources;
	const bool latency = session->traffic.metric == METRIC_LAT;

	run->queues = resources->sets[0];
	run->plan.opcode = session->traffic.opcode;
	run->plan.inline_data = resources_inlines(resources, size);
	run->plan.size = size;
	run->plan.iters = params_by_time(params) ? 0 : session_messages(session, params->iters);
	run->plan.tx_depth = params->tx_depth;
	run->plan.rx_depth = resources->rx_depth;
	run->plan.cq_mod = params_cq_mod(params, size);
	run->plan.post_list = params->post_list;
	run->plan.recv_post_list = params->recv_post_list;
	run->plan.cqe_poll = params->cqe_poll;
	run->plan.dynamic_poll = !params->disable_dynamic_polling && !latency;
	/* A receiver sees when messages arrive, not when they were posted: it has no peak. */
	run->plan.want_peak = !latency && !params->no_peak && session->traffic.posts;
	run->plan.end_sample_cycles = UINT64_MAX;
	run->plan.end_cycles = UINT64_MAX;
	run->plan.gap_cycles = clock_ns_to_cycles(params->latency_gap_us * 1e3);
	run->plan.takes_turns = takes_turns(session);
	run->plan.marks_held = session->traffic.ping_pong && session->comm.traits->takes_turns &&
			       !run->plan.takes_turns && !params->data_validation;
	run->plan.begins = session->traffic.begins;
	run->plan.recv_header_bytes = session->traffic.transport->recv_header_bytes;
	fill_rate(params, run);
	/* No options travel: the peer may have been told another size. */
	if (!session->comm.traits->negotiates && (!latency || (session->traffic.ping_pong && !params->with_imm)))
		run->plan.arrival_bytes = (uint32_t)size + run->plan.recv_header_bytes;
	run->hooks.tick = session_tick;
	run->hooks.idle = session_idle;
}

void session_start_clock(struct pace *pace, struct run *run, uint64_t now)
{
	const struct session *session = pace->session;
	const struct params *params = &session->params;

	pace->start_cycles = now;
	pace->interval_begin = now;
	pace->interval_end = params_by_time(params) && !params->run_infinitely
				     ? now + clock_ns_to_cycles((double)params->duration_s * SECOND_NS)
				     : UINT64_MAX;
	pace->next_interval = session_next_interval(pace, now);
	pace->next_heartbeat = pace->heartbeat_cycles ? now + pace->heartbeat_cycles : UINT64_MAX;
	run->hooks.next_tick_cycles =
		pace->next_interval < pace->next_heartbeat ? pace->next_interval : pace->next_heartbeat;
	if (params_by_time(params) && !params->run_infinitely) {
		const uint64_t margin = clock_ns_to_cycles(params->margin_s * SECOND_NS);
		const uint64_t end = now + clock_ns_to_cycles(params->duration_s * SECOND_NS);

		run->plan.begin_sample_cycles = now + margin;
		run->plan.end_sample_cycles = end - margin;
		/* A side that only answers ends when the other says that it is done; a classic one does not say it. */
		if (session->traffic.initiator || !session->comm.traits->tells_done)
			run->plan.end_cycles = end;
	}
	/* Until the first answer comes, nothing counts, and each look is a tick that may start the clock. */
	if (pace->awaits_peer) {
		run->plan.begin_sample_cycles = UINT64_MAX;
		run->plan.end_cycles = UINT64_MAX;
		run->hooks.next_tick_cycles = 0;
	}
}

static double interval_seconds(const struct params *params)
{
	if (params->report_interval_s > 0)
		return params->report_interval_s;
	return params->run_infinitely ? params->duration_s : 0;
}

/*
 * When one side goes, the other's requests fail; what the side channel has to say of it explains more
 * than their status, and may come a moment later. True when it did, and was reported.
 */
static bool peer_explains(struct comm *comm)
{
	const struct deadline deadline = deadline_in_ms(EXPLANATION_MS);
	int ret;

	do {
		ret = comm_look(comm);
		if (ret < 0)
			return true;
	} while (!ret && !deadline_passed(deadline) && !comm_wait(comm, deadline_poll_ms(deadline)));
	return false;
}

/* One error for both users, and for the document. */
static void fail_loop(struct session *session, const char *text)
{
	log_error("%s", text);
	snprintf(session->failure, sizeof(session->failure), "%s", log_last_error());
	comm_abort(&session->comm, session->failure);
}

void session_warn_of_events(struct session *session)
{
	char text[256];

	event_take(&session->events, &session->device);
	if (session->events_told || !event_cause(&session->events, &session->device, text, sizeof(text))[0])
		return;
	log_warning("%s", text);
	session->events_told = true;
}

/* Tells both users why; the loop has noted the completion. */
static void report_completion_error(struct session *session, const struct run *run)
{
	struct completion_failure failure = run->result.failure;
	char text[LOG_TEXT_SIZE];
	size_t length;

	completion_find_first(&session->resources, &failure);
	event_take(&session->events, &session->device);
	session->events_told = event_cause(&session->events, &session->device, text, sizeof(text))[0];
	completion_describe(&session->resources, &failure, run->result.completed + run->result.received,
			    &session->events, text, sizeof(text));
	length = strlen(text);
	resent_text(&session->resent, text + length, sizeof(text) - length);
	/* An error that is this side's own does not wait: the peer's would only follow from it. */
	if (completion_row(failure.status)->follows && !session->events_told && peer_explains(&session->comm)) {
		log_detail("here it was seen as %s", text);
		return;
	}
	fail_loop(session, text);
}

static void report_refusal(struct session *session, const struct run *run, int error)
{
	char text[LOG_TEXT_SIZE], cause[256];

	event_take(&session->events, &session->device);
	session->events_told = event_cause(&session->events, &session->device, cause, sizeof(cause))[0];
	snprintf(text, sizeof(text), "%s%s%s refused a request after %llu messages: %s", cause, cause[0] ? "\n" : "",
		 session->device.name, (unsigned long long)(run->result.completed + run->result.received),
		 strerror(error));
	fail_loop(session, text);
}

/* No options travel to a classic peer: it was told another -s. */
static void report_other_size(struct session *session, const struct run *run)
{
	const uint64_t header = run->plan.arrival_bytes - run->plan.size;
	const uint64_t length = run->result.first_arrival_bytes;
	char text[LOG_TEXT_SIZE];

	snprintf(text, sizeof(text),
		 "%s sends messages of %llu bytes and this side expects %llu: give both sides the same -s",
		 session->comm.conn.peer, (unsigned long long)(length > header ? length - header : 0),
		 (unsigned long long)run->plan.size);
	fail_loop(session, text);
}

void session_report_failure(struct session *session, const struct run *run, int error)
{
	if (error == -EIO && run->result.failure.status != IBV_WC_SUCCESS)
		report_completion_error(session, run);
	else if (error == -EMSGSIZE && run->plan.arrival_bytes)
		report_other_size(session, run);
	else
		report_refusal(session, run, -error);
}

int session_run_loop(struct session *session, struct run *run, struct pace *pace)
{
	int ret;

	if (!session->loop)
		return 0;
	ret = session->loop(run);
	if (run->result.stopped && stop_requested()) {
		/* The signal has done its work: what follows is the orderly end; a second one cuts that short. */
		stop_flag = 0;
		session->interrupted = !session->params.run_infinitely;
	} else if (pace->time_over) {
		run->result.stopped = false;
	}
	if (pace->error)
		return pace->error;
	if (ret) {
		session_report_failure(session, run, ret);
		return ret;
	}
	return session_send_done(pace, run);
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
	const double unit = params->report_gbits ? 125e6 : 1048576;

	if (isnan(row->message_rate)) {
		if (params->limit_bw > 0 || params->limit_msgrate > 0)
			fail_limit(session,
				   "no rate to compare with -w and -y at %llu bytes: all messages came at once; raise "
				   "-n, or give the limits to the side that sends",
				   (unsigned long long)row->size);
		return;
	}
	/* What was not measured has not met the limit either. */
	if (params->limit_bw > 0 && !(row->bw_average / unit >= params->limit_bw)) {
		fail_limit(session, "BW result is below bw limit: %.2f %s at %llu bytes, the limit (-w) is %.2f",
			   row->bw_average / unit, params->report_gbits ? "Gb/s" : "MiB/s",
			   (unsigned long long)row->size, params->limit_bw);
	}
	if (params->limit_msgrate > 0 && !(row->message_rate / 1e6 >= params->limit_msgrate)) {
		fail_limit(session, "message rate is below the limit: %f Mpps at %llu bytes, the limit (-y) is %f",
			   row->message_rate / 1e6, (unsigned long long)row->size, params->limit_msgrate);
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

	return !session->comm.traits->tells_results && params->bidirectional && session->traffic.arrivals &&
	       params_by_time(params);
}

static int print_both(struct session *session, const struct report_row *local, const struct report_row *remote)
{
	struct report_row total = *local;
	int ret;

	/* One direction's peak is none of the sum. */
	total.bw_peak = total.bw_peak > 0 && remote->bw_peak > 0 ? total.bw_peak + remote->bw_peak : 0;
	total.bw_average += remote->bw_average;
	total.message_rate += remote->message_rate;
	total.partial |= remote->partial;
	/* As a classic peer prints it, who counts what it sends and what arrives. */
	if (keeps_arrivals_to_itself(session))
		total.iterations += remote->iterations;
	ret = report_result(session->report, &total, REPORT_TOTAL);
	check_limits(session, &total);
	if (ret || !session->params.report_both)
		return ret;
	ret = report_result(session->report, local, REPORT_LOCAL);
	return ret ? ret : report_result(session->report, remote, REPORT_REMOTE);
}

/* Prints what this side prints for one size. The rows are complete. */
static int print_rows(struct session *session, const struct report_row *local, const struct report_row *remote)
{
	const bool latency = session->traffic.metric == METRIC_LAT;
	/* A round is too short for a receiver's own figures, from its first arrival to its last. */
	const bool own =
		session->traffic.reports && (session->traffic.active || latency || !session->params.data_validation);
	int ret;

	if (session->params.bidirectional)
		return print_both(session, local, remote);
	/* Stopped before the margin of -D was over: there is no figure yet. */
	if (latency && session->interrupted && !local->iterations)
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
	if (row.iterations && session->traffic.reports)
		report_result(session->report, &row, REPORT_TOTAL);
}

/*
 * A classic peer that is through with its messages goes on. When it sent fewer than this side waits
 * for, it counts otherwise; on UC and UD they may as well be lost, as long as some came.
 */
static int check_counts(const struct session *session, const struct run *run)
{
	const uint64_t due = run->plan.iters * run->queues.num_tx;
	const bool may_lose =
		!session->traffic.transport->reliable && !session->traffic.ping_pong && run->result.received;

	if (session->comm.traits->tells_done || session->interrupted || run->result.received >= due || may_lose ||
	    !(session->traffic.receives || session->traffic.ping_pong))
		return 0;
	log_error("%s sent %llu messages of %llu bytes and no more, and this side waits for %llu: give both sides the "
		  "same -n, -q and -s",
		  session->comm.conn.peer, (unsigned long long)run->result.received, (unsigned long long)run->plan.size,
		  (unsigned long long)due);
	return -EPROTO;
}

static void row_from_arrivals(const struct session *session, const struct run *run, struct report_row *row)
{
	struct run arrivals = *run;

	arrivals.result.sampled = run->result.sampled_arrivals;
	arrivals.result.peak = 0;
	session_row(session, &arrivals, row);
}

/* What a message has for a figure that is not available. */
static double known(double figure)
{
	return isnan(figure) ? 0 : figure;
}

/*
 * UC and UD may lose messages on the way; what was on its way when someone stopped is not lost. A side that only sends
 * knows what arrived from the other's result, which by time is of another window.
 */
static void count_lost(const struct session *session, const struct run *run, const struct comm_result *theirs,
		       struct report_row *local)
{
	const struct traffic *traffic = &session->traffic;
	const bool sends = traffic->posts && traffic->arrivals && !traffic->receives;
	uint64_t sent = run->plan.iters * run->queues.num_tx, arrived = run->result.received;

	if (traffic->transport->reliable || session->params.data_validation || session->interrupted ||
	    traffic->metric != METRIC_BW)
		return;
	if (sends && session->comm.traits->tells_results)
		arrived = theirs->iterations;
	else if (!traffic->receives)
		return;
	else if (session->comm.traits->tells_done)
		sent = session->comm.done.messages;
	if (sent <= arrived)
		return;
	local->lost = sent - arrived;
	log_warning("%llu of %llu messages of %llu bytes were lost on the way%s", (unsigned long long)local->lost,
		    (unsigned long long)sent, (unsigned long long)run->plan.size, sends ? " to the peer" : "");
}

/* Both sides know what the other did. */
static int compare(struct session *session, const struct run *run, struct report_row *local, struct report_row *remote)
{
	const struct comm_result mine = {
		.size = run->plan.size,
		.iterations = local->iterations,
		.bw_peak = local->bw_peak,
		.bw_average = known(local->bw_average),
		.message_rate = known(local->message_rate),
		.partial = session->interrupted,
		.last = !session->params.all_sizes || run->plan.size * 2 > session->largest,
	};
	struct comm_result theirs = {0};
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
	count_lost(session, run, &theirs, local);
	return 0;
}

/* One measurement of one size, and what it came to. */
struct measurement {
	struct run run;
	struct pace pace;
	struct report_row local;  /* what this side counted */
	struct report_row remote; /* what the other side said */
	bool incomplete;	  /* it failed while messages moved: run has what there is of it */
};

/*
 * How often a busy side speaks, and listens. With -b in an endless run either user may end it, and until the other side
 * hears of that it sends alone, faster than both do: that must not show in the sum.
 */
static double heartbeat_ns(const struct session *session)
{
	return session->params.run_infinitely && session->params.bidirectional ? ENDLESS_HEARTBEAT_NS : SECOND_NS;
}

static void open_measurement(struct session *session, uint64_t size, struct latency *latency, struct latency *interval,
			     struct measurement *measurement)
{
	struct run *run = &measurement->run;
	struct pace *pace = &measurement->pace;

	*measurement = (struct measurement){
		.run.plan.latency = latency,
		.pace.session = session,
		.pace.total = latency,
		.pace.counts_arrivals = session->traffic.receives && !session->traffic.posts,
		.pace.interval_cycles = clock_ns_to_cycles(interval_seconds(&session->params) * SECOND_NS),
		.local.cpu_percent = -1,
		.remote.cpu_percent = -1,
	};
	fill_run(session, size, run);
	run->hooks.owner = pace;
	if (latency && pace->interval_cycles)
		run->plan.latency = interval;
	/* Ping-pongs need no heartbeat, each side sees the other's messages, and it would be in their samples. */
	if (session->loop && (session->traffic.metric == METRIC_BW || !session->traffic.peer_measures))
		pace->heartbeat_cycles = clock_ns_to_cycles(heartbeat_ns(session));
}

/* Work requests, and receives. 0 or -errno, reported. */
static int prepare(struct session *session, struct run *run)
{
	int ret = resources_prepare(&session->resources, run->plan.size);

	if (ret)
		return ret;
	if (session->params.data_validation)
		return session_validation_open(session);
	if (!session->traffic.receives)
		return 0;
	ret = loop_post_receives(run);
	if (ret)
		log_error("can't post receives: %s", strerror(-ret));
	return ret;
}

/* The messages, from start to end on both sides. 0 or -errno, reported. */
static int move_messages(struct session *session, struct run *run, struct pace *pace)
{
	int ret, ended;

	if (session->params.data_validation)
		return session_run_rounds(session, run, pace);
	/* A classic peer calibrates its clock first, and begins its own time after that. */
	pace->awaits_peer = !session->comm.traits->starts_at_barrier && session->traffic.ping_pong &&
			    params_by_time(&session->params);
	session_start_clock(pace, run, clock_cycles());
	ret = session_run_loop(session, run, pace);
	/* The last interval has its row, whatever ended it. */
	ended = session_end_intervals(pace, run);
	ret = ret ? ret : ended;
	if (!ret && session->traffic.peer_measures)
		ret = comm_wait_done(&session->comm);
	return ret;
}

/* What both sides have to say of it. 0 or -errno, reported. */
static int conclude(struct session *session, struct measurement *measurement)
{
	struct report_row *local = &measurement->local, *remote = &measurement->remote;
	int ret;

	session_row(session, &measurement->run, local);
	if (session->params.cpu_util)
		local->cpu_percent = report_cpu_percent(session->report);
	ret = compare(session, &measurement->run, local, remote);
	if (ret)
		return ret;
	measurement->incomplete = false;
	remote->cpu_percent = local->cpu_percent;
	if (!session->params.data_validation)
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
	struct pace *pace = &measurement->pace;
	int ret;

	open_measurement(session, size, latency, interval, measurement);
	ret = prepare(session, run);
	if (!ret && warms_up)
		ret = session_warm_up(session, run, pace);
	if (ret)
		return ret;
	if (session->params.all_sizes || params_by_time(&session->params))
		session_tell_progress(session, size, 0, 0);
	report_cpu_start(session->report);
	ret = comm_barrier(&session->comm, tag);
	if (ret)
		return ret;
	session->comm.peer_done = false;
	measurement->incomplete = true;
	ret = move_messages(session, run, pace);
	if (latency && pace->interval_cycles) {
		latency_add(latency, interval);
		run->plan.latency = latency;
	}
	return ret ? ret : conclude(session, measurement);
}

/* Raw samples are kept only where they are asked for: memory must not grow with -n otherwise. */
static size_t raw_samples(const struct params *params)
{
	if (!params->report_histogram && !params->report_unsorted)
		return 0;
	if (params_by_time(params) || params->iters > MAX_RAW_SAMPLES)
		return MAX_RAW_SAMPLES;
	return params->iters;
}

static int open_latency(const struct session *session, struct latency *total, struct latency *interval)
{
	int ret;

	if (session->traffic.metric != METRIC_LAT || !session->loop)
		return 0;
	ret = latency_open(total, raw_samples(&session->params));
	if (!ret)
		ret = latency_open(interval, 0);
	if (ret)
		log_error("no memory for %zu samples; leave -H and -U out, or lower -n", raw_samples(&session->params));
	return ret;
}

int session_measure(struct session *session)
{
	const struct params *params = &session->params;
	const bool sampling = session->traffic.metric == METRIC_LAT && session->loop;
	/* A classic peer that measures alone reports its last size only. */
	const bool sweeps = params->all_sizes && (session->loop || session->comm.traits->tells_every_size);
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
		ret = measure_once(session, size, tag, tag == COMM_SIZE || params->warm_up, sampling ? total : NULL,
				   sampling ? interval : NULL, &measurement);
		if (!ret)
			ret = print_rows(session, &measurement.local, &measurement.remote);
		else if (measurement.incomplete)
			print_partial(session, &measurement.run);
		tag++;
		size *= 2;
	} while (!ret && params->all_sizes && size <= session->largest && !session->interrupted);
out:
	if (params->data_validation)
		report_validation(session->report, session_validation_end(session));
	session_validation_close(session);
	latency_close(interval);
	latency_close(total);
	free(both);
	return ret;
}
