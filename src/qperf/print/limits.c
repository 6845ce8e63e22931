// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which limits does a result miss? See report.h. */
#include "qperf/print/report.h"

#include <stdio.h>

#include "qperf/options/options.h"
#include "report/payload_share.h"

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

const char *qperf_share_option(const struct test_row *test, const struct qperf_params *params,
			       char text[LIMIT_TITLE_SIZE])
{
	if (test->measure == MEASURE_LATENCY)
		return NULL;
	if (test->measure != MEASURE_RATE && params->limits.bw > 0 && params->limits.bw_unit)
		return judge_title(&qperf_options, "limit_bw", params, text);
	return params->limits.msgrate > 0 && params->limits.msgrate_unit
		       ? judge_title(&qperf_options, "limit_msgrate", params, text)
		       : NULL;
}

/* The limits are per second, of bytes or bits. one_way: the bandwidth is of one of the path's two directions. */
static void judge_rates(struct judge *judge, const struct test_row *test, const struct qperf_params *params,
			const struct payload_path *path, bool one_way, double bandwidth, double rate)
{
	const uint64_t size = test_bytes(test, &params->local);
	char option[LIMIT_TITLE_SIZE], rate_option[LIMIT_TITLE_SIZE];
	struct limited rows[] = {
		{.what = "the bandwidth is below the limit",
		 .option = judge_title(&qperf_options, "limit_bw", params, option),
		 .value = bandwidth,
		 .limit = params->limits.bw / (params->style.bits ? BITS : 1)},
		{.what = "the message rate is below the limit",
		 .option = judge_title(&qperf_options, "limit_msgrate", params, rate_option),
		 .value = rate,
		 .limit = params->limits.msgrate},
	};

	if (params->limits.bw_unit)
		rows[0].limit =
			payload_share_of(path, size, params->limits.bw, params->limits.bw_unit) / (one_way ? 2 : 1);
	if (params->limits.msgrate_unit)
		rows[1].limit = payload_share_of(path, size, params->limits.msgrate, params->limits.msgrate_unit) /
				(double)size;
	if (test->measure == MEASURE_RATE)
		rows[0].limit = 0;

	for (unsigned i = 0; i < 2; i++) {
		const enum text_kind kind = i ? TEXT_RATE : TEXT_BANDWIDTH;

		write_value(kind, rows[i].value, &params->style, rows[i].figure);
		write_value(kind, rows[i].limit, &params->style, rows[i].bound);
		judge_value(judge, &rows[i]);
	}
}

void qperf_judge(struct results *results, const struct test_row *test, const struct qperf_params *params,
		 const struct figures *figures, const struct payload_path *path)
{
	struct judge judge = judge_of(results, test);
	const struct limited_samples samples = {
		.latency = figures->samples,
		.max = "max",
		.of = "",
		.advice = "raise -n or -t",
		.is_count_unnamed = true,
	};

	if (test->measure == MEASURE_LATENCY)
		judge_latency(&judge, &params->limits.latency, &samples);
	else
		judge_rates(&judge, test, params, path, false /* one way */, text_primary_value(test, figures),
			    figures->rate);
}

void qperf_judge_interval(struct results *results, const struct test_row *test, const struct qperf_params *params,
			  const struct qperf_interval *interval, const struct payload_path *path,
			  struct judge_intervals *intervals)
{
	const double span_s = interval->end_s - interval->begin_s;
	struct judge judge = judge_of(results, test);

	if (test->measure == MEASURE_LATENCY || !judge_takes(span_s, (double)params->interval_ns / NS_PER_S))
		return;
	snprintf(judge.where, sizeof(judge.where), " from %.1f to %.1f s", interval->begin_s, interval->end_s);
	judge.intervals = intervals;
	/* Of UC and UD in both directions it has the bandwidth of one, and the messages of both. */
	judge_rates(&judge, test, params, path, path->sums && test->measure == MEASURE_BANDWIDTHS, interval->value,
		    interval->rate);
	judge_end(&judge);
}

void qperf_judge_intervals(struct results *results, const struct test_row *test, bool asked,
			   struct judge_intervals *intervals)
{
	struct judge judge = judge_of(results, test);

	judge.intervals = intervals;
	judge_sum_up(&judge, asked && test->measure != MEASURE_LATENCY);
}
