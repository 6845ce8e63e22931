// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which limits does a result miss? See report.h. */
#include "qperf/print/report.h"

#include <math.h>

#include "qperf/options/options.h"
#include "util/log.h"

#define BITS 8

/* A rate that is below its limit, in words. */
struct missed_rate {
	double factor; /* above 1 */
	char text[LOG_TEXT_SIZE], worst[LOG_TEXT_SIZE];
};

/* least: per second, in the unit of the text; 0: no limit. when: "", or of an interval. Does the rate miss it? */
static bool find_missed(struct missed_rate *missed, const char *test, const struct style *style, enum text_kind kind,
			double value, double least, const char *option, const char *when)
{
	const char *noun = kind == TEXT_RATE ? "message rate" : "bandwidth";
	const struct limit_missed by = limit_missed_by(value, least);
	struct text_value is, limit;

	if (!(least > 0) || value >= least)
		return false;
	text_format(kind, value, style, &is);
	text_format(kind, least, style, &limit);
	missed->factor = least / value;
	snprintf(missed->text, sizeof(missed->text),
		 "%s: the %s is below the limit: %.32s %s%s\nthe limit (%s) is %.32s %s, missed by %s", test, noun,
		 is.digits, is.unit, when, option, limit.digits, limit.unit, by.text);
	snprintf(missed->worst, sizeof(missed->worst), ", the worst %s (%.32s %s) by %s\n%.32s %s%s", option,
		 limit.digits, limit.unit, by.text, is.digits, is.unit, when);
	return true;
}

static void judge_latency(struct results *results, const char *test, const struct figures *figures, double percent,
			  double most_usec, const char *option)
{
	const double usec = figures_percentile_s(figures, percent) * 1e6;
	char text[LOG_TEXT_SIZE], name[32] = "max";

	if (!(most_usec > 0) || usec <= most_usec)
		return;
	if (percent < 100)
		snprintf(name, sizeof(name), "%.10g%% percentile", percent);
	if (isnan(usec))
		snprintf(text, sizeof(text), "%s: too few samples for the %s that is limited\n(%s): raise -n or -t",
			 test, name, option);
	else
		snprintf(text, sizeof(text),
			 "%s: the %s is above the limit: %.2f usec\nthe limit (%s) is %.10g usec, missed by %s", test,
			 name, usec, option, most_usec, limit_missed_by(usec, most_usec).text);
	results_miss(results, text, false);
}

/* Bytes per second. */
static double least_bandwidth(const struct qperf_params *params)
{
	return (double)params->limits.bw / (params->style.bits ? BITS : 1);
}

void qperf_judge(struct results *results, const struct test_row *test, const struct qperf_params *params,
		 const struct figures *figures)
{
	const struct style *style = &params->style;
	const double bw = least_bandwidth(params);
	struct percentile_limit limit;
	struct missed_rate missed;
	char option[64];

	if (test->measure == MEASURE_LATENCY) {
		judge_latency(results, test->name, figures, 100, params->limits.max_usec, "--max_lat");
		judge_latency(results, test->name, figures, 99, params->limits.p99_usec, "--max_p99");
		for (unsigned n = 0; percentile_limit_at(params->limits.percentiles, n, &limit); n++) {
			snprintf(option, sizeof(option), "--max_percentiles %.10g:%.10g", limit.percent, limit.usec);
			judge_latency(results, test->name, figures, limit.percent, limit.usec, option);
		}
		return;
	}
	if (test->measure != MEASURE_RATE && find_missed(&missed, test->name, style, TEXT_BANDWIDTH,
							 text_primary_value(test, figures), bw, "--limit_bw", ""))
		results_miss(results, missed.text, true);
	if (find_missed(&missed, test->name, style, TEXT_RATE, figures->rate, (double)params->limits.msgrate,
			"--limit_msgrate", ""))
		results_miss(results, missed.text, true);
}

void qperf_judge_interval(const struct test_row *test, const struct qperf_params *params,
			  const struct qperf_interval *interval, struct interval_limits *limits)
{
	const double span_s = interval->end_s - interval->begin_s;
	struct missed_rate missed;
	bool any = false;
	char when[64];

	/* The rest at the end may be so short that its figure says nothing. */
	if (test->measure == MEASURE_LATENCY || span_s * 2 * NS_PER_S < (double)params->interval_ns)
		return;
	snprintf(when, sizeof(when), " from %.1f to %.1f s", interval->begin_s, interval->end_s);
	for (unsigned i = 0; i < 2; i++) {
		const bool is_bandwidth = i == 0;
		const double least = is_bandwidth ? least_bandwidth(params) : (double)params->limits.msgrate;

		if ((is_bandwidth && test->measure == MEASURE_RATE) ||
		    !find_missed(&missed, test->name, &params->style, is_bandwidth ? TEXT_BANDWIDTH : TEXT_RATE,
				 is_bandwidth ? interval->value : interval->rate, least,
				 is_bandwidth ? "--limit_bw" : "--limit_msgrate", when))
			continue;
		any = true;
		if (interval_limits_miss(limits, missed.factor, missed.worst))
			log_error("%s", missed.text);
	}
	limits->missed += any;
	limits->judged++;
}

void qperf_judge_intervals(struct results *results, const struct test_row *test, const struct interval_limits *limits)
{
	char text[LOG_TEXT_SIZE], sentence[LOG_TEXT_SIZE + 32];

	if (!interval_limits_text(limits, text, sizeof(text)))
		return;
	snprintf(sentence, sizeof(sentence), "%.24s: %s", test->name, text);
	results_miss(results, sentence, true);
}
