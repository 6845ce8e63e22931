// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See series.h. */
#include "stats/series.h"

#include <errno.h>
#include <stdlib.h>

#include "stats/clock.h"
#include "stats/histogram.h"

#define NS_PER_S 1000000000ULL

int series_open(struct series *series, const struct series_plan *plan, bool of_medians)
{
	*series = (struct series){.plan = *plan, .of_medians = of_medians};
	series->each = calloc(series_most(plan), sizeof(*series->each));
	series->known = calloc(series_most(plan), sizeof(*series->known));
	if (!series->each || !series->known) {
		series_close(series);
		return -ENOMEM;
	}
	series_begin(series);
	return 0;
}

void series_close(struct series *series)
{
	free(series->each);
	free(series->known);
	*series = (struct series){0};
}

void series_begin(struct series *series)
{
	series->count = series->looks = 0;
	series->end_ns = clock_gettime_ns() + series->plan.most_s * NS_PER_S;
}

static bool is_full(const struct series *series)
{
	return series->count == series_most(&series->plan);
}

void series_add(struct series *series, double figure)
{
	series->each[series->count++] = figure;
}

/* Those of the measurements from `first` on that have a figure, in their order. Returns how many there are. */
static unsigned take_known(struct series *series, const double *each, unsigned first)
{
	unsigned known = 0;

	for (unsigned i = first; i < series->count; i++)
		if (!isnan(each[i]))
			series->known[known++] = each[i];
	return known;
}

unsigned series_sort(struct series *series, unsigned first, const double **sorted)
{
	const unsigned known = take_known(series, series->each, first);

	*sorted = series->known;
	confidence_sort(series->known, known);
	return known;
}

/* Number of measurements in the warm-up, up to its last figure. */
static unsigned warm_up(struct series *series)
{
	size_t left = series->plan.steady ? confidence_warm_up(series->known, take_known(series, series->each, 0)) : 0;
	unsigned i = 0;

	for (; left; i++)
		left -= !isnan(series->each[i]);
	return i;
}

/* Half a bucket of the histogram that a median comes from, in the unit of the medians. */
static double rounding(const struct series *series, double median)
{
	const double tick = series->tick;

	return tick > 0 ? histogram_half_width(histogram_index((uint64_t)(median / tick))) * tick : 0;
}

/* Equal medians are in the same bucket, and no more precise than that. */
static struct confidence interval_of_medians(const struct series *series, double *medians, unsigned count)
{
	struct confidence found = confidence_of_median(medians, count);

	if (isnan(found.low))
		return found;
	found.low -= rounding(series, found.low);
	found.high += rounding(series, found.high);
	return found;
}

struct confidence series_interval(struct series *series, const double *each, unsigned left_out)
{
	const unsigned rest = take_known(series, each, left_out);
	const unsigned known = series->plan.steady ? take_known(series, each, 0) : rest;
	struct confidence found;

	if (series->of_medians)
		found = interval_of_medians(series, series->known + known - rest, rest);
	else if (series->plan.steady)
		found = confidence_of_settled_mean(series->known, known, known - rest);
	else
		found = confidence_of_mean(series->known, known);
	/* No figure is negative. */
	if (found.low < 0)
		found.low = 0;
	return found;
}

struct series_result series_conclude(struct series *series)
{
	const double until_percent = series->plan.until_percent;
	struct series_result result = {.left_out = warm_up(series), .each = series->each};

	result.count = series->count - result.left_out;
	result.confidence = series_interval(series, series->each, result.left_out);
	result.reached = until_percent > 0 && take_known(series, series->each, result.left_out) >= SERIES_LEAST &&
			 confidence_percent(&result.confidence) <= until_percent;
	return result;
}

enum series_vote series_vote(struct series *series)
{
	if (!(series->plan.until_percent > 0))
		return is_full(series) ? SERIES_NO_MORE : SERIES_AGAIN;
	series->looks = series_conclude(series).reached ? series->looks + 1 : 0;
	if (is_full(series) || clock_gettime_ns() >= series->end_ns)
		return SERIES_NO_MORE;
	/* A side without figures needs no more of them. */
	return series->looks >= SERIES_LOOKS || !take_known(series, series->each, 0) ? SERIES_ENOUGH : SERIES_AGAIN;
}
