// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The rows that a side prints for a measurement. See print.h. */
#include "session/print/print.h"

#include <math.h>

#include "session/measure/measurement.h"
#include "util/log.h"

#define SIMULTANEOUS 90 /* percent of overlap: adding up rates makes at most a twentieth more of what both moved */

/*
 * The direction that finishes a little earlier is not charged for the other. But rates that did not occur at the same
 * time are not added up: then the row is of what both moved, over the time from the first start to the last end, and
 * has no peak, of which neither side knows the moment.
 */
static void rate_together(const struct session *session, const struct comm_result results[2], struct report_row *total)
{
	const double sum = total->message_rate;
	const uint64_t messages = total->iterations_of[REPORT_OWN] + total->iterations_of[REPORT_PEER];
	struct spans spans = {0};

	/* The time of several rounds is not one. */
	if (session->params.verbs.data_validation || !(sum > 0))
		return;
	for (unsigned i = 0; i < 2; i++) {
		if (results[i].begin_ns == COMM_UNKNOWN || results[i].elapsed_ns == COMM_UNKNOWN)
			return;
		spans_add(&spans, (int64_t)results[i].begin_ns, (int64_t)(results[i].begin_ns + results[i].elapsed_ns));
	}
	if (spans.last_end <= spans.first_begin)
		return;
	total->seconds = spans_seconds(&spans);
	total->overlap = session_overlap(&spans, session->comm.epoch_error_ns);
	if (total->overlap.percent >= SIMULTANEOUS)
		return;
	total->message_rate = (double)messages / total->seconds;
	total->bw_average = total->message_rate * (double)total->size;
	total->bw_peak = 0;
	for (unsigned i = 0; i < 2; i++) {
		total->ports[i].bw_average *= total->message_rate / sum;
		total->ports[i].message_rate *= total->message_rate / sum;
	}
}

struct report_row session_sum_of_both(const struct session *session, const struct report_row *local,
				      const struct report_row *remote, const struct comm_result results[2])
{
	struct report_row total = *local;

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
	if (!session->params.verbs.data_validation)
		total.lost = local->lost == REPORT_NOT_KNOWN || remote->lost == REPORT_NOT_KNOWN
				     ? REPORT_NOT_KNOWN
				     : local->lost + remote->lost;
	rate_together(session, results, &total);
	return total;
}

#define LITTLE_OVERLAP 50  /* percent: with less overlap a row is hardly one of simultaneous tests */
#define LARGE_ERROR    0.1 /* of the time of a row */

void session_warn_of_overlap(const struct session *session, const struct report_row *row, const char *parts,
			     const char *clocks)
{
	const char *advice = params_by_time(&session->params) ? "raise -D" : "raise -n, or use -D";
	const struct report_overlap *overlap = &row->overlap;

	if (overlap->known && overlap->percent < LITTLE_OVERLAP)
		log_warning("%s ran at the same time for only %.3g %% of the time at %llu bytes: %s", parts,
			    overlap->percent, (unsigned long long)row->size, advice);
	if (overlap->known && overlap->error_s > row->seconds * LARGE_ERROR)
		log_warning("%s known to within %.3g us only, which is %.3g %% of the time at %llu bytes: %s", clocks,
			    overlap->error_s * 1e6, 100 * overlap->error_s / row->seconds,
			    (unsigned long long)row->size, advice);
}

/* The table has "nan", which tells a user less than a script. */
static void explain_no_average(const struct report_row *row)
{
	if (isnan(row->message_rate))
		log_line(
			log_is_verbose() ? LOG_OF_INFO : LOG_OF_HUMAN,
			"%llu bytes: there is no average, because everything arrived at once; the sender's row has it, "
			"or raise -n",
			(unsigned long long)row->size);
}

static int print_total(struct session *session, const struct report_row *row)
{
	const int ret = report_result(session->report, row, REPORT_TOTAL);

	session_check_limits(session, row);
	session_explain_row(session, row);
	return ret;
}

static int print_both(struct session *session, const struct report_row *local, const struct report_row *remote,
		      const struct report_row *total)
{
	int ret;

	ret = print_total(session, total);
	session_warn_of_overlap(session, total, "both directions", "one side's clock is");
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
					    !session->params.verbs.data_validation);
}

/* Prints what this side prints for one size. The rows are complete; total: the sum of both. */
int session_print_rows(struct session *session, const struct report_row *local, const struct report_row *remote,
		       const struct report_row *total)
{
	const bool latency = session->traffic.metric == METRIC_LAT;

	if (session_prints_both(session))
		return print_both(session, local, remote, total);
	/* Stopped before the margin of -D was over, or before anything arrived: there is no figure yet. */
	if ((latency || session->comm.traits->silent) && session->ending.interrupted && !local->iterations)
		return 0;
	if (session_prints_own(session)) {
		explain_no_average(local);
		return print_total(session, local);
	}
	/* A classic peer in a run without end reports nothing. */
	if (latency || (!session->comm.traits->sends_results && !remote->iterations))
		return 0;
	return print_total(session, remote);
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
		report_result(session->report, &row, session->params.spec.bidirectional ? REPORT_LOCAL : REPORT_TOTAL);
}

/* --- how a test ended --- */

int session_close_report(void *own, const char *status, const char *reason)
{
	struct session *session = own;

	return session->report ? report_close(session->report, status, reason) : 0;
}
