// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The rows that a side prints for a measurement. See result.h. */
#include "session/result.h"

#include "session/limits.h"
#include "session/plan.h"
#include "session/rows.h"

/* The row of both directions. */
struct report_row session_sum_of_both(const struct session *session, const struct report_row *local,
				      const struct report_row *remote, const struct report_repeats *repeats)
{
	struct report_row total = *local;

	total.repeats = *repeats;
	total.bw_peak = session_add_peaks(local->bw_peak, local->iterations, remote->bw_peak, remote->iterations);
	total.bw_average += remote->bw_average;
	total.message_rate += remote->message_rate;
	for (unsigned i = 0; i < 2; i++) {
		total.ports[i].bw_average += remote->ports[i].bw_average;
		total.ports[i].message_rate += remote->ports[i].message_rate;
	}
	total.partial |= remote->partial;
	total.iterations_of[REPORT_OWN] = local->iterations;
	total.iterations_of[REPORT_PEER] = remote->iterations;
	/* By number, what each side was told to send. Otherwise each has its own number, and the row has the sum. */
	if (params_by_time(&session->params) || total.partial)
		total.iterations += remote->iterations;
	if (!session->params.test.data_validation)
		total.lost = local->lost == REPORT_NOT_KNOWN || remote->lost == REPORT_NOT_KNOWN
				     ? REPORT_NOT_KNOWN
				     : local->lost + remote->lost;
	return total;
}

static int print_both(struct session *session, const struct report_row *local, const struct report_row *remote,
		      const struct report_repeats *repeats)
{
	const struct report_row total = session_sum_of_both(session, local, remote, repeats);
	int ret;

	ret = report_result(session->report, &total, REPORT_TOTAL);
	session_check_limits(session, &total);
	if (ret || !session->params.report.both)
		return ret;
	ret = report_result(session->report, local, REPORT_LOCAL);
	return ret ? ret : report_result(session->report, remote, REPORT_REMOTE);
}

/* Its own figures rather than the peer's? A round is too short to time from the first arrival to the last. */
bool session_prints_own(const struct session *session)
{
	if (session_only_answers(session))
		return false;
	return session->traffic.reports && (session->traffic.active || session->traffic.metric == METRIC_LAT ||
					    !session->params.test.data_validation);
}

/* The sum of both? Without a side channel a side knows what it sends, and prints a row of that. */
bool session_prints_both(const struct session *session)
{
	return session->params.test.bidirectional && !session->comm.traits->silent;
}

/* Prints what this side prints for one size. The rows are complete; repeats: of the sum of both. */
int session_print_rows(struct session *session, const struct report_row *local, const struct report_row *remote,
		       const struct report_repeats *repeats)
{
	const bool latency = session->traffic.metric == METRIC_LAT;
	int ret;

	if (session_prints_both(session))
		return print_both(session, local, remote, repeats);
	/* Stopped before the margin of -D was over, or before anything arrived: there is no figure yet. */
	if ((latency || session->comm.traits->silent) && session->interrupted && !local->iterations)
		return 0;
	if (session_prints_own(session)) {
		ret = report_result(session->report, local, REPORT_TOTAL);
		session_check_limits(session, local);
		return ret;
	}
	/* A classic peer in a run without end reports nothing. */
	if (latency || (!session->comm.traits->tells_results && !remote->iterations))
		return 0;
	ret = report_result(session->report, remote, REPORT_TOTAL);
	session_check_limits(session, remote);
	return ret;
}

/* After a loop has failed: prints what was measured until then, if anything, marked as partial. */
void session_print_partial(struct session *session, const struct run *run)
{
	struct report_row row = {0};

	session_row(session, run, &row);
	row.partial = true;
	if (!session->traffic.transport->reliable)
		row.lost = REPORT_NOT_KNOWN;
	if (row.iterations && session->traffic.reports && !session_only_answers(session))
		report_result(session->report, &row, session->params.test.bidirectional ? REPORT_LOCAL : REPORT_TOTAL);
}
