// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See limits.h. */
#include "qperf/print/limits.h"

#include <math.h>

#include "params/engine/limits.h"
#include "util/log.h"

#define BITS	    8
#define NS_PER_USEC 1000

/* least: per second, in the unit of the text; 0: no limit. */
static void judge_rate(struct results *results, const char *test, const struct style *style, enum text_kind kind,
		       double value, double least, const char *option)
{
	const char *noun = kind == TEXT_RATE ? "message rate" : "bandwidth";
	struct text_value is, limit;
	char text[LOG_TEXT_SIZE];

	if (!(least > 0) || value >= least)
		return;
	text_format(kind, value, style, &is);
	text_format(kind, least, style, &limit);
	snprintf(text, sizeof(text),
		 "%s: the %s is below the limit: %.32s %s, the limit (%s) is %.32s %s, missed by %s", test, noun,
		 is.digits, is.unit, option, limit.digits, limit.unit, limit_missed_by(value, least).text);
	results_miss(results, text, true);
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
		snprintf(text, sizeof(text), "%s: too few samples for the %s that is limited (%s): raise -n or -t",
			 test, name, option);
	else
		snprintf(text, sizeof(text),
			 "%s: the %s is above the limit: %.2f usec, the limit (%s) is %.10g usec, missed by %s", test,
			 name, usec, option, most_usec, limit_missed_by(usec, most_usec).text);
	results_miss(results, text, false);
}

void qperf_judge(struct results *results, const struct test_row *test, const struct qperf_params *params,
		 const struct figures *figures)
{
	const struct style *style = &params->style;
	const double bw = (double)params->limits.bw / (style->bits ? BITS : 1);
	struct percentile_limit limit;
	char option[64];

	if (test->measure == MEASURE_LATENCY) {
		judge_latency(results, test->name, figures, 100, (double)params->limits.max_ns / NS_PER_USEC,
			      "--max_lat");
		judge_latency(results, test->name, figures, 99, (double)params->limits.p99_ns / NS_PER_USEC,
			      "--max_p99");
		for (unsigned n = 0; percentile_limit_at(params->limits.percentiles, n, &limit); n++) {
			snprintf(option, sizeof(option), "--max_percentiles %.10g:%.10g", limit.percent, limit.usec);
			judge_latency(results, test->name, figures, limit.percent, limit.usec, option);
		}
		return;
	}
	if (test->measure != MEASURE_RATE)
		judge_rate(results, test->name, style, TEXT_BANDWIDTH, text_primary_value(test, figures), bw,
			   "--limit_bw");
	judge_rate(results, test->name, style, TEXT_RATE, figures->rate, (double)params->limits.msgrate,
		   "--limit_msgrate");
}
