// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* When does a run begin and end, and how many messages make its samples? See plan.h. */
#include "session/plan.h"

#include "session/intervals.h"
#include "stats/clock.h"

#define SECOND_NS	1e9
#define MAX_RAW_SAMPLES (1U << 24) /* 128 MiB */

/* A classic peer counts on strict ping-pongs, and on no message more than -n. */
bool session_takes_turns(const struct session *session)
{
	return params_takes_turns(&session->params) && session->comm.traits->takes_turns;
}

uint64_t session_messages(const struct session *session, uint64_t samples)
{
	if (session->traffic.metric != METRIC_LAT ||
	    (session->traffic.ping_pong && !session->comm.traits->first_is_no_sample))
		return samples;
	return session_takes_turns(session) ? 3 * samples + 1 : samples + 1;
}

uint64_t session_samples(const struct session *session, uint64_t messages)
{
	if (session->traffic.metric != METRIC_LAT || !messages)
		return messages;
	return session_takes_turns(session) ? (messages - 1) / 3 : messages - 1;
}

uint64_t session_messages_due(const struct session *session, const struct run *run)
{
	const bool may_stay_out = session->comm.traits->silent && session->traffic.ping_pong && run->plan.iters;

	return run->plan.iters - may_stay_out;
}

size_t session_raw_samples(const struct session *session, uint64_t samples)
{
	const struct params_report *report = &session->params.report;

	if (!report->histogram && !report->unsorted)
		return 0;
	return samples < MAX_RAW_SAMPLES ? samples : MAX_RAW_SAMPLES;
}

void session_start_clock(struct run_progress *progress, struct run *run, uint64_t now)
{
	const struct session *session = progress->session;
	const struct params *params = &session->params;

	progress->start_cycles = now;
	progress->interval_end = params_by_time(params) && !params->test.run_infinitely
					 ? now + clock_ns_to_cycles((double)params->test.duration_s * SECOND_NS)
					 : UINT64_MAX;
	session_start_intervals(progress, now);
	progress->next_heartbeat = progress->heartbeat_cycles ? now + progress->heartbeat_cycles : UINT64_MAX;
	run->hooks.next_tick_cycles = session_next_tick(progress, now);
	if (params_by_time(params) && !params->test.run_infinitely) {
		const uint64_t margin = clock_ns_to_cycles(params->test.margin_s * SECOND_NS);
		const uint64_t end = now + clock_ns_to_cycles(params->test.duration_s * SECOND_NS);

		run->plan.begin_sample_cycles = now + margin;
		run->plan.end_sample_cycles = end - margin;
		run->plan.over_cycles = end;
		/* A side that only answers ends when the other says that it is done; a classic one does not say it. */
		if (session->traffic.initiator || !session->comm.traits->tells_done)
			run->plan.end_cycles = end;
	}
	/* Until the first answer comes, nothing counts, and each look is a tick that may start the clock. */
	if (progress->awaits_peer) {
		run->plan.begin_sample_cycles = UINT64_MAX;
		run->plan.end_cycles = UINT64_MAX;
		run->hooks.next_tick_cycles = 0;
	}
}
