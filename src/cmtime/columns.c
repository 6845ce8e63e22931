// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * All columns of cmtime. The text is the classic table, with optional columns appended, in whole microseconds; CSV and
 * JSON have the same values unrounded, and more. See columns.h.
 */
#include "cmtime/columns.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NS_PER_S 1e9
#define US_PER_S 1e6

#define HAS_QUEUEING 1U /* the table has the columns of --queueing */

static const double usual_percentiles[CMTIME_NUM_USUAL] = {50, 90, 99, 99.9};

/* --- of a step --- */

static const struct step_stats *step_of(const struct cmtime_result *row)
{
	return &row->stats->steps[row->index];
}

/* The distribution that column->index, an enum measure, selects. */
static const struct latency *row_latency(const void *of, const struct column *column, double *tick_seconds)
{
	*tick_seconds = 1 / NS_PER_S;
	return &step_of(of)->measures[column->index];
}

static const char *row_step(const void *of, const struct column *column)
{
	(void)column;
	return step_name((enum step)((const struct cmtime_result *)of)->index);
}

static double row_total(const void *of, const struct column *column)
{
	(void)column;
	return (double)step_of(of)->total_ns / NS_PER_S;
}

static double row_total_per_conn(const void *of, const struct column *column)
{
	const uint64_t planned = ((const struct cmtime_result *)of)->planned;

	return planned ? row_total(of, column) / (double)planned : 0;
}

/* Step by step, the sum of full connects would count the time spent waiting for each other: 0, as in classic cmtime. */
static double row_sum(const void *of, const struct column *column)
{
	const struct cmtime_result *row = of;

	(void)column;
	return row->index == STEP_FULL_CONNECT && !row->is_flow
		       ? 0
		       : (double)step_of(row)->measures[MEASURE_TIME].sum.value / NS_PER_S;
}

/*
 * Divides by the planned number, as in classic cmtime, or by the counted one if the result is partial, merged or
 * unplanned.
 */
static double row_sum_per_conn(const void *of, const struct column *column)
{
	const struct cmtime_result *row = of;
	const uint64_t divisor = !row->partial && !row->merged && row->planned
					 ? row->planned
					 : step_of(row)->measures[MEASURE_TIME].histogram.count;

	return divisor ? row_sum(of, column) / (double)divisor : 0;
}

#define OF_STATS(name) .member = MEMBER(struct conn_stats, name), .behind = MEMBER(struct cmtime_result, stats)
#define OF_ANY_ROW                                                                                                     \
	{.key = "test", .quantity = QUANTITY_TEXT, .member = MEMBER(struct cmtime_result, test)},                      \
		{.key = "part", .quantity = QUANTITY_TEXT, .member = MEMBER(struct cmtime_result, part)},              \
	{                                                                                                              \
		.key = "partial", .quantity = QUANTITY_FLAG, .member = MEMBER(struct cmtime_result, partial)           \
	}
/* In the text, in whole microseconds; 0 for a step that did not occur. */
#define TEXT(title, unit, space)                                                                                       \
	.quantity = QUANTITY_TIME, .head = (title), .label = (unit), .unknown = "0",                                   \
	.cells = {{.gap = (space), .width = 10, .right = true}}
#define TEXT_FIGURE(title, measure, which)                                                                             \
	TEXT(title, "(us)", " "), .latency = row_latency, .figure = FIGURE_##which, .index = (measure)
/* A value of a distribution, in CSV and JSON. */
#define FIGURE(title, measure, which)                                                                                  \
	.key = (title), .quantity = QUANTITY_TIME, .latency = row_latency, .figure = FIGURE_##which, .index = (measure)
#define DISTRIBUTION(name, measure)                                                                                    \
	{FIGURE(name "_min", measure, MIN)}, {FIGURE(name "_max", measure, MAX)},                                      \
		{FIGURE(name "_typical", measure, TYPICAL), .skip = COLUMN_SKIP_CSV},                                  \
		{FIGURE(name "_average", measure, MEAN)}, {FIGURE(name "_stdev", measure, STDEV)},                     \
	{                                                                                                              \
		FIGURE(name "_percentile", measure, PERCENTILE), .per_percentile = true                                \
	}

static const struct column step_columns[] = {
	OF_ANY_ROW,
	{
		.key = "step",
		.quantity = QUANTITY_TEXT,
		.head = "step         ", /* as wide as the names */
		.cells = {{.gap = "", .width = 13}},
		.text = row_step,
	},
	{.key = "connections", .quantity = QUANTITY_COUNT, OF_STATS(connections), .skip = COLUMN_SKIP_JSON},
	{TEXT("avg/conn", "", "  "), .value = row_total_per_conn},
	{.key = "total", TEXT("total", "(us)", " "), .value = row_total},
	{TEXT("us/conn", "", " "), .value = row_sum_per_conn},
	{TEXT("sum", "(us)", " "), .value = row_sum},
	{TEXT_FIGURE("max", MEASURE_TIME, MAX)},
	{TEXT_FIGURE("min", MEASURE_TIME, MIN)},
	/* One with too few samples is the maximum, as a note below the table says. */
	{TEXT_FIGURE("", MEASURE_TIME, PERCENTILE), .percent_gap = "p", .per_percentile = true},
	{TEXT_FIGURE("svc", MEASURE_SERVICE, MEAN), .all = HAS_QUEUEING},
	{TEXT_FIGURE("+queue", MEASURE_QUEUED, MEAN), .all = HAS_QUEUEING},
	/* Only in CSV and JSON from here on. */
	{.key = "count",
	 .quantity = QUANTITY_COUNT,
	 .latency = row_latency,
	 .figure = FIGURE_COUNT,
	 .index = MEASURE_TIME},
	DISTRIBUTION("latency", MEASURE_TIME),
	DISTRIBUTION("service", MEASURE_SERVICE),
	DISTRIBUTION("queued", MEASURE_QUEUED),
};

static const char *const histogram_keys[MEASURE_COUNT] = {
	[MEASURE_TIME] = "latency_histogram",
	[MEASURE_SERVICE] = "service_histogram",
	[MEASURE_QUEUED] = "queued_histogram",
};

int columns_add_histograms(json_t *object, const struct step_stats *stats)
{
	for (unsigned measure = 0; measure < MEASURE_COUNT; measure++)
		if (json_object_set_new(object, histogram_keys[measure],
					table_histogram_json(&stats->measures[measure], 1 / NS_PER_S)))
			return -ENOMEM;
	return 0;
}

/* --- of an interval --- */

static const struct rate *result_rate(const void *of)
{
	return &((const struct cmtime_result *)of)->stats->rate;
}

static double row_interval(const void *of, const struct column *column)
{
	(void)column;
	return (double)result_rate(of)->width_ns / NS_PER_S;
}

static double row_begin(const void *of, const struct column *column)
{
	return ((const struct cmtime_result *)of)->index * row_interval(of, column);
}

static double row_came_up(const void *of, const struct column *column)
{
	(void)column;
	return (double)result_rate(of)->counts[((const struct cmtime_result *)of)->index];
}

/* The last one was cut short. */
static double result_row_rate(const void *of, const struct column *column)
{
	const bool is_last = ((const struct cmtime_result *)of)->index + 1 == result_rate(of)->used;

	return is_last ? NAN : row_came_up(of, column) / row_interval(of, column);
}

static const struct column interval_columns[] = {
	OF_ANY_ROW,
	{.key = "interval_begin", .quantity = QUANTITY_SECONDS, .value = row_begin},
	{.key = "interval", .quantity = QUANTITY_SECONDS, .value = row_interval},
	{.key = "connections", .quantity = QUANTITY_COUNT, .value = row_came_up},
	{.key = "connections", .quantity = QUANTITY_RATE, .value = result_row_rate},
};

/* --- of the whole --- */

static double row_rate_average(const void *of, const struct column *column)
{
	const struct cmtime_result *row = of;

	(void)column;
	return conn_stats_rate_average(row->stats, row->listens);
}

static double row_rate_peak(const void *of, const struct column *column)
{
	const struct cmtime_result *row = of;

	(void)column;
	return conn_stats_rate_peak(row->stats, row->listens);
}

static const struct column summary_columns[] = {
	OF_ANY_ROW,
	{.key = "connections", .quantity = QUANTITY_COUNT, OF_STATS(connections)},
	{.key = "retries", .quantity = QUANTITY_COUNT, OF_STATS(retries)},
	{.key = "connections", .quantity = QUANTITY_RATE, .value = row_rate_average},
	{.key = "connections_peak", .quantity = QUANTITY_RATE, .value = row_rate_peak},
};

/* --- the tables --- */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const struct table columns_intervals = {.columns = interval_columns, .num_columns = COUNT(interval_columns)};
const struct table columns_summary = {.columns = summary_columns, .num_columns = COUNT(summary_columns)};

/* The default and the requested percentiles, ascending, without duplicates. */
static unsigned merge_percentiles(const struct cmtime_params *params, double percentiles[CMTIME_MOST_PERCENTILES])
{
	unsigned usual = 0, asked = 0, count = 0;
	double percent;

	while (usual < CMTIME_NUM_USUAL || asked < params->num_percentiles) {
		if (asked == params->num_percentiles ||
		    (usual < CMTIME_NUM_USUAL && usual_percentiles[usual] < params->percentiles[asked]))
			percent = usual_percentiles[usual++];
		else
			percent = params->percentiles[asked++];
		if (!count || percent > percentiles[count - 1])
			percentiles[count++] = percent;
	}
	return count;
}

void columns_steps(struct cmtime_table *steps, const struct cmtime_params *params, enum cmtime_format format)
{
	*steps = (struct cmtime_table){
		.table = {.columns = step_columns,
			  .num_columns = COUNT(step_columns),
			  .has = params->queueing ? HAS_QUEUEING : 0,
			  .percentiles = steps->percentiles,
			  .num_percentiles = CMTIME_NUM_USUAL,
			  .printed = {[QUANTITY_TIME] = {"us", "", US_PER_S}},
			  .csv_decimals = 3},
	};
	switch (format) {
	case CMTIME_TEXT:
		memcpy(steps->percentiles, params->percentiles, params->num_percentiles * sizeof(double));
		steps->table.num_percentiles = params->num_percentiles;
		break;
	case CMTIME_CSV:
		memcpy(steps->percentiles, usual_percentiles, sizeof(usual_percentiles));
		break;
	case CMTIME_JSON:
		steps->table.num_percentiles = merge_percentiles(params, steps->percentiles);
		break;
	}
}
