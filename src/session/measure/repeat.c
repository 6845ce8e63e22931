// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Repeated measurements of one size, and their common row. See measurement.h. */
#include "session/measure/measurement.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "session/print/print.h"

#define OF_SUM 2 /* behind those of enum report_side */

struct repeat {
	struct report_row rows[3]; /* of each enum report_side, and with -b of both */
	struct latency *samples;   /* of this measurement alone; NULL: bandwidth */
};

int repeats_open(struct repeats *repeats, const struct repeat_config *config, bool has_samples)
{
	const uint32_t most = series_most(&config->plan);
	int ret;

	*repeats = (struct repeats){.config = *config};
	ret = series_open(&repeats->series, &config->plan, has_samples);
	if (ret)
		return ret;
	repeats->list = calloc(most, sizeof(*repeats->list));
	for (unsigned side = REPORT_OWN; side <= REPORT_PEER; side++)
		repeats->sides[side] = calloc(most, sizeof(*repeats->sides[side]));
	if (has_samples)
		repeats->samples = calloc(1, sizeof(*repeats->samples));
	if (repeats->list && repeats->sides[REPORT_OWN] && repeats->sides[REPORT_PEER] &&
	    (!has_samples || repeats->samples))
		return 0;
	repeats_close(repeats);
	return -ENOMEM;
}

static void forget(struct repeats *repeats)
{
	for (unsigned i = 0; i < repeats->series.count; i++)
		free(repeats->list[i].samples);
}

void repeats_close(struct repeats *repeats)
{
	forget(repeats);
	series_close(&repeats->series);
	free(repeats->sides[REPORT_OWN]);
	free(repeats->sides[REPORT_PEER]);
	free(repeats->samples);
	free(repeats->list);
	*repeats = (struct repeats){0};
}

void repeats_begin(struct repeats *repeats)
{
	forget(repeats);
	series_begin(&repeats->series);
}

/* --- the figure of a measurement --- */

static double median_of(const struct repeat *repeat)
{
	return repeat->samples ? latency_median(repeat->samples) : NAN;
}

/* which: a side of a bidirectional test, or OF_SUM. NaN: none, as everything arrived at once. */
static double figure_of(const struct repeats *repeats, const struct repeat *repeat, unsigned which)
{
	if (repeats->samples)
		return median_of(repeat);
	if (which == OF_SUM && !repeats->config.both)
		which = repeats->config.own ? REPORT_OWN : REPORT_PEER;
	return repeat->rows[which].bw_average;
}

int repeats_add(struct repeats *repeats, const struct report_row *local, const struct report_row *remote,
		const struct report_row *total)
{
	struct series *series = &repeats->series;
	struct repeat *added = &repeats->list[series->count];

	*added = (struct repeat){.rows = {[REPORT_OWN] = *local, [REPORT_PEER] = *remote, [OF_SUM] = *total}};
	if (repeats->samples && local->latency) {
		added->samples = malloc(sizeof(*added->samples));
		if (!added->samples)
			return -ENOMEM;
		*added->samples = *local->latency;
		series->tick = local->latency->tick_seconds;
	}
	for (unsigned side = REPORT_OWN; side <= REPORT_PEER; side++)
		repeats->sides[side][series->count] = figure_of(repeats, added, side);
	series_add(series, repeats->config.measures ? figure_of(repeats, added, OF_SUM) : NAN);
	return 0;
}

/* --- the row of all --- */

/* The overlap of all is that of their times. */
static void add_overlap(struct report_row *sum, const struct report_row *row)
{
	const double time = sum->seconds + row->seconds;

	sum->overlap.known &= row->overlap.known && time > 0;
	if (!sum->overlap.known)
		return;
	sum->overlap.percent = (sum->overlap.percent * sum->seconds + row->overlap.percent * row->seconds) / time;
	sum->overlap.error_s += row->overlap.error_s;
}

static void repeats_add_row(struct report_row *sum, const struct report_row *row)
{
	add_overlap(sum, row);
	session_add_counts(sum, row);
	sum->seconds += row->seconds;
	sum->bw_peak = fmax(sum->bw_peak, row->bw_peak);
}

/* Of a figure at this offset of one side's rows: the mean of those that are known; NaN: none is. */
static double mean_of(const struct repeats *repeats, unsigned first, unsigned side, size_t offset)
{
	unsigned count = 0;
	double sum = 0;

	for (unsigned i = first; i < repeats->series.count; i++) {
		const double *figure = (const void *)((const char *)&repeats->list[i].rows[side] + offset);

		sum += isnan(*figure) ? 0 : *figure;
		count += !isnan(*figure);
	}
	return count ? sum / count : NAN;
}

/* Merges one side's rows: counts are added up, rates are averaged. */
static void repeats_merge(const struct repeats *repeats, unsigned first, unsigned side, struct report_row *row)
{
	*row = repeats->list[first].rows[side];
	for (unsigned i = first + 1; i < repeats->series.count; i++)
		repeats_add_row(row, &repeats->list[i].rows[side]);
	row->bw_average = mean_of(repeats, first, side, offsetof(struct report_row, bw_average));
	row->message_rate = mean_of(repeats, first, side, offsetof(struct report_row, message_rate));
	row->cpu_percent = mean_of(repeats, first, side, offsetof(struct report_row, cpu_percent));
	row->end_cycles = repeats->list[repeats->series.count - 1].rows[side].end_cycles;
}

static void merge_samples(struct repeats *repeats, unsigned first, struct report_row *row)
{
	if (!repeats->samples)
		return;
	latency_reset(repeats->samples);
	if (repeats->list[first].samples)
		repeats->samples->tick_seconds = repeats->list[first].samples->tick_seconds;
	for (unsigned i = first; i < repeats->series.count; i++)
		if (repeats->list[i].samples)
			latency_add(repeats->samples, repeats->list[i].samples);
	row->latency = repeats->samples;
}

void repeats_conclude(struct repeats *repeats, struct report_row *local, struct report_row *remote,
		      struct report_row *total)
{
	struct report_row *rows[] = {[REPORT_OWN] = local, [REPORT_PEER] = remote, [OF_SUM] = total};
	const struct series_result sum = series_conclude(&repeats->series);

	for (unsigned which = 0; which <= OF_SUM; which++) {
		repeats_merge(repeats, sum.left_out, which, rows[which]);
		rows[which]->repeats = sum;
		/* The rows of one direction have intervals of their own. */
		if (which == OF_SUM || !repeats->config.both)
			continue;
		rows[which]->repeats.each = repeats->sides[which];
		rows[which]->repeats.confidence =
			series_interval(&repeats->series, repeats->sides[which], sum.left_out);
	}
	merge_samples(repeats, sum.left_out, local);
}
