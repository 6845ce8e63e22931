// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Runs this side's loop, and handles how it ended. See measurement.h. */
#include "session/measure/measurement.h"

#include "session/failure.h"
#include "session/group/member.h"
#include "util/stop.h"

/* A signal was handled: the orderly end follows; a second one cuts that short. */
static void take_stop(struct session *session)
{
	stop_flag = 0;
	session->interrupted = !session->params.test.run_infinitely;
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
