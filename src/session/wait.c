// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a loop calls while it runs: session_tick() between two messages about once a second or an
 * interval, session_idle() when nothing completes for a while.
 */
#include <errno.h>
#include <math.h>

#include "session/state.h"
#include "stats/clock.h"
#include "util/log.h"
#include "util/stop.h"
#include "verbs/qp.h"

#define EVENT_LOOK_NS	1e9   /* nothing moves for so long: has the device failed? */
#define LAST_ARRIVAL_NS 200e6 /* that a datagram may wait in the queues of a path */
#define LAST_ANSWER_NS	1e6   /* in a ping-pong, behind the peer's word that it has ended */

/* Messages so far, as this side counts them. */
static uint64_t messages(const struct pace *pace, const struct run *run)
{
	return pace->counts_arrivals ? run->result.received : run->result.completed;
}

/* Prints the interval that ends now, and starts the next one. Intervals count all traffic, margins too. */
static int end_interval(struct pace *pace, struct run *run, uint64_t now)
{
	struct session *session = pace->session;
	const uint64_t count = messages(pace, run) - pace->interval_count;
	const uint64_t arrived = run->result.received - pace->interval_arrivals;
	const bool sees_both = session->traffic.arrivals && session->traffic.transport->reliable;
	const bool one_way = session->params.bidirectional && !sees_both;
	const uint64_t begin = pace->interval_begin;
	struct report_row row = {
		.size = run->plan.size,
		.iterations = count,
		.seconds = clock_cycles_to_seconds((double)(now - pace->interval_begin)),
		.is_interval = true,
		.interval_begin_s = clock_cycles_to_seconds((double)(pace->interval_begin - pace->start_cycles)),
		.latency = run->plan.latency,
		.tick_seconds = clock_cycles_to_seconds(1) / (session->traffic.ping_pong ? 2 : 1),
		.cpu_percent = session->params.cpu_util ? report_cpu_interval(session->report) : -1,
	};
	int ret;

	pace->interval_count += count;
	pace->interval_arrivals += arrived;
	pace->interval_begin = now;
	if (run->plan.latency) {
		row.iterations = run->plan.latency->histogram.count;
		latency_add(pace->total, run->plan.latency);
	} else {
		row.message_rate = (double)count / row.seconds;
		row.bw_average = row.message_rate * (double)run->plan.size;
		if (run->plan.want_peak) {
			row.bw_peak = fmax(window_take_interval(&run->result.window, count, begin, now) *
						   clock_calibrate()->cycles_per_second * (double)run->plan.size,
					   row.bw_average);
			/* The last interval ends behind the loop. */
			run->result.peak = fmax(run->result.peak, run->result.window.peak);
		}
	}
	/* With -b the other direction is seen here where all its messages take receives; its peak is not. */
	if (session->params.bidirectional && !one_way) {
		row.message_rate += (double)arrived / row.seconds;
		row.bw_average = row.message_rate * (double)run->plan.size;
		row.bw_peak = 0;
	}
	ret = report_result(session->report, &row, one_way ? REPORT_LOCAL : REPORT_TOTAL);
	if (run->plan.latency)
		latency_reset(run->plan.latency);
	return ret;
}

/* Boundaries are multiples of the interval after the run's begin, whatever a row before them was late. */
uint64_t session_next_interval(const struct pace *pace, uint64_t now)
{
	uint64_t next;

	if (!pace->interval_cycles)
		return UINT64_MAX;
	next = pace->start_cycles + ((now - pace->start_cycles) / pace->interval_cycles + 1) * pace->interval_cycles;
	/* The last one may be a tick short of the run's end, by rounding. */
	return next + pace->interval_cycles / 100 < pace->interval_end ? next : UINT64_MAX;
}

int session_end_intervals(struct pace *pace, struct run *run)
{
	const uint64_t moved = run->result.last_cycles ? run->result.last_cycles : run->result.finish_cycles;
	const uint64_t now = clock_cycles();
	uint64_t end;

	if (!pace->interval_cycles)
		return 0;
	/* By time it lasts as long as it was to last, also when nothing moved at its end; by count until the last
	 * message. */
	if (pace->interval_end != UINT64_MAX && now >= pace->interval_end)
		end = moved > pace->interval_end ? moved : pace->interval_end;
	else
		end = run->result.stopped ? now : moved;
	if (end <= pace->interval_begin ||
	    (pace->interval_end == UINT64_MAX && messages(pace, run) == pace->interval_count))
		return 0;
	return end_interval(pace, run, end);
}

/* The peer's user stopped it: what this side still sends, nobody takes. */
static bool refused(const struct pace *pace)
{
	return pace->session->comm.done.stopped && pace->session->traffic.posts;
}

/* Which part of the run is over; -1 where nobody knows. */
static double fraction_done(const struct pace *pace, const struct run *run, uint64_t now)
{
	if (pace->planned)
		return (double)(pace->earlier + messages(pace, run)) / (double)pace->planned;
	if (run->plan.iters)
		return (double)messages(pace, run) / ((double)run->plan.iters * run->queues.num_tx);
	if (run->plan.end_cycles != UINT64_MAX)
		return (double)(now - pace->start_cycles) / (double)(run->plan.end_cycles - pace->start_cycles);
	return -1;
}

static unsigned sizes_up_to(uint64_t size)
{
	unsigned count = 1;

	for (; size > SWEEP_SMALLEST; size /= 2)
		count++;
	return count;
}

void session_tell_progress(const struct session *session, uint64_t size, double fraction, double seconds)
{
	const struct params *params = &session->params;
	const bool by_time = params_by_time(params) && !params->run_infinitely;
	const struct progress_state state = {
		.fraction = fraction,
		.seconds = seconds,
		.planned_s = by_time ? params->duration_s : 0,
		.size = size,
		.number = params->all_sizes ? sizes_up_to(size) : 1,
		.count = params->all_sizes ? sizes_up_to(session->largest) : 1,
	};

	report_progress(session->report, &state);
}

uint64_t session_tick(struct run *run, uint64_t now)
{
	struct pace *pace = run->hooks.owner;
	int ret = 0;

	if (pace->awaits_peer) {
		if (!run->result.received)
			return 0;
		pace->awaits_peer = false;
		session_start_clock(pace, run, now);
		return run->hooks.next_tick_cycles;
	}
	if (now >= pace->next_interval) {
		ret = end_interval(pace, run, now);
		pace->next_interval = session_next_interval(pace, now);
	}
	if (!ret && now >= pace->next_heartbeat) {
		ret = comm_send_heartbeat(&pace->session->comm);
		if (!ret)
			ret = comm_look(&pace->session->comm);
		if (ret > 0 && refused(pace))
			run->result.stopped = true;
		session_tell_progress(pace->session, run->plan.size, fraction_done(pace, run, now),
				      clock_cycles_to_seconds((double)(now - pace->start_cycles)));
		pace->next_heartbeat = now + pace->heartbeat_cycles;
	}
	if (ret < 0) {
		pace->error = ret;
		run->result.stopped = true;
	}
	return pace->next_interval < pace->next_heartbeat ? pace->next_interval : pace->next_heartbeat;
}

int session_send_done(struct pace *pace, const struct run *run)
{
	if (pace->done_sent)
		return 0;
	pace->done_sent = true;
	return comm_send_done(&pace->session->comm,
			      &(struct comm_done){.messages = run->result.posted, .stopped = run->result.stopped});
}

/* The side channel is well, but nothing moves. Some devices (rxe) never give up after 7 retries. */
static void report_standstill(struct session *session, const struct run *run, uint64_t count)
{
	char path[256], resent[256], cause[256], stood[160];

	event_take(&session->events, &session->device);
	session->events_told = event_cause(&session->events, &session->device, cause, sizeof(cause))[0];
	qp_path_text(&session->resources, 0, path, sizeof(path));
	resent_text(&session->resent, resent, sizeof(resent));
	snprintf(stood, sizeof(stood), "%s for %g s after %llu messages",
		 run->result.posted > run->result.completed ? "no completion came" : "no message came",
		 session->comm.timeout_ms / 1e3, (unsigned long long)count);
	if (session->events_told)
		log_error("%s\n%s; %s%s", cause, stood, path, resent);
	else
		log_error("%s: packets get lost on the path, or the peer's program stands still; see the peer's own "
			  "output, or raise --timeout\n%s%s",
			  stood, path, resent);
}

/* A device that failed completes nothing any more. */
static bool device_failed(struct session *session)
{
	char cause[256];

	event_take(&session->events, &session->device);
	if (!session->events.device_fatal)
		return false;
	log_error("%s", event_cause(&session->events, &session->device, cause, sizeof(cause)));
	session->events_told = true;
	return true;
}

/* A classic peer that stopped by its own clock takes no more messages, and sends none: so does this side. */
static bool classic_time_over(const struct pace *pace, const struct run *run, uint64_t now)
{
	const struct session *session = pace->session;

	return !session->comm.traits->tells_done && now >= run->plan.end_cycles &&
	       (session->traffic.arrivals || session->traffic.metric == METRIC_LAT);
}

/*
 * A ping-pong moves nothing while a side waits for its gap, and both may do so one after the other; and a side with a
 * rate limit nothing until its next burst.
 */
static double patience_ms(const struct session *session, const struct run *run)
{
	return session->comm.timeout_ms + 2 * (double)session->params.latency_gap_us / 1e3 +
	       clock_cycles_to_ns((double)run->plan.burst_cycles) / 1e6;
}

/* Nothing is to be seen until the next burst of the rate limit: at most the unsignalled messages are outstanding. */
static bool waits_for_burst(const struct pace *pace, const struct run *run)
{
	return run->plan.burst_cycles && pace->session->traffic.posts &&
	       run->result.posted - run->result.completed < (uint64_t)run->plan.cq_mod * run->queues.num_tx;
}

/*
 * The peer has sent all: will more arrive? What is on the way takes at most as long as the side channel's round trip,
 * and as it may wait in full queues of switches. The measured time ends with the last arrival in any case.
 */
static bool is_drained(struct pace *pace, const struct run *run, uint64_t now)
{
	struct comm *comm = &pace->session->comm;
	const bool counts = pace->session->traffic.metric == METRIC_BW;
	double limit_ns = LAST_ANSWER_NS;

	if (!pace->drain_since)
		pace->drain_since = now;
	if (counts && comm->traits->tells_done && run->result.received >= comm->done.messages)
		return true;
	if (counts)
		limit_ns = comm_round_trip_us(comm) * 1e3 + LAST_ARRIVAL_NS;
	return now > pace->drain_since && clock_cycles_to_ns((double)(now - pace->drain_since)) >= limit_ns;
}

enum idle_answer session_idle(struct run *run)
{
	struct pace *pace = run->hooks.owner;
	struct comm *comm = &pace->session->comm;
	const uint64_t count = run->result.posted + run->result.completed + run->result.received;
	const uint64_t now = clock_cycles();
	int ret;

	if (stop_requested())
		return IDLE_ABORT;
	if (classic_time_over(pace, run, now)) {
		pace->time_over = true;
		return IDLE_ABORT;
	}
	/* With -b both sides wait for the other's last messages: each must hear that they are on the way. */
	ret = run->result.sent_all ? session_send_done(pace, run) : 0;
	if (!ret)
		ret = comm_look(comm);
	if (ret < 0) {
		pace->error = ret;
		return IDLE_ABORT;
	}
	if (ret > 0 && refused(pace))
		return IDLE_ABORT;
	if (count != pace->idle_count || !pace->idle_since || waits_for_burst(pace, run)) {
		pace->idle_count = count;
		pace->idle_since = now;
		pace->drain_since = 0;
		pace->next_event_look = now + clock_ns_to_cycles(EVENT_LOOK_NS);
	} else if (now >= pace->next_event_look && device_failed(pace->session)) {
		pace->error = -EIO;
		return IDLE_ABORT;
	} else if (comm->timeout_ms >= 0 && now > pace->idle_since &&
		   clock_cycles_to_ns((double)(now - pace->idle_since)) > patience_ms(pace->session, run) * 1e6) {
		report_standstill(pace->session, run, run->result.completed + run->result.received);
		pace->error = -ETIMEDOUT;
		return IDLE_ABORT;
	}
	return ret > 0 && is_drained(pace, run, now) ? IDLE_DRAIN : IDLE_WAIT;
}
