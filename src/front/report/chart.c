// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See chart.h. */
#include "front/report/chart.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH	   640
#define HEIGHT	   330
#define LEFT	   96
#define RIGHT	   26
#define TOP	   38
#define BOTTOM	   60
#define MOST_DRAWN 8	/* lines: as many colours can be told apart */
#define MOST_MARKS 48	/* of a line that has some */
#define MOST_LINE  1200 /* points of a line: more than it has pixels */
#define MOST_ROWS  500	/* of the table; the documents have all */
#define MOST_TICKS 16
#define LEAST	   1e-9 /* on a logarithmic axis, and the most; what is beyond is drawn at its end */
#define MOST	   1e15

/* An axis as it is drawn. */
struct range {
	enum chart_scale scale;
	double low, high;	  /* its ends, as positions */
	double ticks[MOST_TICKS]; /* values */
	unsigned num_ticks;
};

/* --- the figures --- */

static struct chart_series *find_series(struct chart *chart, const char *name)
{
	char cut[CHART_NAME_SIZE];
	struct chart_series *grown;

	snprintf(cut, sizeof(cut), "%s", name);
	for (unsigned i = chart->num_series; i-- > 0;)
		if (strcmp(chart->series[i].name, cut) == 0)
			return &chart->series[i];
	if (chart->num_series == CHART_MOST_SERIES) {
		chart->left_out++;
		return NULL;
	}
	grown = realloc(chart->series, (chart->num_series + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	chart->series = grown;
	grown += chart->num_series++;
	*grown = (struct chart_series){.points = NULL};
	memcpy(grown->name, cut, sizeof(cut));
	return grown;
}

int chart_add(struct chart *chart, const char *name, double x, double y)
{
	const size_t left_out = chart->left_out;
	struct chart_series *series;

	if (!isfinite(x) || !isfinite(y) || x < 0 || y < 0)
		return 0;
	series = find_series(chart, name);
	if (!series)
		return chart->left_out > left_out ? 0 : -ENOMEM;
	if (series->num_points == series->room) {
		const size_t room = series->room ? 2 * series->room : 16;
		struct chart_point *grown = realloc(series->points, room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		series->points = grown;
		series->room = room;
	}
	series->points[series->num_points++] = (struct chart_point){x, y};
	return 0;
}

void chart_drop(struct chart *chart, unsigned index)
{
	free(chart->series[index].points);
	chart->num_series--;
	memmove(&chart->series[index], &chart->series[index + 1],
		(chart->num_series - index) * sizeof(chart->series[0]));
}

void chart_close(struct chart *chart)
{
	while (chart->num_series)
		chart_drop(chart, chart->num_series - 1);
	free(chart->series);
	chart->series = NULL;
}

static int compare_points(const void *a, const void *b)
{
	const double x = ((const struct chart_point *)a)->x, other = ((const struct chart_point *)b)->x;

	return (x > other) - (x < other);
}

/* --- axes --- */

/* Where a value is, in units of the range. */
static double position_of(enum chart_scale scale, double value)
{
	if (scale == CHART_LINEAR)
		return value;
	if (scale == CHART_PERCENTILES)
		return value < 100 ? -log10(1 - value / 100) : INFINITY;
	return log10(fmin(fmax(value, LEAST), MOST));
}

static double pixel_of(const struct range *range, double value, double from, double to)
{
	const double at = fmin(fmax(position_of(range->scale, value), range->low), range->high);

	return from + (to - from) * (at - range->low) / (range->high - range->low);
}

static void add_tick(struct range *range, double value)
{
	if (range->num_ticks < MOST_TICKS)
		range->ticks[range->num_ticks++] = value;
}

/* Steps of 1, 2 or 5 times a power of ten. */
static void find_linear_ticks(struct range *range, double most)
{
	const double rough = (most > 0 && most < MOST ? most : 1) / 5, power = pow(10, floor(log10(rough)));
	const double step = power * (rough / power <= 1 ? 1 : rough / power <= 2 ? 2 : rough / power <= 5 ? 5 : 10);

	for (unsigned i = 0; i == 0 || range->ticks[i - 1] < most; i++) {
		if (range->num_ticks == MOST_TICKS)
			break;
		add_tick(range, i * step);
	}
	range->low = 0;
	range->high = range->ticks[range->num_ticks - 1];
}

/* The powers of a base, from the one below to the one above; of ten, with 2 and 5 in between where there is room. */
static void find_log_ticks(struct range *range, double least, double most, double base)
{
	const double per_step = log(base) / log(10);
	const int first = (int)floor(position_of(CHART_LOG, least) / per_step + 1e-9);
	int last = (int)ceil(position_of(CHART_LOG, most) / per_step - 1e-9);
	int step;

	if (last <= first)
		last = first + 1;
	step = (last - first + 6) / 7;
	last += (step - (last - first) % step) % step;
	for (int i = first; i <= last; i += step) {
		add_tick(range, pow(base, i));
		if (base == 10 && last - first <= 3 && i < last) {
			add_tick(range, 2 * pow(base, i));
			add_tick(range, 5 * pow(base, i));
		}
	}
	/* 1, 2, 5 beyond the outermost figures are not needed */
	while (range->num_ticks > 2 && range->ticks[range->num_ticks - 2] >= most)
		range->num_ticks--;
	while (range->num_ticks > 2 && range->ticks[1] <= least) {
		range->num_ticks--;
		memmove(range->ticks, range->ticks + 1, range->num_ticks * sizeof(range->ticks[0]));
	}
	range->low = position_of(CHART_LOG, range->ticks[0]);
	range->high = position_of(CHART_LOG, range->ticks[range->num_ticks - 1]);
}

/* 0, 50, 90, 99, 99.9 and so on; the end is one step beyond, for 100. */
static void find_percentile_ticks(struct range *range, double most)
{
	const int nines = (int)fmin(fmax(ceil(position_of(CHART_PERCENTILES, most) - 1e-9), 1), 9);

	range->low = 0;
	range->high = nines + 1;
	add_tick(range, 0);
	if (nines < 5)
		add_tick(range, 50);
	for (int i = 1; i <= nines; i++)
		add_tick(range, 100 - pow(10, 2 - i));
	add_tick(range, 100);
}

/* Of all points, x or y; a percentile of 100 is no end. */
static struct range range_find(const struct chart *chart, const struct chart_axis *axis)
{
	struct range range = {.scale = axis->scale};
	double least = INFINITY, most = 0;

	for (unsigned i = 0; i < chart->num_series; i++)
		for (size_t j = 0; j < chart->series[i].num_points; j++) {
			const struct chart_point *point = &chart->series[i].points[j];
			const double value = axis == &chart->x ? point->x : point->y;

			if (axis->scale == CHART_PERCENTILES && value >= 100)
				continue;
			least = value > 0 ? fmin(least, value) : least;
			most = fmax(most, value);
		}
	least = fmin(least, most);
	if (axis->scale == CHART_LINEAR)
		find_linear_ticks(&range, most);
	else if (axis->scale == CHART_PERCENTILES)
		find_percentile_ticks(&range, most);
	else
		find_log_ticks(&range, least, most, axis->scale == CHART_SIZES ? 2 : 10);
	return range;
}

static const char *tick_text(enum chart_scale scale, double value, char text[SHEET_NUMBER_SIZE])
{
	static const char suffixes[] = " KMGT";
	unsigned i = 0;

	if (scale != CHART_SIZES && scale != CHART_PERCENTILES && value < 1e7)
		return sheet_number(value, text);
	for (; scale == CHART_SIZES && value >= 1024 && i < 4; i++)
		value /= 1024;
	snprintf(text, SHEET_NUMBER_SIZE,
		 scale == CHART_PERCENTILES ? "%.10g %%"
		 : i			    ? "%.0f%c"
					    : "%.10g",
		 value, suffixes[i]);
	return text;
}

/* --- SVG --- */

static double x_of(const struct range *x, double value)
{
	return pixel_of(x, value, LEFT, WIDTH - RIGHT);
}

static double y_of(const struct range *y, double value)
{
	return pixel_of(y, value, HEIGHT - BOTTOM, TOP);
}

static void print_axes(const struct chart *chart, const struct range *x, const struct range *y, struct sheet *sheet)
{
	char text[SHEET_NUMBER_SIZE];

	for (unsigned i = 0; i < y->num_ticks; i++)
		fprintf(sheet->out,
			"<path class=\"grid\" d=\"M%d %.1fH%d\"/><text class=\"end dim%s\" x=\"%d\" "
			"y=\"%.1f\">%s</text>\n",
			LEFT, y_of(y, y->ticks[i]), WIDTH - RIGHT, i % 2 && y->num_ticks > 6 ? " odd" : "", LEFT - 8,
			y_of(y, y->ticks[i]) + 4, tick_text(y->scale, y->ticks[i], text));
	for (unsigned i = 0; i < x->num_ticks; i++)
		fprintf(sheet->out,
			"<path class=\"grid\" d=\"M%.1f %dV%d\"/><text class=\"middle dim%s\" x=\"%.1f\" "
			"y=\"%d\">%s</text>\n",
			x_of(x, x->ticks[i]), TOP, HEIGHT - BOTTOM, i % 2 ? " odd" : "", x_of(x, x->ticks[i]),
			HEIGHT - BOTTOM + 24, tick_text(x->scale, x->ticks[i], text));
	fputs("<text x=\"4\" y=\"18\">", sheet->out);
	sheet_text(sheet, "%s", chart->y.label);
	fprintf(sheet->out, "</text><text class=\"end\" x=\"%d\" y=\"%d\">", WIDTH - RIGHT + 18, HEIGHT - 10);
	sheet_text(sheet, "%s", chart->x.label);
	fputs("</text>\n", sheet->out);
}

/* Of a line with more points than can be seen the lowest and the highest of each group, in their order. */
static void print_line(const struct chart_series *series, const struct range *x, const struct range *y, FILE *out)
{
	const size_t group = series->num_points <= MOST_LINE ? 1 : (2 * series->num_points + MOST_LINE - 1) / MOST_LINE;

	for (size_t i = 0; i < series->num_points; i += group) {
		size_t ends[2] = {i, i}, end = i + group < series->num_points ? i + group : series->num_points;

		for (size_t j = i; j < end; j++) {
			ends[0] = series->points[j].y < series->points[ends[0]].y ? j : ends[0];
			ends[1] = series->points[j].y > series->points[ends[1]].y ? j : ends[1];
		}
		for (unsigned k = 0; k < (group > 1 ? 2 : 1); k++) {
			const struct chart_point *point = &series->points[ends[(ends[0] > ends[1]) ^ k]];

			fprintf(out, "%s%.1f %.1f", i || k ? " " : "", x_of(x, point->x), y_of(y, point->y));
		}
	}
}

static void print_series(const struct chart *chart, unsigned index, unsigned look, const struct range *x,
			 const struct range *y, struct sheet *sheet)
{
	const struct chart_series *series = &chart->series[index];
	char of_x[SHEET_NUMBER_SIZE], of_y[SHEET_NUMBER_SIZE];

	fprintf(sheet->out, "<g class=\"c%u\"><polyline class=\"line l%u\" points=\"", look, look);
	print_line(series, x, y, sheet->out);
	fputs("\"/>\n", sheet->out);
	for (size_t i = 0; i < series->num_points && series->num_points <= MOST_MARKS; i++) {
		fprintf(sheet->out, "<use class=\"mark\" href=\"#m%u\" x=\"%.1f\" y=\"%.1f\"><title>", look,
			x_of(x, series->points[i].x), y_of(y, series->points[i].y));
		sheet_text(sheet, "%s: %s at %s", series->name, sheet_number(series->points[i].y, of_y),
			   tick_text(x->scale, series->points[i].x, of_x));
		fputs("</title></use>\n", sheet->out);
	}
	fputs("</g>\n", sheet->out);
}

/* Which of the series is the n-th that is drawn: the first, the last, and some in between. */
static unsigned drawn(const struct chart *chart, unsigned n)
{
	return chart->num_series <= MOST_DRAWN ? n : n * (chart->num_series - 1) / (MOST_DRAWN - 1);
}

static void print_legend(const struct chart *chart, unsigned num_drawn, struct sheet *sheet)
{
	fputs("<ul class=\"legend\">\n", sheet->out);
	for (unsigned i = 0; i < num_drawn; i++) {
		fprintf(sheet->out,
			"<li><svg class=\"c%u\" viewBox=\"0 0 34 12\" aria-hidden=\"true\"><path class=\"line l%u\" "
			"d=\"M0 6H34\"/><use class=\"mark\" href=\"#m%u\" x=\"17\" y=\"6\"/></svg>",
			i, i, i);
		sheet_text(sheet, "%s", chart->series[drawn(chart, i)].name);
		fputs("</li>\n", sheet->out);
	}
	fputs("</ul>\n", sheet->out);
}

static void print_picture(const struct chart *chart, struct sheet *sheet)
{
	const unsigned num_drawn = chart->num_series < MOST_DRAWN ? chart->num_series : MOST_DRAWN;
	const struct range x = range_find(chart, &chart->x), y = range_find(chart, &chart->y);

	fputs("<figure>\n<figcaption>", sheet->out);
	sheet_text(sheet, "%s", chart->title);
	fputs("</figcaption>\n", sheet->out);
	print_legend(chart, num_drawn, sheet);
	fprintf(sheet->out,
		"<svg class=\"chart\" viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"t%u\"><title id=\"t%u\">",
		WIDTH, HEIGHT, sheet->charts, sheet->charts);
	sheet_text(sheet, "%s: %s by %s, %u lines; the table below has the figures", chart->title, chart->y.label,
		   chart->x.label, num_drawn);
	fputs("</title>\n", sheet->out);
	print_axes(chart, &x, &y, sheet);
	for (unsigned i = 0; i < num_drawn; i++)
		print_series(chart, drawn(chart, i), i, &x, &y, sheet);
	fputs("</svg>\n", sheet->out);
	if (num_drawn < chart->num_series)
		sheet_paragraph(sheet, "%u of %u lines are drawn; the table has all.", num_drawn, chart->num_series);
	sheet->charts++;
}

/* --- the table --- */

/* A row for each x, with the figure of each series that has one; a second one where a series has two. */
static void print_rows(const struct chart *chart, size_t *cursors, struct sheet *sheet)
{
	char text[SHEET_NUMBER_SIZE];
	size_t left = 0;

	for (unsigned row = 0;; row++) {
		double x = INFINITY;

		for (unsigned i = 0; i < chart->num_series; i++)
			if (cursors[i] < chart->series[i].num_points)
				x = fmin(x, chart->series[i].points[cursors[i]].x);
		if (!isfinite(x) || row == MOST_ROWS)
			break;
		sheet_cell(sheet, chart->x.scale == CHART_SIZES ? "%.0f" : "%.8g", x);
		for (unsigned i = 0; i < chart->num_series; i++) {
			const struct chart_series *series = &chart->series[i];
			const bool has = cursors[i] < series->num_points && series->points[cursors[i]].x == x;

			sheet_cell(sheet, "%s", has ? sheet_number(series->points[cursors[i]++].y, text) : "");
		}
	}
	sheet_table_end(sheet);
	for (unsigned i = 0; i < chart->num_series; i++)
		left += chart->series[i].num_points - cursors[i];
	if (left)
		sheet_paragraph(sheet, "The table has %d rows; %zu more figures are in the documents.", MOST_ROWS,
				left);
}

static int print_table(const struct chart *chart, struct sheet *sheet)
{
	const char *headings[SHEET_MOST_COLUMNS] = {chart->x.label};
	size_t *cursors = calloc(chart->num_series, sizeof(*cursors));
	char caption[CHART_NAME_SIZE];

	if (!cursors)
		return -ENOMEM;
	for (unsigned i = 0; i < chart->num_series; i++)
		headings[1 + i] = chart->series[i].name;
	snprintf(caption, sizeof(caption), "%s as a table: %s", chart->title, chart->y.label);
	if (!sheet->html)
		sheet_paragraph(sheet, "%s: %s", chart->title, chart->y.label);
	sheet_table_begin(sheet, caption, true, 0 /* no words */, headings, 1 + chart->num_series);
	print_rows(chart, cursors, sheet);
	free(cursors);
	return 0;
}

int chart_print(struct chart *chart, struct sheet *sheet)
{
	int ret;

	while (chart->num_series > SHEET_MOST_COLUMNS - 1) {
		chart->left_out += chart->series[chart->num_series - 1].num_points;
		chart_drop(chart, chart->num_series - 1);
	}
	if (!chart->num_series)
		return 0;
	for (unsigned i = 0; i < chart->num_series; i++)
		qsort(chart->series[i].points, chart->series[i].num_points, sizeof(chart->series[i].points[0]),
		      compare_points);
	if (sheet->html)
		print_picture(chart, sheet);
	ret = print_table(chart, sheet);
	if (chart->left_out)
		sheet_notice(sheet, "%zu more figures have no room here: report fewer documents at once.",
			     chart->left_out);
	if (sheet->html)
		fputs("</figure>\n", sheet->out);
	return ret;
}
