// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The samples of a latency test, and their figures. session opens and resets it for each size, the loops record, report
 * reads the figures.
 */
#include "stats/latency.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int latency_open(struct latency *latency, size_t max_samples)
{
	uint64_t *samples = NULL;

	if (max_samples) {
		if (max_samples > SIZE_MAX / sizeof(*samples))
			return -ENOMEM;
		samples = malloc(max_samples * sizeof(*samples));
		if (!samples)
			return -ENOMEM;
		/*
		 * Written now, so that no page fault occurs between two messages. Not with zero: compilers would make
		 * that a lazy calloc.
		 */
		memset(samples, 0xff, max_samples * sizeof(*samples));
	}
	latency->samples = samples;
	latency->max_samples = max_samples;
	latency_reset(latency);
	return 0;
}

void latency_reset(struct latency *latency)
{
	latency->min = UINT64_MAX;
	latency->max = 0;
	latency->sum.value = latency->sum_squares.value = 0;
	latency->backward = 0;
	latency->num_samples = 0;
	latency->tick_seconds = 1;
	latency->error = 0;
	histogram_reset(&latency->histogram);
}

void latency_add(struct latency *into, const struct latency *from)
{
	if (from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
	into->sum.value += from->sum.value;
	into->sum_squares.value += from->sum_squares.value;
	into->backward += from->backward;
	into->error = fmax(into->error, from->error);
	histogram_add(&into->histogram, &from->histogram);
}

#define SAME_CLOCK 1e-3 /* more than two calibrations of one clock differ by; a quarter of a bucket's error */

static uint64_t latency_scaled(double ticks, double ratio)
{
	const double value = round(ticks * ratio);

	return value < 0x1p64 ? (uint64_t)value : UINT64_MAX;
}

static unsigned __int128 wide_scaled(union wide value, double ratio)
{
	const double product = (double)value.value * ratio;

	return product < 0x1p128 ? (unsigned __int128)product : ~(unsigned __int128)0;
}

/* A bucket's error, that of the rounding of the shortest sample, and a bucket's again, without the last one's own. */
static double scaled_error(const struct latency *from, double least)
{
	const double one = 1 + HISTOGRAM_RELATIVE_ERROR;

	return from->error + fmin(one * (one + 0.5 / least) - one, 1);
}

void latency_add_scaled(struct latency *into, const struct latency *from)
{
	const double ratio = from->tick_seconds / into->tick_seconds;

	if (fabs(ratio - 1) <= SAME_CLOCK) {
		latency_add(into, from);
		into->error = fmax(into->error, from->error + fabs(ratio - 1));
		return;
	}
	if (from->histogram.count) {
		const uint64_t min = latency_scaled((double)from->min, ratio),
			       max = latency_scaled((double)from->max, ratio);

		into->min = min < into->min ? min : into->min;
		into->max = max > into->max ? max : into->max;
		into->error = fmax(into->error, scaled_error(from, (double)from->min * ratio));
	}
	into->sum.value += wide_scaled(from->sum, ratio);
	into->sum_squares.value += wide_scaled(from->sum_squares, ratio * ratio);
	into->backward += from->backward;
	into->histogram.count += from->histogram.count;
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		if (from->histogram.bucket[i])
			into->histogram.bucket[histogram_index(latency_scaled(histogram_value(i), ratio))] +=
				from->histogram.bucket[i];
}

double latency_relative_error(const struct latency *latency)
{
	return HISTOGRAM_RELATIVE_ERROR + latency->error;
}

static int samples_compare(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

uint64_t *latency_sorted(const struct latency *latency)
{
	/* One more than needed, so that zero samples are no failure. */
	uint64_t *sorted = calloc(latency->num_samples + 1, sizeof(*sorted));

	if (!sorted)
		return NULL;
	if (latency->num_samples)
		memcpy(sorted, latency->samples, latency->num_samples * sizeof(*sorted));
	qsort(sorted, latency->num_samples, sizeof(*sorted), samples_compare);
	return sorted;
}

void latency_close(struct latency *latency)
{
	free(latency->samples);
	memset(latency, 0, sizeof(*latency));
}

double latency_mean(const struct latency *latency)
{
	uint64_t count = latency->histogram.count;

	return count ? (double)latency->sum.value / (double)count * latency->tick_seconds : 0;
}

static double stdev_ticks(const struct latency *latency)
{
	uint64_t count = latency->histogram.count;
	unsigned __int128 above, squares;
	double rest, variance;
	uint64_t mean;

	if (!count)
		return 0;
	/*
	 * With the mean rounded to an integer m and rest = sum - count * m, the squared deviations from m sum up to
	 * sum_squares - m * (sum + rest): exact, and correct even if sum_squares or the product has exceeded 2^128, as
	 * long as the result has not. |rest| <= count / 2, so subtracting its square at the end cancels at most half of
	 * the figure.
	 */
	mean = (uint64_t)((latency->sum.value + count / 2) / count);
	above = latency->sum.value - (unsigned __int128)mean * count;
	squares = latency->sum_squares.value - (latency->sum.value + above) * mean;
	rest = (double)(int64_t)above / (double)count;
	variance = (double)squares / (double)count - rest * rest;
	return sqrt(variance);
}

double latency_stdev(const struct latency *latency)
{
	return stdev_ticks(latency) * latency->tick_seconds;
}

/* Are the extremes in the outermost buckets? */
static bool extremes_fit(const struct latency *latency)
{
	const struct histogram *histogram = &latency->histogram;
	unsigned first = 0, last = HISTOGRAM_BUCKETS - 1;

	while (!histogram->bucket[first])
		first++;
	while (!histogram->bucket[last])
		last--;
	return histogram_index(latency->min) == first && histogram_index(latency->max) == last &&
	       latency->min <= latency->max;
}

static bool sum_fits(const struct latency *latency)
{
	const uint64_t count = latency->histogram.count;

	return (unsigned __int128)latency->min * count <= latency->sum.value &&
	       latency->sum.value <= (unsigned __int128)latency->max * count;
}

/* No samples deviate by more than half of their range, which is what those do of which half are at either end. */
static bool squares_fit(const struct latency *latency)
{
	return stdev_ticks(latency) <= (double)(latency->max - latency->min) / 2 * (1 + 1e-9);
}

const char *latency_fault(const struct latency *latency)
{
	if (!latency->histogram.count)
		return latency->min == UINT64_MAX && !latency->max && !latency->sum.value && !latency->sum_squares.value
			       ? NULL
			       : "there are extremes or sums without samples";
	if (!extremes_fit(latency))
		return "the extremes do not match the buckets";
	if (!sum_fits(latency))
		return "the sum does not match the extremes";
	return squares_fit(latency) ? NULL : "the sum of squares does not match the sum";
}

double latency_percentile(const struct latency *latency, double percent)
{
	double value;

	if (!latency->histogram.count)
		return 0;
	if (percent >= 100 || !histogram_supports(latency->histogram.count, percent))
		return latency_seconds(latency, latency->max);
	value = histogram_percentile(&latency->histogram, percent);
	return fmin(fmax(value, (double)latency->min), (double)latency->max) * latency->tick_seconds;
}

double latency_median(const struct latency *latency)
{
	return latency->histogram.count ? latency_percentile(latency, 50) : NAN;
}
