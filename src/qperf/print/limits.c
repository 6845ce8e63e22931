// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which limits does a result miss? See report.h. */
#include "qperf/print/report.h"

#include <stdio.h>

#include "qperf/options/options.h"

#define BITS 8

static struct judge judge_of(struct results *results, const struct test_row *test)
{
	struct judge judge = {.envelope = &results->envelope};

	snprintf(judge.subject, sizeof(judge.subject), "%.24s: ", test->name);
	return judge;
}

static void write_value(enum text_kind kind, double value, const struct style *style, char text[LIMIT_VALUE_SIZE])
{
	struct text_value written;

	text_format(kind, value, style, &written);
	snprintf(text, LIMIT_VALUE_SIZE, "%.32s %s", written.digits, written.unit);
}

/* The limits are per second, of bytes or bits. */
static void judge_rates(struct judge *judge, const struct test_row *test, const struct qperf_params *params,
			double bandwidth, double rate)
{
	struct limited rows[] = {
		{.what = "the bandwidth is below the limit",
		 .option = "--limit_bw",
		 .value = bandwidth,
		 .limit = test->measure == MEASURE_RATE ? 0
							: (double)params->limits.bw / (params->style.bits ? BITS : 1)},
		{.what = "the message rate is below the limit",
		 .option = "--limit_msgrate",
		 .value = rate,
		 .limit = (double)params->limits.msgrate},
	};

	for (unsigned i = 0; i < 2; i++) {
		const enum text_kind kind = i ? TEXT_RATE : TEXT_BANDWIDTH;

		write_value(kind, rows[i].value, &params->style, rows[i].figure);
		write_value(kind, rows[i].limit, &params->style, rows[i].bound);
		judge_value(judge, &rows[i]);
	}
}

void qperf_judge(struct results *results, const struct test_row *test, const struct qperf_params *params,
		 const struct figures *figures)
{
	struct judge judge = judge_of(results, test);
	const struct limited_samples samples = {
		.latency = figures->samples,
		.tick_seconds = figures_sample_s(figures, 1),
		.max = "max",
		.of = "",
		.advice = "raise -n or -t",
		.is_count_unnamed = true,
	};

	if (test->measure == MEASURE_LATENCY)
		judge_latency(&judge, &params->limits.latency, &samples);
	else
		judge_rates(&judge, test, params, text_primary_value(test, figures), figures->rate);
}

void qperf_judge_interval(struct results *results, const struct test_row *test, const struct qperf_params *params,
			  const struct qperf_interval *interval, struct judge_intervals *intervals)
{
	const double span_s = interval->end_s - interval->begin_s;
	struct judge judge = judge_of(results, test);

	if (test->measure == MEASURE_LATENCY || !judge_takes(span_s, (double)params->interval_ns / NS_PER_S))
		return;
	snprintf(judge.where, sizeof(judge.where), " from %.1f to %.1f s", interval->begin_s, interval->end_s);
	judge.intervals = intervals;
	judge_rates(&judge, test, params, interval->value, interval->rate);
	judge_end(&judge);
}

void qperf_judge_intervals(struct results *results, const struct test_row *test, bool asked,
			   struct judge_intervals *intervals)
{
	struct judge judge = judge_of(results, test);

	judge.intervals = intervals;
	judge_sum_up(&judge, asked && test->measure != MEASURE_LATENCY);
}
