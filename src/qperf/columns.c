// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* All columns of qperf's CSV, in SI units; a field that was not measured is empty. See columns.h. */
#include "qperf/columns.h"

#include <math.h>

#include "stats/clock.h"
#include "stats/latency.h"

const double qperf_percentiles[QPERF_NUM_PERCENTILES] = {50, 90, 99, 99.9};

static const char *row_kind(const void *of, const struct column *column)
{
	const struct qperf_row *row = of;

	(void)column;
	return row->kind;
}

static const char *figures_row_test(const void *of, const struct column *column)
{
	const struct qperf_row *row = of;

	(void)column;
	return row->test->name;
}

static double figures_row_size(const void *of, const struct column *column)
{
	const struct qperf_row *row = of;

	(void)column;
	return (double)row->params->local.number[PARAM_MSG_SIZE];
}

static double row_latency(const void *of, const struct column *column)
{
	const struct qperf_row *row = of;

	(void)column;
	return row->test->measure == MEASURE_LATENCY ? row->figures->latency_s : 0;
}

static double figures_row_rate(const void *of, const struct column *column)
{
	const struct qperf_row *row = of;

	(void)column;
	return row->figures->rate;
}

static double row_send_bandwidth(const void *of, const struct column *column)
{
	const struct qperf_row *row = of;

	(void)column;
	return row->figures->send_bandwidth;
}

static double row_receive_bandwidth(const void *of, const struct column *column)
{
	const struct qperf_row *row = of;

	(void)column;
	return row->figures->recv_bandwidth;
}

/* One side alone cannot know that the other one did nothing. */
static double count_value(const struct qperf_row *row, uint64_t count)
{
	return row->has_no_counts || (row->figures->one_sided && !count) ? NAN : (double)count;
}

static double row_sent(const void *of, const struct column *column)
{
	const struct qperf_row *row = of;
	const struct figures *figures = row->figures;

	(void)column;
	return count_value(row, figures->local.sent.msgs + figures->remote.sent.msgs);
}

static double row_received(const void *of, const struct column *column)
{
	const struct qperf_row *row = of;
	const struct figures *figures = row->figures;

	(void)column;
	return count_value(row, figures->local.received.msgs + figures->remote.received.msgs);
}

static double row_elapsed(const void *of, const struct column *column)
{
	const struct qperf_row *row = of;

	(void)column;
	return row->figures->local_account.elapsed_s;
}

static double row_open(const void *of, const struct column *column)
{
	const struct qperf_row *row = of;

	(void)column;
	return row->figures->open_s;
}

static double figures_row_percentile(const void *of, const struct column *column)
{
	const struct qperf_row *row = of;
	const struct latency *samples = row->figures->samples;
	const double percent = qperf_percentiles[column->index];

	if (row->test->measure != MEASURE_LATENCY || !samples || !histogram_supports(samples->histogram.count, percent))
		return NAN;
	return row->figures->sample_share * clock_cycles_to_seconds(latency_percentile(samples, percent));
}

#define FIGURE(name, kind, get)                                                                                        \
	{                                                                                                              \
		.key = (name), .quantity = (kind), .value = (get), .zero_unknown = true                                \
	}
#define PERCENTILE(name, n)                                                                                            \
	{                                                                                                              \
		.key = (name), .quantity = QUANTITY_SECONDS, .value = figures_row_percentile, .index = (n),            \
		.zero_unknown = true                                                                                   \
	}

static const struct column columns[] = {
	{.key = "kind", .quantity = QUANTITY_TEXT, .text = row_kind},
	{.key = "test", .quantity = QUANTITY_TEXT, .text = figures_row_test},
	{.key = "msg_size", .quantity = QUANTITY_BYTES, .value = figures_row_size},
	FIGURE("latency", QUANTITY_SECONDS, row_latency),
	FIGURE("message_rate", QUANTITY_RATE, figures_row_rate),
	FIGURE("send_bandwidth", QUANTITY_BANDWIDTH, row_send_bandwidth),
	FIGURE("receive_bandwidth", QUANTITY_BANDWIDTH, row_receive_bandwidth),
	{.key = "sent_messages", .quantity = QUANTITY_COUNT, .value = row_sent},
	{.key = "received_messages", .quantity = QUANTITY_COUNT, .value = row_received},
	FIGURE("elapsed", QUANTITY_SECONDS, row_elapsed),
	PERCENTILE("p50", 0),
	PERCENTILE("p90", 1),
	PERCENTILE("p99", 2),
	PERCENTILE("p99.9", 3),
	FIGURE("open_exchange", QUANTITY_SECONDS, row_open),
};

const struct table qperf_columns = {
	.columns = columns,
	.num_columns = sizeof(columns) / sizeof(columns[0]),
	.csv_digits = 9,
};
