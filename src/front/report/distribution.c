// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See distribution.h. */
#include "front/report/distribution.h"

#include <math.h>

#include "stats/histogram.h"

#define LINES_PER_HALF 5

const char *const distribution_kinds[DISTRIBUTION_NUM_KINDS] = {"latency", "due", "post"};

static double read_figure(const json_t *result, const char *kind, const char *figure)
{
	char key[64];
	const json_t *value;

	snprintf(key, sizeof(key), "%s_%s_usec", kind, figure);
	value = json_object_get(result, key);
	return json_is_number(value) ? json_number_value(value) : NAN;
}

static double middle_of(const struct distribution *distribution, size_t bucket)
{
	return json_number_value(json_array_get(json_array_get(distribution->buckets, bucket), 0));
}

static uint64_t samples_of(const struct distribution *distribution, size_t bucket)
{
	return (uint64_t)json_integer_value(json_array_get(json_array_get(distribution->buckets, bucket), 1));
}

/* Ascending, none of them empty, and as many samples as the result says. */
static bool is_sound(const struct distribution *distribution)
{
	uint64_t sum = 0;
	double last = -1;

	for (size_t i = 0; i < json_array_size(distribution->buckets); i++) {
		const double middle = middle_of(distribution, i);
		const uint64_t samples = samples_of(distribution, i);

		if (!(middle > last) || !samples || samples > distribution->count - sum)
			return false;
		sum += samples;
		last = middle;
	}
	return sum && sum == distribution->count;
}

bool distribution_find(const json_t *result, const char *kind, struct distribution *distribution)
{
	struct distribution found = {.least = read_figure(result, kind, "min"),
				     .most = read_figure(result, kind, "max"),
				     .mean = read_figure(result, kind, "average"),
				     .stdev = read_figure(result, kind, "stdev")};
	const json_t *histogram;
	char key[64];

	snprintf(key, sizeof(key), "%s_histogram", kind);
	histogram = json_object_get(result, key);
	found.buckets = json_object_get(histogram, "buckets_usec");
	found.count = (uint64_t)fmax(0, (double)json_integer_value(json_object_get(histogram, "count")));
	if (!is_sound(&found))
		return false;
	*distribution = found;
	return true;
}

/* The middle of its bucket, but no less than the minimum and no more than the maximum. */
static double value_at(const struct distribution *distribution, size_t bucket)
{
	return fmin(fmax(middle_of(distribution, bucket), distribution->least), distribution->most);
}

/* Goes on to the bucket of the sample of that rank, from 1. */
static void go_to(struct distribution *distribution, uint64_t rank)
{
	while (distribution->below + samples_of(distribution, distribution->bucket) < rank)
		distribution->below += samples_of(distribution, distribution->bucket++);
}

static uint64_t rank_of(const struct distribution *distribution, double percent)
{
	const double rank = ceil(percent / 100 * (double)distribution->count * (1 - 1e-12));

	return rank < 1 ? 1 : rank < (double)distribution->count ? (uint64_t)rank : distribution->count;
}

double distribution_percentile(struct distribution *distribution, double percent)
{
	const bool is_last = percent >= 100 || !histogram_supports(distribution->count, percent);

	go_to(distribution, is_last ? distribution->count : rank_of(distribution, percent));
	return is_last && isfinite(distribution->most) ? distribution->most
						       : value_at(distribution, distribution->bucket);
}

void distribution_print(struct distribution *distribution, FILE *out)
{
	const uint64_t count = distribution->count;
	double percent = 0;
	uint64_t at_or_below;

	fprintf(out, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)");
	do {
		go_to(distribution, rank_of(distribution, percent));
		at_or_below = distribution->below + samples_of(distribution, distribution->bucket);
		fprintf(out, "%12.3f %2.12f %10llu %14.2f\n", value_at(distribution, distribution->bucket),
			percent / 100, (unsigned long long)at_or_below, 1 / (1 - percent / 100));
		percent += 100 / (LINES_PER_HALF * exp2(floor(log2(100 / (100 - percent))) + 1));
	} while (at_or_below < count);
	fprintf(out, "%12.3f %2.12f %10llu\n", distribution_percentile(distribution, 100), 1.0,
		(unsigned long long)count);
	fprintf(out, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n", distribution->mean, distribution->stdev);
	fprintf(out, "#[Max     = %12.3f, Total count    = %12llu]\n", distribution_percentile(distribution, 100),
		(unsigned long long)count);
	fprintf(out, "#[Buckets = %12zu, SubBuckets     = %12d]\n", json_array_size(distribution->buckets),
		1 << (HISTOGRAM_BITS - 1));
}
