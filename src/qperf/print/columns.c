// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* All columns of qperf's CSV, in SI units; a field that was not measured is empty. See columns.h. */
#include "qperf/print/columns.h"

#include <math.h>

static double row_latency(const void *of, const struct column *column)
{
	const struct qperf_row *row = of;

	(void)column;
	return row->test->measure == MEASURE_LATENCY ? row->figures->latency_s : 0;
}

/* One side alone cannot know that the other one did nothing. */
static double count_value(const struct qperf_row *row, uint64_t count)
{
	return row->has_no_counts || (row->figures->one_sided && !count) ? NAN : (double)count;
}

static double row_messages(const void *of, const struct column *column)
{
	const struct qperf_row *row = of;
	const struct node *l = &row->figures->local, *r = &row->figures->remote;

	return count_value(row, column->index ? l->received.msgs + r->received.msgs : l->sent.msgs + r->sent.msgs);
}

static double figures_row_percentile(const void *of, const struct column *column)
{
	const struct qperf_row *row = of;

	return row->test->measure == MEASURE_LATENCY
		       ? figures_percentile_s(row->figures, figures_percentiles[column->index])
		       : NAN;
}

/* The low end, and then the high one, of each kind of result. */
static double row_ci95(const void *of, const struct column *column)
{
	const struct qperf_row *row = of;
	const enum measure measure = row->test->measure == MEASURE_BANDWIDTHS ? MEASURE_BANDWIDTH : row->test->measure;

	if (!row->runs || measure != (enum measure)(column->index / 2))
		return NAN;
	return column->index % 2 ? row->runs->confidence.high : row->runs->confidence.low;
}

static const char *row_reached(const void *of, const struct column *column)
{
	const struct qperf_row *row = of;

	(void)column;
	if (!row->runs || !(row->params->repeat.until_percent > 0))
		return "";
	return row->runs->reached ? "true" : "false";
}

#define OF_RUNS(name)	 .member = MEMBER(struct series_result, name), .behind = MEMBER(struct qperf_row, runs)
#define OF_FIGURES(name) .member = MEMBER(struct figures, name), .behind = MEMBER(struct qperf_row, figures)
#define FIGURE(name, kind, of)                                                                                         \
	{                                                                                                              \
		.key = (name), .quantity = (kind), OF_FIGURES(of), .zero_unknown = true                                \
	}
#define PERCENTILE(name, n)                                                                                            \
	{                                                                                                              \
		.key = (name), .quantity = QUANTITY_SECONDS, .value = figures_row_percentile, .index = (n),            \
		.zero_unknown = true                                                                                   \
	}

#define CI95(name, kind, of)                                                                                           \
	{.key = name "_ci95_low", .quantity = (kind), .value = row_ci95, .index = 2 * (of)},                           \
	{                                                                                                              \
		.key = name "_ci95_high", .quantity = (kind), .value = row_ci95, .index = 2 * (of) + 1                 \
	}

static const struct column columns[] = {
	{.key = "kind", .quantity = QUANTITY_TEXT, .member = MEMBER(struct qperf_row, kind)},
	{.key = "test",
	 .quantity = QUANTITY_TEXT,
	 .member = MEMBER(struct test_row, name),
	 .behind = MEMBER(struct qperf_row, test)},
	{.key = "msg_size",
	 .quantity = QUANTITY_BYTES,
	 .member = MEMBER(struct qperf_params, local.number[PARAM_MSG_SIZE]),
	 .behind = MEMBER(struct qperf_row, params)},
	{.key = "latency", .quantity = QUANTITY_SECONDS, .value = row_latency, .zero_unknown = true},
	FIGURE("message_rate", QUANTITY_RATE, rate),
	FIGURE("send_bandwidth", QUANTITY_BANDWIDTH, send_bandwidth),
	FIGURE("receive_bandwidth", QUANTITY_BANDWIDTH, recv_bandwidth),
	{.key = "sent_messages", .quantity = QUANTITY_COUNT, .value = row_messages, .index = 0},
	{.key = "received_messages", .quantity = QUANTITY_COUNT, .value = row_messages, .index = 1},
	FIGURE("elapsed", QUANTITY_SECONDS, local_account.elapsed_s),
	PERCENTILE("p50", 0),
	PERCENTILE("p90", 1),
	PERCENTILE("p99", 2),
	PERCENTILE("p99.9", 3),
	FIGURE("open_exchange", QUANTITY_SECONDS, open_s),
	/* --repeat, --until */
	{.key = "repeats", .quantity = QUANTITY_COUNT, OF_RUNS(count)},
	{.key = "repeats_left_out", .quantity = QUANTITY_COUNT, OF_RUNS(left_out)},
	CI95("latency_average", QUANTITY_TIME, MEASURE_LATENCY),
	CI95("message_rate", QUANTITY_RATE, MEASURE_RATE),
	CI95("bandwidth_average", QUANTITY_BANDWIDTH, MEASURE_BANDWIDTH),
	{.key = "until_reached", .quantity = QUANTITY_TEXT, .text = row_reached},
	{.key = "time", .quantity = QUANTITY_TEXT, .member = MEMBER(struct qperf_row, time), .all = QPERF_HAS_TIME},
};

const struct table qperf_columns = {
	.columns = columns,
	.num_columns = sizeof(columns) / sizeof(columns[0]),
	.csv_digits = 9,
};
