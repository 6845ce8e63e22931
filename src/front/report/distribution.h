/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The samples of a result, from the histogram in its JSON document. Called by plots.c and report.c. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct distribution {
	const json_t *buckets; /* borrowed */
	uint64_t count;	       /* of samples, at least 1 */
	double least, most;    /* usec; NaN, as the next two: the result does not say */
	double mean, stdev;
	/* --- where the last percentile was found --- */
	size_t bucket;
	uint64_t below; /* samples in front of that bucket */
};

/* Names of the histograms that a result may have: latency, due, post. */
extern const char *const distribution_kinds[];
#define DISTRIBUTION_NUM_KINDS 3

/* False: the result has no such histogram, or none that is sound. */
bool distribution_find(const json_t *result, const char *kind, struct distribution *distribution);
/*
 * In usec, as the programs compute it: the maximum where there are too few samples. The percentiles ascend from call to
 * call.
 */
double distribution_percentile(struct distribution *distribution, double percent);
/* The text of HdrHistogram's outputPercentileDistribution(), with 5 lines for each half of what is left to 100 %. */
void distribution_print(struct distribution *distribution, FILE *out);
