// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See judge.h. */
#include "report/judge.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/envelope.h"

/* factor: by which the limit is missed, above 1. worst: what is said of it if no other interval is worse. */
static void fail_limit(struct judge *judge, double factor, const char *text, const char *worst, bool below)
{
	struct judge_intervals *intervals = judge->intervals;

	judge->missed = true;
	if (!intervals) {
		envelope_miss_limit(judge->envelope, text, below);
		return;
	}
	if (factor > intervals->worst_factor) {
		intervals->worst_factor = factor;
		intervals->is_below = below;
		snprintf(intervals->worst, sizeof(intervals->worst), "%s", worst);
	}
	if (!intervals->missed)
		log_error("%s", text);
}

const char *judge_title(const struct opt_table *table, const char *name, const void *values,
			char text[LIMIT_TITLE_SIZE])
{
	const struct opt_row *row = opt_find(table, name);
	char value[OPT_TEXT_SIZE], title[24];

	if (row->short_name)
		snprintf(title, sizeof(title), "-%c", row->short_name);
	else
		snprintf(title, sizeof(title), "--%s", name);
	opt_value_write(row, values, true /* as requested */, value, sizeof(value));
	if (strchr(value, '%'))
		snprintf(text, LIMIT_TITLE_SIZE, "%s %.38s", title, value);
	else
		snprintf(text, LIMIT_TITLE_SIZE, "%s", title);
	return text;
}

void judge_value(struct judge *judge, struct limited *limited)
{
	const double value = limited->value, limit = limited->limit;
	const bool rounds = limited->rounds_limit;
	char text[LOG_TEXT_SIZE], worst[LOG_TEXT_SIZE], by[LIMIT_VALUE_SIZE];
	double percent;

	if (!(limit > 0) || (limited->is_most ? value <= limit : value >= limit))
		return;
	if (limited->unit) {
		snprintf(limited->figure, LIMIT_VALUE_SIZE, "%.*f %s", limited->decimals, value, limited->unit);
		snprintf(limited->bound, LIMIT_VALUE_SIZE, rounds ? "%.*f %s" : "%.*g %s",
			 rounds ? limited->decimals : 10, limit, limited->unit);
	}
	percent = fabs(value / limit - 1) * 100;
	if (percent < 999.5)
		snprintf(by, sizeof(by), percent < 0.001 ? "%.6f %%" : "%.3g %%", percent);
	else /* without an exponent */
		snprintf(by, sizeof(by), "a factor of %.0f", value / limit);
	snprintf(text, sizeof(text), "%s%s: %s%s\nthe limit (%s) is %s, missed by %s%s", judge->subject, limited->what,
		 limited->figure, judge->where, limited->option, limited->bound, by, judge->over);
	snprintf(worst, sizeof(worst), ", the worst %s (%s) by %s\n%s%s%s", limited->option, limited->bound, by,
		 limited->figure, judge->where, judge->over);
	fail_limit(judge, limited->is_most ? value / limit : limit / value, text, worst, !limited->is_most);
}

void judge_without(struct judge *judge, const char *lack, const char *advice, bool below)
{
	char text[LOG_TEXT_SIZE], worst[LOG_TEXT_SIZE];

	snprintf(text, sizeof(text), "%s\n%s%s", lack, advice, judge->over);
	snprintf(worst, sizeof(worst), "\n%s", lack);
	fail_limit(judge, INFINITY, text, worst, below);
}

/* percent 100: the largest. */
static void judge_percentile(struct judge *judge, const struct limited_samples *samples, double percent, double most,
			     const char *option)
{
	const uint64_t count = samples->latency ? samples->latency->histogram.count : 0;
	char name[64], text[512];
	struct limited limited = {
		.what = text, .option = option, .limit = most, .is_most = true, .unit = "usec", .decimals = 2};

	if (!(most > 0))
		return;
	if (percent < 100)
		snprintf(name, sizeof(name), "%.10g%% percentile%s", percent, samples->of);
	else
		snprintf(name, sizeof(name), "%s", samples->max);
	if (histogram_supports(count, percent)) {
		snprintf(text, sizeof(text), "the %s is above the limit", name);
		limited.value = latency_percentile(samples->latency, percent) * 1e6;
		judge_value(judge, &limited);
		return;
	}
	if (samples->is_count_unnamed)
		snprintf(text, sizeof(text), "%stoo few samples for the %s that is limited (%s)", judge->subject, name,
			 option);
	else
		snprintf(text, sizeof(text), "%s%" PRIu64 " samples%s are too few for the %s (%s)", judge->subject,
			 count, judge->where, name, option);
	judge_without(judge, text, samples->advice, false /* above */);
}

void judge_latency(struct judge *judge, const struct latency_limits *limits, const struct limited_samples *samples)
{
	struct percentile_limit limit;
	char option[64];

	judge_percentile(judge, samples, 100, limits->max_us, "--max_lat");
	judge_percentile(judge, samples, 99, limits->p99_us, "--max_p99");
	for (unsigned n = 0; percentile_limit_at(limits->percentiles, n, &limit); n++) {
		snprintf(option, sizeof(option), "--max_percentiles %.10g:%.10g", limit.percent, limit.usec);
		judge_percentile(judge, samples, limit.percent, limit.usec, option);
	}
}

void judge_end(struct judge *judge)
{
	if (!judge->intervals)
		return;
	judge->intervals->judged++;
	judge->intervals->missed += judge->missed;
}

void judge_sum_up(struct judge *judge, bool asked)
{
	const struct judge_intervals *intervals = judge->intervals;
	char text[2 * LOG_TEXT_SIZE];

	if (asked && !intervals->judged)
		log_warning("%s--limit_intervals: this side has printed no row of a whole interval to compare",
			    judge->subject);
	judge->missed = intervals->missed;
	if (!judge->missed)
		return;
	snprintf(text, sizeof(text), "%s%" PRIu64 " of %" PRIu64 " intervals miss a limit%s", judge->subject,
		 intervals->missed, intervals->judged, intervals->worst);
	envelope_miss_limit(judge->envelope, text, intervals->is_below);
}
