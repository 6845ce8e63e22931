// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The charts of `perftest report`: figures by message size, load, percentile and time; what has no such axis, as bars.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/figure.h"
#include "front/report/chart.h"
#include "front/report/distribution.h"
#include "front/report/report.h"
#include "stats/histogram.h"
#include "util/terminal.h"

#define WORDS_SIZE 128

enum { BY_SIZE, BY_LOAD, BY_TIME, NUM_AXES };

/* What is drawn together: figures of one unit. A section of the page. */
static const struct quantity {
	const char *unit, *noun;
	bool is_time;
} quantities[] = {{"Gb/s", "Bandwidth", false},
		  {"usec", "Latency", true},
		  {"M/s", "Message rate", false},
		  {"/s", "Connections", false}};

/* A document with the name by which its figures are called; "" where there is only one. */
struct named_rows {
	const char *name;
	const json_t *rows;
};

static struct named_rows subject_of(const json_t *documents, size_t i)
{
	const json_t *entry = json_array_get(documents, i), *document = json_object_get(entry, "document");
	const bool is_other = json_object_get(document, "matrix") || json_object_get(document, "comparison");

	return (struct named_rows){
		.name = json_array_size(documents) > 1 ? report_text(entry, "name") : "",
		.rows = is_other ? NULL : json_object_get(document, "measurements"),
	};
}

/* 0: the row has none. */
static double size_of(const json_t *row)
{
	const json_t *parameters = json_object_get(row, "local_parameters");
	const double sizes[] = {report_number(row, "size_bytes"), report_number(row, "msg_size_bytes"),
				report_number(parameters, "msg_size")};

	for (unsigned i = 0; i < 3; i++)
		if (sizes[i] > 0)
			return sizes[i];
	return 0;
}

/* A row of a whole test, or of one direction of it. */
static bool is_drawn(const json_t *row)
{
	const char *part = report_text(row, "part");

	return !part[0] || strcmp(part, "total") == 0 || strcmp(part, "local") == 0 || strcmp(part, "remote") == 0;
}

static bool is_interval(const json_t *row)
{
	return strcmp(report_text(row, "kind"), "interval") == 0;
}

/* What tells the figures of the row from others: "run: tcp_lat, local, 64 bytes, ". */
static void words_make(const struct named_rows *subject, const json_t *row, bool with_size, char words[WORDS_SIZE])
{
	const char *test = report_text(row, "test"), *step = report_text(row, "step"), *part = report_text(row, "part");
	const double size = with_size ? size_of(row) : 0;

	snprintf(words, WORDS_SIZE, "%.60s%s%.30s%s%.30s%s", subject->name, subject->name[0] ? ": " : "", test,
		 test[0] ? ", " : "", step, step[0] ? ", " : "");
	if (part[0] && strcmp(part, "total") != 0)
		text_add(words, WORDS_SIZE, "%s, ", part);
	if (size > 0)
		text_add(words, WORDS_SIZE, "%.0f bytes, ", size);
}

/* --- figures by size, load and time --- */

static int row_add(struct chart charts[NUM_AXES], const struct quantity *quantity, const struct named_rows *subject,
		   const json_t *row)
{
	const double rate = report_number(row, "sent_per_second");
	const unsigned axis = is_interval(row) ? BY_TIME : isfinite(rate) ? BY_LOAD : BY_SIZE;
	const double x = axis == BY_TIME   ? report_number(row, "interval_begin_seconds")
			 : axis == BY_LOAD ? rate * 1e-6
					   : size_of(row);
	char words[WORDS_SIZE], name[CHART_NAME_SIZE];

	words_make(subject, row, axis != BY_SIZE, words);
	for (uint8_t i = 0; i < figure_num_kinds; i++) {
		const struct figure_kind *kind = &figure_kinds[i];
		/* averages of times say little beside the median; of intervals one figure is enough */
		const bool is_spare = kind->is_spare && (kind->lower_is_best || axis == BY_TIME);

		if (strcmp(kind->unit, quantity->unit) != 0 || is_spare)
			continue;
		snprintf(name, sizeof(name), "%s%s", words, kind->name);
		if (chart_add(&charts[axis], name, x, figure_read(row, kind) * kind->to_shown))
			return -ENOMEM;
	}
	return 0;
}

/* A line needs two places on the axis; the x of the others. */
static bool is_single(const struct chart_series *series)
{
	for (size_t i = 1; i < series->num_points; i++)
		if (series->points[i].x != series->points[0].x)
			return false;
	return true;
}

static void bar_print(const struct chart_series *series, size_t point, unsigned axis, double most, struct sheet *sheet)
{
	const double x = series->points[point].x, y = series->points[point].y;
	char text[SHEET_NUMBER_SIZE];

	if (axis == BY_SIZE && x > 0)
		sheet_cell(sheet, "%s, %.0f bytes", series->name, x);
	else if (axis == BY_LOAD)
		sheet_cell(sheet, "%s, at %s M/s", series->name, sheet_number(x, text));
	else
		sheet_cell(sheet, "%s", series->name);
	sheet_cell(sheet, "%s", sheet_number(y, text));
	sheet_cell_begin(sheet, false);
	if (sheet->html)
		fprintf(sheet->out,
			"<svg viewBox=\"0 0 100 12\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect "
			"class=\"bar mark c0\" y=\"1\" width=\"%.1f\" height=\"10\"/></svg>",
			100 * (y / most));
	sheet_cell_end(sheet, false);
}

/* What is no line goes out of the charts and into a table with bars. */
static void bars_print(const struct quantity *quantity, struct chart charts[NUM_AXES], struct sheet *sheet)
{
	char value[64];
	const char *const headings[] = {"result", value, ""};
	double most = 0;

	snprintf(value, sizeof(value), "%s", quantity->unit);
	for (unsigned axis = 0; axis < BY_TIME; axis++)
		for (unsigned i = 0; i < charts[axis].num_series; i++)
			for (size_t j = 0; j < charts[axis].series[i].num_points && is_single(&charts[axis].series[i]);
			     j++)
				most = fmax(most, charts[axis].series[i].points[j].y);
	if (most <= 0)
		return;
	sheet_table_begin(sheet, quantity->noun, false, 1 | 4, headings, 3);
	for (unsigned axis = 0; axis < BY_TIME; axis++)
		for (unsigned i = 0; i < charts[axis].num_series;) {
			if (!is_single(&charts[axis].series[i])) {
				i++;
				continue;
			}
			for (size_t j = 0; j < charts[axis].series[i].num_points; j++)
				bar_print(&charts[axis].series[i], j, axis, most, sheet);
			chart_drop(&charts[axis], i);
		}
	sheet_table_end(sheet);
}

/* --- distributions --- */

/* Closer and closer to 100 %, as far as the samples go. */
static int histogram_add_to(struct chart *chart, const char *name, struct distribution *distribution)
{
	static const double left[] = {1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.25, 0.2, 0.15};
	int ret = chart_add(chart, name, 0, distribution->least);

	for (unsigned i = 1; !ret; i++) {
		const double percent = 100 - 100 * left[i % 11] * pow(10, -(double)(i / 11));

		if (i >= 99 || !histogram_supports(distribution->count, percent))
			break;
		ret = chart_add(chart, name, percent, distribution_percentile(distribution, percent));
	}
	return ret ? ret : chart_add(chart, name, 100, distribution->most);
}

/* qperf has the percentiles alone: {"min_usec": 1, "p99_usec": 2}. */
static int percentiles_add_to(struct chart *chart, const char *name, const json_t *percentiles)
{
	const char *key;
	json_t *value;
	int ret = 0;

	json_object_foreach((json_t *)percentiles, key, value)
	{
		char *unit = NULL;
		double percent = key[0] == 'p' ? strtod(key + 1, &unit) : NAN;

		if (strcmp(key, "min_usec") == 0 || strcmp(key, "max_usec") == 0)
			percent = key[1] == 'i' ? 0 : 100;
		else if (!unit || strcmp(unit, "_usec") != 0)
			continue;
		if (!ret && json_is_number(value) && percent <= 100)
			ret = chart_add(chart, name, percent, json_number_value(value));
	}
	return ret;
}

static int distributions_add(struct chart *chart, const struct named_rows *subject, unsigned kind)
{
	char words[WORDS_SIZE], name[CHART_NAME_SIZE];
	struct distribution distribution;
	double rate;
	json_t *row;
	size_t i;
	int ret = 0;

	json_array_foreach((json_t *)subject->rows, i, row)
	{
		if (ret || is_interval(row) || !is_drawn(row))
			continue;
		words_make(subject, row, true, words);
		rate = report_number(row, "sent_per_second");
		snprintf(name, sizeof(name), isfinite(rate) ? "%s%.4g M/s" : "%slatency", words, rate * 1e-6);
		if (distribution_find(row, distribution_kinds[kind], &distribution))
			ret = histogram_add_to(chart, name, &distribution);
		else if (kind == 0)
			ret = percentiles_add_to(chart, name, json_object_get(row, "latency_distribution"));
	}
	return ret;
}

/* A chart for each document with several, and a common one of all others. */
static int distributions_print(const json_t *documents, unsigned kind, struct sheet *sheet)
{
	static const char *const titles[DISTRIBUTION_NUM_KINDS] = {
		"Distribution of latency", "Distribution of latency, from when a request was due",
		"Distribution of latency, from when a request was posted"};
	const struct chart empty = {
		.title = titles[kind], .x = {"percentile", CHART_PERCENTILES}, .y = {"Latency [usec]", CHART_LOG}};
	struct chart common = empty;
	int ret = 0;

	for (size_t i = 0; i < json_array_size(documents) && !ret; i++) {
		const struct named_rows subject = subject_of(documents, i);
		struct chart chart = empty;
		char title[WORDS_SIZE];

		snprintf(title, sizeof(title), "%s%s%.60s", empty.title, subject.name[0] ? ": " : "", subject.name);
		chart.title = title;
		ret = distributions_add(&chart, &subject, kind);
		if (!ret && chart.num_series == 1)
			ret = distributions_add(&common, &subject, kind);
		else if (!ret)
			ret = chart_print(&chart, sheet);
		chart_close(&chart);
	}
	if (!ret)
		ret = chart_print(&common, sheet);
	chart_close(&common);
	return ret;
}

/* --- sections --- */

/* A time is read by its magnitude, unless it hardly varies. */
static enum chart_scale scale_of(const struct quantity *quantity, const struct chart *chart)
{
	double least = INFINITY, most = 0;

	for (unsigned i = 0; i < chart->num_series; i++)
		for (size_t j = 0; j < chart->series[i].num_points; j++) {
			least = fmin(least, chart->series[i].points[j].y);
			most = fmax(most, chart->series[i].points[j].y);
		}
	return quantity->is_time && most > 5 * least ? CHART_LOG : CHART_LINEAR;
}

static int charts_fill(struct chart charts[NUM_AXES], const struct quantity *quantity, const json_t *documents)
{
	int ret = 0;

	for (size_t i = 0; i < json_array_size(documents); i++) {
		const struct named_rows subject = subject_of(documents, i);
		json_t *row;
		size_t j;

		json_array_foreach((json_t *)subject.rows, j, row)
		{
			if (!ret && is_drawn(row))
				ret = row_add(charts, quantity, &subject, row);
		}
	}
	return ret;
}

static int quantity_print(const struct quantity *quantity, const json_t *documents, struct sheet *sheet)
{
	static const char *const by[] = {"by message size", "by load", "over time"};
	struct chart charts[NUM_AXES] = {
		[BY_SIZE] = {.x = {"message size [bytes]", CHART_SIZES}},
		[BY_LOAD] = {.x = {"requests sent [M/s]", CHART_LINEAR}},
		[BY_TIME] = {.x = {"start of the interval [s]", CHART_LINEAR}},
	};
	char titles[NUM_AXES][48], label[48];
	int ret = charts_fill(charts, quantity, documents);

	snprintf(label, sizeof(label), "%s [%s]", quantity->noun, quantity->unit);
	if (!ret && charts[BY_SIZE].num_series + charts[BY_LOAD].num_series + charts[BY_TIME].num_series)
		sheet_heading(sheet, "%s", quantity->noun);
	if (!ret)
		bars_print(quantity, charts, sheet);
	for (unsigned axis = 0; axis < NUM_AXES && !ret; axis++) {
		snprintf(titles[axis], sizeof(titles[axis]), "%s %s", quantity->noun, by[axis]);
		charts[axis].title = titles[axis];
		charts[axis].y = (struct chart_axis){label, scale_of(quantity, &charts[axis])};
		ret = chart_print(&charts[axis], sheet);
	}
	for (unsigned kind = 0; kind < DISTRIBUTION_NUM_KINDS && quantity->is_time && !ret; kind++)
		ret = distributions_print(documents, kind, sheet);
	for (unsigned axis = 0; axis < NUM_AXES; axis++)
		chart_close(&charts[axis]);
	return ret;
}

int plots_print(const json_t *documents, struct sheet *sheet)
{
	int ret = 0;

	for (size_t i = 0; i < sizeof(quantities) / sizeof(quantities[0]) && !ret; i++)
		ret = quantity_print(&quantities[i], documents, sheet);
	return ret;
}
