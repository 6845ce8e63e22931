// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What report/judge.h compares of a row, and how a sentence names it. See measurement.h. */
#include "session/measure/measurement.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "params/options.h"
#include "report/payload_share.h"
#include "stats/clock.h"

static void judge_rates(const struct session *session, const struct report_row *row, unsigned parts,
			struct judge *judge)
{
	const struct params *params = &session->params;
	const struct params_limits *limits = &params->limits;
	const double unit = params->report.gbits ? 125e6 : 1048576;
	char option[LIMIT_TITLE_SIZE], rate_option[LIMIT_TITLE_SIZE], lack[LOG_TEXT_SIZE];
	struct limited bandwidth = {.what = "BW result is below bw limit",
				    .option = judge_title(&params_options, "limit_bw", params, option),
				    .value = row->bw_average / unit,
				    .limit = limits->bw,
				    .unit = params->report.gbits ? "Gb/s" : "MiB/s",
				    .decimals = 2,
				    .rounds_limit = true};
	struct limited rate = {.what = "message rate is below the limit",
			       .option = judge_title(&params_options, "limit_msgrate", params, rate_option),
			       .value = row->message_rate / 1e6,
			       .limit = limits->msgrate,
			       .unit = "Mpps",
			       .decimals = 6,
			       .rounds_limit = true};

	if (isnan(row->message_rate) && (limits->bw > 0 || limits->msgrate > 0)) {
		snprintf(lack, sizeof(lack), "no rate to compare with -w and -y%s", judge->where);
		judge_without(judge, lack,
			      row->peers ? "the times at which the pairs were measured are unknown"
					 : "all messages arrived at once; raise -n, or give the limits to the sender",
			      true /* below */);
		return;
	}
	if (limits->bw_unit)
		bandwidth.limit =
			payload_share_of(&session->path, row->size, limits->bw, limits->bw_unit) / parts / unit;
	if (limits->msgrate_unit)
		rate.limit = payload_share_of(&session->path, row->size, limits->msgrate, limits->msgrate_unit) /
			     parts / (double)row->size / 1e6;
	judge_value(judge, &bandwidth);
	judge_value(judge, &rate);
}

/* peer: "" none; parts: as many peers share what is possible. */
static void judge_row(struct session *session, const struct report_row *row, const char *peer, unsigned parts)
{
	const double begin_s = row->interval_begin_s;
	char part[160] = "", stamp[STAMP_SIZE];
	struct judge judge = {.envelope = &report_results(session->report)->envelope};
	const struct limited_samples samples = {
		.latency = row->latency,
		.max = row->since_post ? "due_max" : "t_max",
		.of = row->since_post ? " of due" : " of latency",
		.advice = row->is_interval ? "raise --report_interval" : "raise -n or -D",
	};

	if (peer[0]) {
		snprintf(part, sizeof(part), " with %s", peer);
	} else if (row->is_interval) {
		snprintf(judge.over, sizeof(judge.over), " (%s)", stamp_text_of_cycles(row->end_cycles, stamp));
		judge.intervals = &session->interval_limits;
		snprintf(part, sizeof(part), " from %.2f to %.2f s", begin_s, begin_s + row->seconds);
	} else if (row->load.share_percent > 0) {
		snprintf(part, sizeof(part), " and %g %% load", row->load.share_percent);
	}
	snprintf(judge.where, sizeof(judge.where), " at %" PRIu64 " bytes%s", row->size, part);
	if (session->traffic.metric == METRIC_LAT)
		judge_latency(&judge, &session->params.limits.latency, &samples);
	else
		judge_rates(session, row, parts, &judge);
	judge_end(&judge);
	session->ending.limit_failed |= judge.missed && !judge.intervals;
}

void session_fail_as_empty(struct session *session)
{
	snprintf(session->ending.failure, sizeof(session->ending.failure), "%s", log_last_error());
	session->ending.measured_nothing = true;
}

/* In a run by time: a figure of 0 would say that the path is dead, which is not what was measured. */
static void fail_empty(struct session *session, const struct report_row *row)
{
	char why[64];

	if (row->iterations || session->ending.interrupted || session->ending.measured_nothing ||
	    !params_by_time(&session->params))
		return;
	if (row->lost && row->lost != REPORT_NOT_KNOWN)
		snprintf(why, sizeof(why), "%llu %s lost", (unsigned long long)row->lost,
			 row->lost > 1 ? "were" : "was");
	else
		snprintf(why, sizeof(why), "raise -D, or lower -s%s or -f",
			 session->params.rate.latency_gap_us ? ", --latency_gap" : "");
	log_error("no message of %llu bytes was completed in the measured time: %s", (unsigned long long)row->size,
		  why);
	session_fail_as_empty(session);
}

void session_check_limits(struct session *session, const struct report_row *row)
{
	const struct report_peers *peers = session->params.limits.peers ? row->peers : NULL;

	fail_empty(session, row);
	if (!peers)
		judge_row(session, row, "", 1);
	for (unsigned i = 0; peers && i < peers->num_listed; i++)
		if (peers->list[i].row)
			judge_row(session, peers->list[i].row, peers->list[i].address, peers->count);
}

void session_check_interval(struct session *session, const struct report_row *row)
{
	if (session->params.limits.intervals)
		judge_row(session, row, "", 1);
}

void session_sum_up_intervals(struct session *session)
{
	struct judge judge = {.envelope = &report_results(session->report)->envelope,
			      .intervals = &session->interval_limits};

	judge_sum_up(&judge, session->params.limits.intervals);
	session->ending.limit_failed |= judge.missed;
}

void session_note_limits(const struct session *session)
{
	if (session->traffic.metric == METRIC_LAT && !session->traffic.samples &&
	    latency_limits_are_given(&session->params.limits.latency))
		log_warning("--max_lat, --max_p99 and --max_percentiles have no effect on the side that only answers: "
			    "give them to the other side");
}
