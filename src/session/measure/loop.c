// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Runs this side's loop, and handles how it ended; before the first measurement to warm up. See measurement.h. */
#include "session/measure/measurement.h"

#include <errno.h>

#include "session/group/member.h"
#include "stats/clock.h"
#include "stats/latency.h"
#include "util/arith.h"
#include "util/stop.h"

/* A signal was handled: the orderly end follows; a second one cuts that short. */
static void take_stop(struct session *session)
{
	stop_flag = 0;
	session->ending.interrupted = !session->params.test.run_infinitely;
}

int session_await_first(struct session *session, struct run *run, struct run_progress *progress)
{
	int ret;

	/* A ping-pong's loop begins with that wait, and so does one that sends back the first message. */
	if (!session->comm.traits->silent || session->traffic.active || session->traffic.metric == METRIC_LAT ||
	    session->traffic.forwards)
		return 0;
	run->hooks.next_tick_cycles = UINT64_MAX; /* the clock has not been started */
	ret = loop_await_first(run);
	if (run_was_interrupted(run))
		take_stop(session);
	if (progress->error)
		return progress->error;
	if (ret)
		session_report_failure(session, run, ret);
	return ret;
}

int session_run_loop(struct session *session, struct run *run, struct run_progress *progress)
{
	int ret;

	if (!session->loop)
		return 0;
	if (session->member && session->params.verbs.group.is_used)
		ret = member_run_loop(session, run, progress);
	else
		ret = session->threads ? session_run_threads(session, run) : session->loop(run);
	progress->ended_cycles = clock_cycles();
	if (run_was_interrupted(run)) {
		take_stop(session);
	} else if (progress->time_over) {
		run->result.stopped = false;
	}
	if (progress->error)
		return progress->error;
	if (ret) {
		session_report_failure(session, run, ret);
		return ret;
	}
	return session_send_done(progress, run);
}

/*
 * --- warm-up ---
 *
 * Keeps the first size of a sweep from being slower than the second. Before the first measurement of a bandwidth test,
 * and of requests one at a time (READ and atomics), some messages are sent the same way and not counted: one-time
 * costs, such as the first touch of memory and the filling of caches and translation tables, are in no figure.
 *
 * WRITE, READ and atomics need no agreement with the peer for it. If messages consume receives both sides agree on
 * their number, which a classic peer cannot, as it would count them.
 */

/* Enough to touch what will be used, and too little to be noticed. */
#define WARM_UP_BYTES 8388608U /* of all queue pairs */

/* One at a time. The loop's code has to be warm, too: the first requests through it were the longest. */
#define WARM_UP_REQUESTS 32U

static bool warm_up_is_wanted(const struct session *session)
{
	/* The first requests would be a latency test's longest. A ping-pong does not sample its first exchange. */
	if (session->traffic.metric == METRIC_LAT)
		return session->traffic.pulls && !session->params.verbs.data_validation;
	if (session->traffic.metric != METRIC_BW)
		return false;
	/* Other receivers in the multicast group would count them. */
	if (session->params.verbs.group.is_used)
		return false;
	if (session->params.rate.warm_up)
		return true;
	/* Rounds touch all memory before they begin. */
	return !session->params.verbs.data_validation &&
	       (!session->traffic.arrivals || session->comm.traits->negotiates);
}

/* Even one without payload costs something. */
static uint64_t bytes_of_message(const struct run *run)
{
	return run->plan.size ? run->plan.size : 1;
}

/* Messages per queue pair, in whole lists; 0: none. */
static uint32_t warm_up_number(const struct session *session, const struct run *run)
{
	const uint64_t receives = (uint64_t)run->plan.rx_depth * run->queues.num_rx / run->queues.num_tx;
	uint64_t messages = WARM_UP_BYTES / (bytes_of_message(run) * run->queues.num_tx);

	/* A rate limit applies from the first message on. */
	if (session->params.rate.limit > 0 && !session->params.rate.warm_up)
		return 0;
	if (session->params.rate.warm_up || messages > run->plan.tx_depth)
		messages = run->plan.tx_depth;
	if (session->traffic.receives && messages > receives)
		messages = receives;
	if (messages < run->plan.post_list)
		messages = run->plan.post_list;
	return (uint32_t)(messages / run->plan.post_list * run->plan.post_list);
}

/* Both ends do their part of a short separate run. 0 or -errno, reported. */
static int exchange(struct session *session, const struct run *run, struct run_progress *progress)
{
	const struct comm_round local = {.messages = warm_up_number(session, run), .granule = run->plan.post_list};
	struct run_progress warm_progress = *progress;
	struct run warm = *run;
	struct comm_round remote;
	uint64_t granule;
	int ret;

	ret = comm_transmit(&session->comm, WIRE_ROUND, &local);
	if (!ret)
		ret = comm_receive(&session->comm, WIRE_ROUND, &remote);
	if (ret)
		return ret;
	granule = arith_common_multiple(local.granule, remote.granule);
	warm.plan.iters = local.messages < remote.messages ? local.messages : remote.messages;
	warm.plan.iters = warm.plan.iters / granule * granule;
	if (!warm.plan.iters)
		return 0;
	warm_progress.interval_cycles = 0;
	ret = session_gather_threads(session);
	if (ret)
		return ret;
	session_start_clock(&warm_progress, &warm, clock_cycles());
	warm.hooks.owner = &warm_progress;
	warm.plan.begin_sample_cycles = 0;
	warm.plan.end_sample_cycles = UINT64_MAX;
	warm.plan.end_cycles = UINT64_MAX;
	warm.plan.want_peak = false;
	ret = session_run_loop(session, &warm, &warm_progress);
	if (!ret)
		ret = comm_receive(&session->comm, MESSAGE_DONE, NULL);
	if (!ret && (session->ending.interrupted || (warm.result.stopped && session->params.test.run_infinitely)))
		ret = -EINTR;
	return ret || !session->traffic.receives ? ret : loop_post_receives(&warm);
}

/* Warms up the queues of each thread, one after the other. As a loop_fn. */
static int warm_up_sets(const struct session *session, struct run *run, uint32_t messages)
{
	const struct queue_set all = run->queues;
	int ret = 0;

	for (unsigned i = 0; !ret && !run->result.stopped && i < session->resources.num_sets; i++) {
		run->queues = session->resources.sets[i];
		ret = loop_warm_up(run, messages);
	}
	run->queues = all;
	return ret;
}

/* With the loop that measures, as fast as possible and without anything that is done by time. 0 or -errno, reported. */
static int warm_up_requests(struct session *session, const struct run *run, const struct run_progress *progress)
{
	const uint64_t most = WARM_UP_BYTES / bytes_of_message(run);
	struct run warm = *run;
	int ret = 0;

	warm.plan.iters = most < 1 ? 1 : most < WARM_UP_REQUESTS ? most : WARM_UP_REQUESTS;
	warm.plan.gap_cycles = 0;
	warm.plan.open.pace = (struct pace){0};
	warm.hooks.next_tick_cycles = UINT64_MAX;
	for (unsigned i = 0; !ret && !warm.result.stopped && i < session->resources.num_sets; i++) {
		warm.queues = session->resources.sets[i];
		warm.result = run->result;
		ret = session->loop(&warm);
	}
	if (warm.plan.latency)
		latency_reset(warm.plan.latency);
	if (warm.plan.open.since_post)
		latency_reset(warm.plan.open.since_post);
	if (progress->error)
		return progress->error;
	if (ret)
		session_report_failure(session, &warm, ret);
	return ret;
}

int session_warm_up(struct session *session, struct run *run, struct run_progress *progress)
{
	const uint32_t messages = warm_up_number(session, run);
	int ret = 0;

	if (!warm_up_is_wanted(session))
		return 0;
	if (session->traffic.arrivals) {
		ret = exchange(session, run, progress);
	} else if (session->traffic.metric == METRIC_LAT && session->traffic.samples) {
		ret = warm_up_requests(session, run, progress);
		progress->idle_since = 0;
		progress->drain_since = 0;
	} else if (messages && session->loop && session->traffic.posts) {
		ret = warm_up_sets(session, run, messages);
		if (progress->error)
			return progress->error;
		if (ret)
			session_report_failure(session, run, ret);
		run->result.stopped = false;
		progress->idle_since = 0;
		progress->drain_since = 0;
	}
	return ret ? ret : report_counters_mark(session->report);
}
