// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which limit does a row miss, and by how much? See limits.h. A limit on a figure without a measurement is missed, too.
 */
#include "session/limits.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "params/limits.h"

static void __attribute__((format(printf, 2, 3))) fail_limit(struct session *session, const char *format, ...)
{
	char text[LOG_TEXT_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	log_error("%s", text);
	report_missed_limit(session->report, text);
	if (!session->limit_failed)
		memcpy(session->limit, text, sizeof(text));
	session->limit_failed = true;
}

struct missed {
	char text[32];
};

/* "12 %" of the limit, or "a factor of 25", without an exponent. */
static struct missed missed_by(double value, double limit)
{
	const double percent = fabs(value / limit - 1) * 100;
	struct missed missed;

	if (percent < 999.5)
		snprintf(missed.text, sizeof(missed.text), percent < 0.001 ? "%.6f %%" : "%.3g %%", percent);
	else
		snprintf(missed.text, sizeof(missed.text), "a factor of %.0f", value / limit);
	return missed;
}

static void check_rates(struct session *session, const struct report_row *row)
{
	const struct params *params = &session->params;
	const double unit = params->report.gbits ? 125e6 : 1048576;
	const double bandwidth = row->bw_average / unit, least = params->report.limit_bw;
	const double rate = row->message_rate / 1e6, least_rate = params->report.limit_msgrate;

	if (isnan(row->message_rate) && row->peers) {
		if (least > 0 || least_rate > 0)
			fail_limit(session,
				   "no rate to compare with -w and -y at %llu bytes: the times at which the pairs were "
				   "measured are unknown",
				   (unsigned long long)row->size);
		return;
	}
	if (isnan(row->message_rate)) {
		if (least > 0 || least_rate > 0)
			fail_limit(session,
				   "no rate to compare with -w and -y at %llu bytes: all messages arrived at once; "
				   "raise -n, or give the limits to the sender",
				   (unsigned long long)row->size);
		return;
	}
	if (least > 0 && !(bandwidth >= least))
		fail_limit(session,
			   "BW result is below bw limit: %.2f %s at %llu bytes, the limit (-w) is %.2f, missed by %s",
			   bandwidth, params->report.gbits ? "Gb/s" : "MiB/s", (unsigned long long)row->size, least,
			   missed_by(bandwidth, least).text);
	if (least_rate > 0 && !(rate >= least_rate))
		fail_limit(session,
			   "message rate is below the limit: %f Mpps at %llu bytes, the limit (-y) is %f, missed by %s",
			   rate, (unsigned long long)row->size, least_rate, missed_by(rate, least_rate).text);
}

/* In microseconds. percent 100: the largest. */
static void check_latency(struct session *session, const struct report_row *row, double percent, double most,
			  const char *option)
{
	const uint64_t samples = row->latency ? row->latency->histogram.count : 0;
	const char *figure = row->since_post ? "due" : "latency";
	char name[64], size[64];
	double value;

	if (!(most > 0))
		return;
	if (percent < 100)
		snprintf(name, sizeof(name), "%.10g%% percentile of %s", percent, figure);
	else
		snprintf(name, sizeof(name), "%s", row->since_post ? "due_max" : "t_max");
	snprintf(size, sizeof(size), "%llu bytes", (unsigned long long)row->size);
	if (row->load.share_percent > 0)
		snprintf(size, sizeof(size), "%llu bytes and %g %% load", (unsigned long long)row->size,
			 row->load.share_percent);
	if (!histogram_supports(samples, percent)) {
		fail_limit(session, "%llu samples at %s are too few for the %s that is limited (%s): raise -n or -D",
			   (unsigned long long)samples, size, name, option);
		return;
	}
	value = latency_percentile(row->latency, percent) * row->tick_seconds * 1e6;
	if (value > most)
		fail_limit(session, "the %s is above the limit: %.2f usec at %s, the limit (%s) is %.10g, missed by %s",
			   name, value, size, option, most, missed_by(value, most).text);
}

static void check_latencies(struct session *session, const struct report_row *row)
{
	const struct params_report *report = &session->params.report;
	struct percentile_limit limit;
	char option[64];

	check_latency(session, row, 100, report->limit_latency_us, "--max_lat");
	check_latency(session, row, 99, report->limit_p99_us, "--max_p99");
	for (unsigned n = 0; percentile_limit_at(report->limit_percentiles, n, &limit); n++) {
		snprintf(option, sizeof(option), "--max_percentiles %.10g:%.10g", limit.percent, limit.usec);
		check_latency(session, row, limit.percent, limit.usec, option);
	}
}

/* In a run by time: a figure of 0 would say that the path is dead, which is not what was measured. */
static void fail_empty(struct session *session, const struct report_row *row)
{
	if (row->iterations || session->interrupted || !params_by_time(&session->params))
		return;
	log_error("no message of %llu bytes was completed in the measured time: raise -D, or lower -s or -f",
		  (unsigned long long)row->size);
	snprintf(session->failure, sizeof(session->failure), "%s", log_last_error());
	session->measured_nothing = true;
}

void session_check_limits(struct session *session, const struct report_row *row)
{
	fail_empty(session, row);
	if (session->traffic.metric == METRIC_LAT)
		check_latencies(session, row);
	else
		check_rates(session, row);
}

void session_note_limits(const struct session *session)
{
	const struct params_report *report = &session->params.report;

	if (session->traffic.metric == METRIC_LAT && !session->traffic.samples &&
	    (report->limit_latency_us > 0 || report->limit_p99_us > 0 || report->limit_percentiles[0]))
		log_warning("--max_lat, --max_p99 and --max_percentiles have no effect on the side that only answers: "
			    "give them to the other side");
}
