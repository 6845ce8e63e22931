// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a loop calls while it runs: session_tick() between two messages twice a second or per interval,
 * session_idle() when nothing has completed for a while.
 */
#include "memory/memory.h"
#include "session/measure/measurement.h"

#include <errno.h>

#include "loops/post.h"
#include "net/tcp.h"
#include "session/group/member.h"
#include "session/print/print.h"
#include "stats/clock.h"
#include "util/arith.h"
#include "util/log.h"
#include "util/stop.h"
#include "verbs/qp/credit.h"
#include "verbs/qp/qp_attr.h"

#define EVENT_LOOK_NS	 1e9   /* nothing moves for this long: has the device failed? */
#define LAST_ARRIVAL_NS	 200e6 /* that a datagram may wait in the queues of a path */
#define LAST_ANSWER_NS	 1e6   /* in a ping-pong, after the peer's message that it has ended */
#define LAST_EXCHANGE_NS 500e6 /* without a side channel: for a peer that may have ended */
#define LONGEST_GAP_NS	 2e9   /* between two calls of these: in the rest of a longer one this side was stopped */
#define QUIET_END_MS	 500   /* ... of a timed run: its peer, which began with it, may end this much before it */

/* The peer's user stopped it: it no longer accepts what this side sends. */
static bool progress_refused(const struct run_progress *progress)
{
	return progress->session->comm.done.stopped && progress->session->traffic.posts;
}

/* The only sender of a multicast group: whatever its own peer does, the other receivers wait for its messages. */
static bool sends_for_others(const struct session *session)
{
	return session->member && session->member->sends;
}

/* Returns what comm_look() does. What the peer no longer accepts is not sent. */
static int poll_peer(struct run_progress *progress, struct run *run)
{
	const bool goes_on = sends_for_others(progress->session);
	const int ret = goes_on && progress->error ? 0 : comm_look(&progress->session->comm);

	if (goes_on) {
		progress->error = ret < 0 ? ret : progress->error;
		return 0;
	}
	if (ret < 0 || (ret > 0 && progress_refused(progress))) {
		run->result.stopped = true;
		run->result.peer_seen_cycles = progress->idle_cycles;
	}
	return ret;
}

/* The part of the run that is over; -1 if unknown. */
static double fraction_done(const struct run_progress *progress, const struct run *run, uint64_t now)
{
	if (progress->planned)
		return (double)(progress->earlier + session_messages_so_far(progress, run)) / (double)progress->planned;
	if (run->plan.iters)
		return (double)session_messages_so_far(progress, run) / ((double)run->plan.iters * run->queues.num_tx);
	if (run->plan.end_cycles != UINT64_MAX)
		return (double)(now - progress->start_cycles) / (double)(run->plan.end_cycles - progress->start_cycles);
	return -1;
}

void session_report_progress(const struct session *session, uint64_t size, double fraction, double seconds)
{
	const struct params *params = &session->params;
	const bool has_goal = params->repeat.until_percent > 0;
	const bool is_planned = params_by_time(params) && !params->test.run_infinitely && !has_goal;
	struct progress_state state = {
		.fraction = fraction,
		.seconds = seconds,
		.planned_s = is_planned ? params->test.duration_s : 0,
		.size = size,
		.number = session_size_number(session, size),
		.count = session_size_number(session, session->largest),
		.load = session_load_share(session),
		.run = session->measured + 1,
		.runs = series_most(&params->repeat),
	};

	if (state.load) {
		state.number = session->load.step + 1;
		state.count = load_steps(&session->load.asked);
	}
	report_progress(session->report, &state);
}

/*
 * The memory of a peer that is stopped takes WRITEs and gives READs, and datagrams are sent in vain: only that its
 * heartbeats are missing shows it. Called with each of this side's. 0 or -errno, reported.
 */
static int miss_peer(struct run_progress *progress, uint64_t now)
{
	struct comm *comm = &progress->session->comm;
	const uint64_t limit = clock_ns_to_cycles((double)params_timeout_ms(&progress->session->params) * 1e6);
	const uint64_t most = arith_smaller(clock_ns_to_cycles(LONGEST_GAP_NS), limit / 2);
	const uint64_t gap = now - progress->beat_cycles;

	progress->beat_cycles = now;
	if (comm->interim != progress->peer_messages || comm->peer_done) {
		progress->peer_beats = true;
		progress->peer_messages = comm->interim;
		progress->silent_cycles = 0;
	} else if (progress->peer_beats) {
		/* At least three of its heartbeats are missing. */
		progress->silent_cycles += arith_smaller(gap, most);
		if (progress->silent_cycles > limit)
			return channel_report(&comm->channel, -ETIMEDOUT, "heartbeat");
	}
	return 0;
}

uint64_t session_tick(struct run *run, uint64_t now)
{
	struct run_progress *progress = run->hooks.owner;
	const bool beats = now >= progress->next_heartbeat;
	bool ends;
	int ret = 0;

	if (progress->awaits_peer) {
		if (!run->result.received)
			return 0;
		progress->awaits_peer = false;
		session_start_clock(progress, run, now);
		return run->hooks.next_tick_cycles;
	}
	/* Behind the last message, with which the last interval ends, lost ones and the peer's are still awaited. */
	ends = session_interval_is_due(progress, now) && !progress->drain_since && !run->result.sent_all;
	if (beats && !progress->error)
		ret = comm_transmit(&progress->session->comm, MESSAGE_ALIVE, NULL);
	if (beats && !ret)
		ret = poll_peer(progress, run);
	if (ret >= 0 && ends)
		ret = session_end_interval(progress, run, now);
	if (beats && ret >= 0 && !progress->error)
		ret = miss_peer(progress, now);
	if (beats) {
		session_report_progress(progress->session, run->plan.size, fraction_done(progress, run, now),
					clock_cycles_to_seconds((double)(now - progress->start_cycles)));
		progress->next_heartbeat = now + progress->heartbeat_cycles;
	}
	if (ret < 0) {
		progress->error = ret;
		run->result.stopped |= !sends_for_others(progress->session);
	}
	return session_next_tick(progress);
}

int session_send_done(struct run_progress *progress, const struct run *run)
{
	if (progress->done_sent && (!run->result.stopped || progress->stop_sent))
		return 0;
	progress->done_sent = true;
	progress->stop_sent = run->result.stopped;
	return comm_transmit(&progress->session->comm, MESSAGE_DONE,
			     &(struct comm_done){.messages = run->result.posted, .stopped = run->result.stopped});
}

/* With a rate limit, until there have been enough bursts for a list. */
static double bursts_ms(const struct run *run)
{
	const uint64_t burst = run->plan.burst_size ? run->plan.burst_size : 1;
	const uint64_t bursts = (run->plan.begin_after + burst - 1) / burst;

	return clock_cycles_to_ns(run->plan.message_cycles * (double)(burst * bursts)) / 1e6;
}

/*
 * A ping-pong moves nothing while a side waits for its gap, and both may do so in sequence; a side with a rate limit
 * moves nothing until its next burst, or until there have been enough of them for a list, and twice as long between the
 * sample window and the margin after it (loops/bw_post.h).
 */
static double wait_limit_ms(const struct session *session, const struct run *run)
{
	return (double)params_timeout_ms(&session->params) + 2 * (double)session->params.rate.latency_gap_us / 1e3 +
	       2 * bursts_ms(run);
}

/* iWARP: has the peer no receives for what is to be sent next? */
static bool is_held_up(const struct session *session, const struct run *run)
{
	return session->resources.credits &&
	       credit_is_awaited(&session->resources, post_repost_at(run) + run->plan.recv_post_list);
}

/* On InfiniBand, packets of another partition are dropped without a sign; then not even the first one arrives. */
static bool may_be_parted(const struct session *session, uint64_t count)
{
	return !count && !session->device.ethernet && session->device.port_attr.link_layer == IBV_LINK_LAYER_INFINIBAND;
}

/* The side channel works, but nothing moves. Some devices (rxe) never give up after 7 retries. */
static void report_standstill(struct session *session, const struct run *run, uint64_t count)
{
	const bool held_up = is_held_up(session, run);
	/* If options are not exchanged. */
	const char *other = session->comm.traits->negotiates ? ""
			    : held_up			     ? ", or was given another -r, -s, -n or -q"
							     : ", or was given another -s, -n, -D or -q";
	const bool completes = run->result.posted > run->result.completed && !session->traffic.ping_pong;
	char path[256], retransmits[256], cause[512], stood[160];

	session_take_cause(session, cause, sizeof(cause));
	qp_path_text(&session->resources, 0, path, sizeof(path));
	session_retransmits_text(session, retransmits, sizeof(retransmits));
	snprintf(stood, sizeof(stood), "%s for %.0f s after %llu messages",
		 held_up     ? "the peer reported no new receives"
		 : completes ? "no completion came"
			     : "no message came",
		 wait_limit_ms(session, run) / 1e3, (unsigned long long)count);
	if (session->failure_reported)
		log_error("%s\n%s; %s%s", cause, stood, path, retransmits);
	else
		log_error(
			"%s: packets are lost on the path, %sor the peer is not running%s; see the peer's own output, "
			"or raise --timeout\n%s%s",
			stood, may_be_parted(session, count) ? "the sides are in different partitions, " : "", other,
			path, retransmits);
}

/* A device that failed no longer completes anything. */
static bool device_failed(struct session *session)
{
	char cause[512];

	async_event_take(&session->events, &session->device);
	if (!session->events.device_fatal)
		return false;
	log_error("%s", async_event_cause(&session->events, &session->device, cause, sizeof(cause)));
	session->failure_reported = true;
	return true;
}

/* Nothing has moved for a while: can it still? */
static bool is_hopeless(struct run_progress *progress, const struct run *run, uint64_t now)
{
	progress->next_event_look = now + clock_ns_to_cycles(EVENT_LOOK_NS);
	return device_failed(progress->session) || session_found_other_size(progress->session, run);
}

/* A classic peer that stopped by its own clock accepts no more messages, and sends none: this side does the same. */
static bool own_time_is_over(const struct run_progress *progress, const struct run *run, uint64_t now)
{
	const struct session *session = progress->session;

	return !session->comm.traits->announces_done && now >= run->plan.end_cycles &&
	       (session->traffic.arrivals || session->traffic.metric == METRIC_LAT);
}

/* Nothing is in flight until the next request of an open loop is due. */
static bool waits_for_schedule(const struct run *run)
{
	return run->plan.open.requests && !run->result.open.silent &&
	       run->result.posted == run->result.completed + run->result.open.given_up;
}

/*
 * A count that grows while a run makes progress. Requests of an open loop are sent whether they are answered or not;
 * the answering side learns from heartbeats that the next one is not due yet.
 */
static uint64_t moved(const struct session *session, const struct run *run)
{
	const uint64_t answered = run->result.completed + run->result.received;

	if (!session->traffic.open_loop)
		return run->result.posted + answered;
	return answered + (session->traffic.samples ? 0 : session->comm.interim);
}

/*
 * Nothing completes until the next burst of the rate limit: at most the unsignalled messages are outstanding. If that
 * burst is overdue it will not come: all messages are posted, or the peer has no receives for them (credit.h).
 */
static bool waits_for_burst(const struct run_progress *progress, const struct run *run, double silent_ms)
{
	return run->plan.message_cycles > 0 && progress->session->traffic.posts && !progress->session->traffic.bursts &&
	       run->result.posted - run->result.completed < (uint64_t)run->plan.cq_mod * run->queues.num_tx &&
	       silent_ms <= wait_limit_ms(progress->session, run);
}

/*
 * The peer has sent everything: will more arrive? What is in flight takes at most as long as the side channel's round
 * trip, and as it may wait in full queues of switches. The measured time ends with the last arrival in any case.
 */
static bool progress_is_drained(struct run_progress *progress, const struct run *run, uint64_t now)
{
	struct comm *comm = &progress->session->comm;
	const bool counts = progress->session->traffic.metric == METRIC_BW;
	double limit_ns = LAST_ANSWER_NS;

	if (!progress->drain_since)
		progress->drain_since = now;
	if (counts && comm->traits->announces_done &&
	    run->result.received >= comm->done.messages * session_copies(progress->session))
		return true;
	if (counts)
		limit_ns = tcp_round_trip_us(&comm->conn) * 1e3 + LAST_ARRIVAL_NS;
	return now > progress->drain_since && clock_cycles_to_ns((double)(now - progress->drain_since)) >= limit_ns;
}

/* Without a side channel a server waits for its client's first message without a limit. */
static bool awaits_first(const struct run_progress *progress, const struct run *run)
{
	const struct session *session = progress->session;

	return session->comm.traits->silent && !session->traffic.active && !run->result.received && !progress->goes_on;
}

/*
 * ... and treats a silence after some messages of the last size as the end: what is missing was lost. But a peer whose
 * time is the same does not end a --timeout before this side's measured time does.
 */
static bool was_last(const struct run_progress *progress, const struct run *run)
{
	const struct session *session = progress->session;
	const bool counts =
		session->traffic.metric == METRIC_BW || (session->traffic.bursts && !session->traffic.active);
	const bool in_time = run->plan.end_cycles == UINT64_MAX || progress->idle_since >= run->plan.end_sample_cycles;

	return session->comm.traits->silent && counts && in_time && session->traffic.receives &&
	       (run->result.received || !progress->goes_on) && run->plan.size == session->largest &&
	       run->result.completed >= run->result.posted;
}

void session_warn_of_silence(const struct run_progress *progress, const struct run *run)
{
	const uint64_t begin = run->plan.begin_sample_cycles, end = run->plan.end_sample_cycles;
	const uint64_t last = run->result.last_cycles > begin ? run->result.last_cycles : begin;
	double silent_ms;

	if (!progress->session->comm.traits->silent || !progress->session->traffic.receives ||
	    progress->session->traffic.metric != METRIC_BW || end == UINT64_MAX || run->result.stopped || last >= end)
		return;
	silent_ms = clock_cycles_to_ns((double)(end - last)) / 1e6;
	if (silent_ms > QUIET_END_MS + 2 * bursts_ms(run))
		log_warning("nothing arrived in the last %.1f s of the measured time, which the averages include: the "
			    "other side has ended, or messages were lost",
			    silent_ms / 1e3);
}

/* All required messages have arrived: only the exchange that linux-rdma perftest omits may be missing. */
static bool may_have_ended(const struct session *session, const struct run *run, double silent_ns)
{
	return session->comm.traits->silent && session->traffic.ping_pong && run->plan.iters &&
	       run->result.received >= session_messages_due(session, run) &&
	       silent_ns > LAST_EXCHANGE_NS + 2 * (double)session->params.rate.latency_gap_us * 1e3;
}

enum idle_answer session_idle(struct run *run)
{
	struct run_progress *progress = run->hooks.owner;
	const uint64_t now = clock_cycles(), longest = clock_ns_to_cycles(LONGEST_GAP_NS);
	double silent_ms;
	uint64_t count;
	int ret;

	if (stop_requested())
		return IDLE_ABORT;
	/* The awaited byte may be one that a failed copy did not bring. */
	if (memory_copies_failed()) {
		progress->error = -EIO;
		return IDLE_ABORT;
	}
	if (own_time_is_over(progress, run, now)) {
		progress->time_over = true;
		return IDLE_ABORT;
	}
	/* With -b both sides wait for the other's last messages: each must learn that they are in flight. */
	ret = run->result.sent_all ? session_send_done(progress, run) : 0;
	if (!ret)
		ret = poll_peer(progress, run);
	if (ret < 0) {
		progress->error = ret;
		return IDLE_ABORT;
	}
	if (ret > 0 && progress_refused(progress))
		return IDLE_ABORT;
	if (now - progress->idle_cycles > longest)
		progress->idle_since += progress->idle_since ? now - progress->idle_cycles - longest : 0;
	progress->idle_cycles = now;
	count = moved(progress->session, run);
	if (count != progress->idle_count || !progress->idle_since || waits_for_schedule(run) ||
	    awaits_first(progress, run)) {
		progress->idle_count = count;
		progress->idle_since = now;
	}
	silent_ms = now > progress->idle_since ? clock_cycles_to_ns((double)(now - progress->idle_since)) / 1e6 : 0;
	if (awaits_first(progress, run)) {
		/* A device that fails meanwhile brings none. */
		if (now >= progress->next_event_look && is_hopeless(progress, run, now)) {
			progress->error = -EIO;
			return IDLE_ABORT;
		}
	} else if (progress->idle_since == now || waits_for_burst(progress, run, silent_ms)) {
		progress->drain_since = 0;
		progress->next_event_look = now + clock_ns_to_cycles(EVENT_LOOK_NS);
	} else if (now >= progress->next_event_look && is_hopeless(progress, run, now)) {
		progress->error = -EIO;
		return IDLE_ABORT;
	} else if (may_have_ended(progress->session, run, silent_ms * 1e6)) {
		return IDLE_DRAIN;
	} else if (silent_ms > wait_limit_ms(progress->session, run)) {
		if (was_last(progress, run))
			return IDLE_DRAIN;
		report_standstill(progress->session, run, run->result.completed + run->result.received);
		progress->error = -ETIMEDOUT;
		return IDLE_ABORT;
	}
	return ret > 0 && progress_is_drained(progress, run, now) ? IDLE_DRAIN : IDLE_WAIT;
}
