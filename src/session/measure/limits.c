// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which limit does a row miss, and by how much? See measurement.h. A limit on a figure without a measurement is missed,
 * too.
 */
#include "session/measure/measurement.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "params/engine/limits.h"
#include "params/options.h"
#include "stats/clock.h"

/* A row that is compared, and how a sentence about it names it. */
struct judged {
	struct session *session;
	const struct report_row *row;
	char name[192];		   /* "4096 bytes", and of which load, peer or interval */
	char over[STAMP_SIZE + 4]; /* an interval: " (STAMP)" of its end */
	unsigned parts;		   /* of what is possible: as many peers as share it */
	bool missed;		   /* a limit */
};

static void record_miss(struct session *session, const char *text)
{
	log_error("%s", text);
	report_missed_limit(session->report, log_last_error());
	if (!session->limit_failed)
		snprintf(session->limit, sizeof(session->limit), "%s", log_last_error());
	session->limit_failed = true;
}

/* factor: by which the limit is missed, above 1. worst: what is said of it if no other interval is worse. */
static void fail_limit(struct judged *judged, double factor, const char *text, const char *worst)
{
	judged->missed = true;
	if (!judged->row->is_interval)
		record_miss(judged->session, text);
	else if (interval_limits_miss(&judged->session->interval_limits, factor, worst))
		log_error("%s", text);
}

/* what: the sentence begins with it. value, limit: in this unit. */
static void fail_figure(struct judged *judged, const char *what, double value, double limit, const char *unit,
			int decimals, const char *option)
{
	const bool is_most = value > limit;
	const struct limit_missed by = limit_missed_by(value, limit);
	char text[LOG_TEXT_SIZE], worst[LOG_TEXT_SIZE], figure[64], bound[64];

	snprintf(figure, sizeof(figure), "%.*f %s", decimals, value, unit);
	if (is_most)
		snprintf(bound, sizeof(bound), "%.10g %s", limit, unit);
	else
		snprintf(bound, sizeof(bound), "%.*f %s", decimals, limit, unit);
	snprintf(text, sizeof(text), "%s: %s at %s\nthe limit (%s) is %s, missed by %s%s", what, figure, judged->name,
		 option, bound, by.text, judged->over);
	snprintf(worst, sizeof(worst), ", the worst %s (%s) by %s\n%s at %s%s", option, bound, by.text, figure,
		 judged->name, judged->over);
	fail_limit(judged, is_most ? value / limit : limit / value, text, worst);
}

/* Without a figure a limit is missed by more than with any. advice: what to raise. */
static void __attribute__((format(printf, 3, 4)))
fail_without(struct judged *judged, const char *advice, const char *format, ...)
{
	char lack[LOG_TEXT_SIZE], text[2 * LOG_TEXT_SIZE], worst[LOG_TEXT_SIZE + 1];
	va_list args;

	va_start(args, format);
	vsnprintf(lack, sizeof(lack), format, args);
	va_end(args);
	snprintf(text, sizeof(text), "%s\n%s%s", lack, advice, judged->over);
	snprintf(worst, sizeof(worst), "\n%s", lack);
	fail_limit(judged, INFINITY, text, worst);
}

/* Bytes per second of a percentage of what is possible, in all directions of the row. */
static double share_of_possible(const struct judged *judged, double percent, enum limit_unit unit)
{
	const struct payload_path *path = &judged->session->path;
	const struct payload_limit limit = payload_limit_of(path, judged->row->size);
	const double whole = unit == LIMIT_OF_LINE ? path->link_gbits * 125e6 : payload_limit_least(&limit);

	return percent / 100 * whole * (path->sums ? 2 : 1) / judged->parts;
}

const char *session_limit_title(const char *name, const struct params *params, char text[LIMIT_TEXT_SIZE])
{
	const struct opt_row *row = opt_find(&params_options, name);
	char value[OPT_TEXT_SIZE];

	opt_value_write(row, params, true /* as requested */, value, sizeof(value));
	if (strchr(value, '%'))
		snprintf(text, LIMIT_TEXT_SIZE, "-%c %.40s", row->short_name, value);
	else
		snprintf(text, LIMIT_TEXT_SIZE, "-%c", row->short_name);
	return text;
}

static void check_rates(struct judged *judged)
{
	const struct params_limits *limits = &judged->session->params.limits;
	const bool gbits = judged->session->params.report.gbits;
	const struct report_row *row = judged->row;
	const double unit = gbits ? 125e6 : 1048576;
	const double bandwidth = row->bw_average / unit, rate = row->message_rate / 1e6;
	double least = limits->bw, least_rate = limits->msgrate;
	char option[LIMIT_TEXT_SIZE];

	if (isnan(row->message_rate)) {
		if (least > 0 || least_rate > 0)
			fail_without(judged,
				     row->peers ? "the times at which the pairs were measured are unknown"
						: "all messages arrived at once; raise -n, or give the limits to the "
						  "sender",
				     "no rate to compare with -w and -y at %s", judged->name);
		return;
	}
	if (limits->bw_unit)
		least = share_of_possible(judged, least, limits->bw_unit) / unit;
	if (limits->msgrate_unit)
		least_rate = share_of_possible(judged, least_rate, limits->msgrate_unit) / (double)row->size / 1e6;
	if (least > 0 && !(bandwidth >= least))
		fail_figure(judged, "BW result is below bw limit", bandwidth, least, gbits ? "Gb/s" : "MiB/s", 2,
			    session_limit_title("limit_bw", &judged->session->params, option));
	if (least_rate > 0 && !(rate >= least_rate))
		fail_figure(judged, "message rate is below the limit", rate, least_rate, "Mpps", 6,
			    session_limit_title("limit_msgrate", &judged->session->params, option));
}

/* In microseconds. percent 100: the largest. */
static void check_latency(struct judged *judged, double percent, double most, const char *option)
{
	const struct report_row *row = judged->row;
	const uint64_t samples = row->latency ? row->latency->histogram.count : 0;
	const char *figure = row->since_post ? "due" : "latency";
	char name[64], what[96];
	double value;

	if (!(most > 0))
		return;
	if (percent < 100)
		snprintf(name, sizeof(name), "%.10g%% percentile of %s", percent, figure);
	else
		snprintf(name, sizeof(name), "%s", row->since_post ? "due_max" : "t_max");
	if (!histogram_supports(samples, percent)) {
		fail_without(judged, row->is_interval ? "raise --report_interval" : "raise -n or -D",
			     "%llu samples at %s are too few for the %s (%s)", (unsigned long long)samples,
			     judged->name, name, option);
		return;
	}
	value = latency_percentile(row->latency, percent) * row->tick_seconds * 1e6;
	snprintf(what, sizeof(what), "the %s is above the limit", name);
	if (value > most)
		fail_figure(judged, what, value, most, "usec", 2, option);
}

static void check_latencies(struct judged *judged)
{
	const struct params_limits *limits = &judged->session->params.limits;
	struct percentile_limit limit;
	char option[64];

	check_latency(judged, 100, limits->latency_us, "--max_lat");
	check_latency(judged, 99, limits->p99_us, "--max_p99");
	for (unsigned n = 0; percentile_limit_at(limits->percentiles, n, &limit); n++) {
		snprintf(option, sizeof(option), "--max_percentiles %.10g:%.10g", limit.percent, limit.usec);
		check_latency(judged, limit.percent, limit.usec, option);
	}
}

/* peer: "" none; parts: as many peers share what is possible. Does the row miss a limit? */
static bool judge_row(struct session *session, const struct report_row *row, const char *peer, unsigned parts)
{
	const double begin_s = row->interval_begin_s;
	struct judged judged = {.session = session, .row = row, .parts = parts};
	char part[160] = "", stamp[STAMP_SIZE];
	struct timespec end;

	if (peer[0]) {
		snprintf(part, sizeof(part), " with %s", peer);
	} else if (row->is_interval) {
		end = stamp_of_cycles(row->end_cycles);
		snprintf(judged.over, sizeof(judged.over), " (%s)", stamp_text(&end, stamp));
		snprintf(part, sizeof(part), " from %.2f to %.2f s", begin_s, begin_s + row->seconds);
	} else if (row->load.share_percent > 0) {
		snprintf(part, sizeof(part), " and %g %% load", row->load.share_percent);
	}
	snprintf(judged.name, sizeof(judged.name), "%llu bytes%s", (unsigned long long)row->size, part);
	if (session->traffic.metric == METRIC_LAT)
		check_latencies(&judged);
	else
		check_rates(&judged);
	return judged.missed;
}

void session_fail_as_empty(struct session *session)
{
	snprintf(session->failure, sizeof(session->failure), "%s", log_last_error());
	session->measured_nothing = true;
}

/* In a run by time: a figure of 0 would say that the path is dead, which is not what was measured. */
static void fail_empty(struct session *session, const struct report_row *row)
{
	char why[48] = "raise -D, or lower -s or -f";

	if (row->iterations || session->interrupted || session->measured_nothing || !params_by_time(&session->params))
		return;
	if (row->lost && row->lost != REPORT_NOT_KNOWN)
		snprintf(why, sizeof(why), "%llu %s lost", (unsigned long long)row->lost,
			 row->lost > 1 ? "were" : "was");
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
	struct interval_limits *limits = &session->interval_limits;

	if (!session->params.limits.intervals)
		return;
	limits->missed += judge_row(session, row, "", 1);
	limits->judged++;
}

void session_sum_up_intervals(struct session *session)
{
	const struct interval_limits *limits = &session->interval_limits;
	char text[LOG_TEXT_SIZE];

	if (!session->params.limits.intervals)
		return;
	if (!limits->judged)
		log_warning("--limit_intervals: this side has printed no row of a whole interval to compare");
	if (interval_limits_text(limits, text, sizeof(text)))
		record_miss(session, text);
}

void session_note_limits(const struct session *session)
{
	const struct params_limits *limits = &session->params.limits;

	if (session->traffic.metric == METRIC_LAT && !session->traffic.samples &&
	    (limits->latency_us > 0 || limits->p99_us > 0 || limits->percentiles[0]))
		log_warning("--max_lat, --max_p99 and --max_percentiles have no effect on the side that only answers: "
			    "give them to the other side");
}
