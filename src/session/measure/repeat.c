// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Repeated measurements of one size, and their common row. See repeat.h. */
#include "session/measure/repeat.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "session/print/print.h"

#define MEDIAN 50.0 /* percent */

#define OF_SUM 2 /* behind those of enum report_side */

struct repeat {
	struct report_row rows[3]; /* of each enum report_side, and with -b of both */
	struct latency *samples;   /* of this measurement alone; NULL: bandwidth */
};

static unsigned repeats_room(const struct repeats *repeats)
{
	return repeats->config.until_percent > 0 ? repeats->config.most : repeats->config.count;
}

int repeats_open(struct repeats *repeats, const struct repeat_config *config, bool has_samples)
{
	*repeats = (struct repeats){.config = *config};
	repeats->list = calloc(repeats_room(repeats), sizeof(*repeats->list));
	repeats->figures = calloc(repeats_room(repeats), sizeof(*repeats->figures));
	if (has_samples)
		repeats->samples = calloc(1, sizeof(*repeats->samples));
	for (unsigned i = 0; i < sizeof(repeats->each) / sizeof(repeats->each[0]); i++) {
		repeats->each[i] = calloc(repeats_room(repeats), sizeof(*repeats->each[i]));
		if (!repeats->each[i])
			goto no_memory;
	}
	if (!repeats->list || !repeats->figures || (has_samples && !repeats->samples))
		goto no_memory;
	return 0;

no_memory:
	repeats_close(repeats);
	return -ENOMEM;
}

static void forget(struct repeats *repeats)
{
	while (repeats->count)
		free(repeats->list[--repeats->count].samples);
}

void repeats_close(struct repeats *repeats)
{
	forget(repeats);
	for (unsigned i = 0; i < sizeof(repeats->each) / sizeof(repeats->each[0]); i++)
		free(repeats->each[i]);
	free(repeats->samples);
	free(repeats->figures);
	free(repeats->list);
	*repeats = (struct repeats){0};
}

void repeats_begin(struct repeats *repeats)
{
	forget(repeats);
	repeats->looks = 0;
	repeats->end = deadline_in_ms(repeats->config.most_ms);
}

/* --- the figure of a measurement --- */

static double median_of(const struct repeat *repeat)
{
	const struct latency *samples = repeat->samples;

	if (!samples || !samples->histogram.count)
		return NAN;
	return latency_percentile(samples, MEDIAN) * repeat->rows[REPORT_OWN].tick_seconds;
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
	struct repeat *added = &repeats->list[repeats->count];

	/* The peer may vote for more than both agreed on. */
	if (repeats->count == repeats_room(repeats))
		return -EPROTO;
	*added = (struct repeat){.rows = {[REPORT_OWN] = *local, [REPORT_PEER] = *remote, [OF_SUM] = *total}};
	if (repeats->samples && local->latency) {
		added->samples = malloc(sizeof(*added->samples));
		if (!added->samples)
			return -ENOMEM;
		*added->samples = *local->latency;
	}
	repeats->count++;
	return 0;
}

double repeats_last(const struct repeats *repeats)
{
	return repeats->config.measures && repeats->count
		       ? figure_of(repeats, &repeats->list[repeats->count - 1], OF_SUM)
		       : NAN;
}

/* Those of the measurements from `first` on that have one, in their order. Returns how many there are. */
static unsigned repeats_take_figures(struct repeats *repeats, unsigned first, unsigned which)
{
	unsigned known = 0;

	for (unsigned i = first; i < repeats->count; i++) {
		const double figure = figure_of(repeats, &repeats->list[i], which);

		if (!isnan(figure))
			repeats->figures[known++] = figure;
	}
	return known;
}

static unsigned repeats_known(const struct repeats *repeats, unsigned first, unsigned which)
{
	unsigned known = 0;

	for (unsigned i = first; i < repeats->count; i++)
		known += !isnan(figure_of(repeats, &repeats->list[i], which));
	return known;
}

/* Number of measurements in the warm-up, up to its last figure. */
static unsigned repeats_warm_up(struct repeats *repeats)
{
	const unsigned known = repeats_take_figures(repeats, 0, OF_SUM);
	size_t left = repeats->config.steady ? confidence_warm_up(repeats->figures, known) : 0;
	unsigned i = 0;

	for (; left; i++)
		left -= !isnan(figure_of(repeats, &repeats->list[i], OF_SUM));
	return i;
}

/* Half a bucket of the histogram that a median comes from, in the unit of the medians. */
static double rounding(const struct repeats *repeats, double median)
{
	const double tick = repeats->list[0].rows[REPORT_OWN].tick_seconds;

	return tick > 0 ? histogram_half_width(histogram_index((uint64_t)(median / tick))) * tick : 0;
}

/* Equal medians are in the same bucket, and no more precise than that. */
static struct confidence confidence_of_rounded(const struct repeats *repeats, double *medians, unsigned count)
{
	struct confidence found = confidence_of_median(medians, count);

	if (isnan(found.low))
		return found;
	found.low -= rounding(repeats, found.low);
	found.high += rounding(repeats, found.high);
	return found;
}

static struct confidence confidence_of(struct repeats *repeats, unsigned first, unsigned which)
{
	const unsigned known = repeats_take_figures(repeats, repeats->config.steady ? 0 : first, which);
	const unsigned left = known - repeats_known(repeats, first, which);
	struct confidence found;

	if (repeats->samples)
		found = confidence_of_rounded(repeats, repeats->figures + left, known - left);
	else if (repeats->config.steady)
		found = confidence_of_settled_mean(repeats->figures, known, left);
	else
		found = confidence_of_mean(repeats->figures, known);

	/* No rate is negative. */
	if (found.low < 0)
		found.low = 0;
	return found;
}

static struct report_repeats repeats_sum_up(struct repeats *repeats)
{
	struct report_repeats sum = {0};

	sum.left_out = repeats_warm_up(repeats);
	sum.count = repeats->count - sum.left_out;
	sum.confidence = confidence_of(repeats, sum.left_out, OF_SUM);
	sum.reached = repeats->config.until_percent > 0 &&
		      repeats_known(repeats, sum.left_out, OF_SUM) >= REPEAT_LEAST &&
		      confidence_percent(&sum.confidence) <= repeats->config.until_percent;
	return sum;
}

enum comm_vote repeats_vote(struct repeats *repeats)
{
	const struct repeat_config *config = &repeats->config;

	if (!(config->until_percent > 0))
		return repeats->count < config->count ? COMM_AGAIN : COMM_NO_MORE;
	repeats->looks = repeats_sum_up(repeats).reached ? repeats->looks + 1 : 0;
	if (repeats->count >= config->most || deadline_passed(repeats->end))
		return COMM_NO_MORE;
	/* A side with enough measurements, or without figures, needs no more. */
	if (!config->measures || !repeats_known(repeats, 0, OF_SUM) || repeats->looks >= REPEAT_LOOKS)
		return COMM_ENOUGH;
	return COMM_AGAIN;
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

/* The mean of those that are known; NaN: none is. */
struct mean {
	double sum;
	unsigned count;
};

static void mean_add(struct mean *mean, double value)
{
	if (isnan(value))
		return;
	mean->sum += value;
	mean->count++;
}

static double mean_value(const struct mean *mean)
{
	return mean->count ? mean->sum / mean->count : NAN;
}

/* Merges one side's rows: counts are added up, rates are averaged. */
static void repeats_merge(const struct repeats *repeats, unsigned first, unsigned side, struct report_row *row)
{
	struct mean average = {0}, rate = {0}, cpu = {0};

	*row = repeats->list[first].rows[side];
	for (unsigned i = first; i < repeats->count; i++) {
		const struct report_row *one = &repeats->list[i].rows[side];

		if (i > first)
			repeats_add_row(row, one);
		mean_add(&average, one->bw_average);
		mean_add(&rate, one->message_rate);
		mean_add(&cpu, one->cpu_percent);
	}
	row->bw_average = mean_value(&average);
	row->message_rate = mean_value(&rate);
	row->cpu_percent = mean_value(&cpu);
	row->end_cycles = repeats->list[repeats->count - 1].rows[side].end_cycles;
}

static void merge_samples(struct repeats *repeats, unsigned first, struct report_row *row)
{
	if (!repeats->samples)
		return;
	latency_reset(repeats->samples);
	for (unsigned i = first; i < repeats->count; i++)
		if (repeats->list[i].samples)
			latency_add(repeats->samples, repeats->list[i].samples);
	row->latency = repeats->samples;
}

static void keep_each(struct repeats *repeats, unsigned which, struct report_repeats *sum)
{
	for (unsigned i = 0; i < repeats->count; i++)
		repeats->each[which][i] = figure_of(repeats, &repeats->list[i], which);
	sum->each = repeats->each[which];
}

void repeats_conclude(struct repeats *repeats, struct report_row *local, struct report_row *remote,
		      struct report_row *total)
{
	struct report_row *rows[] = {[REPORT_OWN] = local, [REPORT_PEER] = remote, [OF_SUM] = total};
	const struct report_repeats sum = repeats_sum_up(repeats);

	for (unsigned which = 0; which <= OF_SUM; which++) {
		const bool of_sum = which == OF_SUM || !repeats->config.both;

		repeats_merge(repeats, sum.left_out, which, rows[which]);
		rows[which]->repeats = sum;
		keep_each(repeats, of_sum ? OF_SUM : which, &rows[which]->repeats);
		/* The rows of one direction have intervals of their own. */
		if (!of_sum)
			rows[which]->repeats.confidence = confidence_of(repeats, sum.left_out, which);
	}
	merge_samples(repeats, sum.left_out, local);
}
