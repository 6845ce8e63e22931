/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All that is kept of a latency test's samples, in cycles: true extremes, exact integer
 * moments, a histogram, and for -H and -U the samples themselves.
 * latency_record() costs a few nanoseconds; loops call it while they wait for the answer
 * to the next message, so that it is in no sample.
 */
#ifndef STATS_LATENCY_H
#define STATS_LATENCY_H

#include <stddef.h>
#include <stdint.h>

#include "stats/histogram.h"
#include "stats/wide.h"

struct latency {
	uint64_t min; /* UINT64_MAX while there are no samples */
	uint64_t max;
	struct wide sum;
	struct wide sum_squares; /* modulo 2^128; exact for 2^44 cycles squared, 2^40 times */
	uint64_t backward;	 /* times that came out below zero, from a clock that went back; in no figure */
	uint64_t *samples;	 /* raw, for -H and -U; NULL otherwise */
	size_t num_samples;
	size_t max_samples;
	struct histogram histogram; /* histogram.count is the number of samples */
};

static inline void latency_record(struct latency *latency, uint64_t cycles)
{
	if (cycles < latency->min)
		latency->min = cycles;
	if (cycles > latency->max)
		latency->max = cycles;
	latency->sum = wide_add(latency->sum, wide_of(cycles));
	latency->sum_squares = wide_add(latency->sum_squares, wide_multiply(cycles, cycles));
	histogram_record(&latency->histogram, cycles);
	if (latency->num_samples < latency->max_samples)
		latency->samples[latency->num_samples++] = cycles;
}

/* The time between two stamps; where the second is the smaller one, they are from counters that are out of step. */
static inline void latency_record_between(struct latency *latency, uint64_t begin_cycles, uint64_t end_cycles)
{
	if (__builtin_expect(end_cycles < begin_cycles, 0))
		latency->backward++;
	else
		latency_record(latency, end_cycles - begin_cycles);
}

/* max_samples: how many raw samples to keep, 0 for none. 0 or -ENOMEM. Frees with latency_close(). */
int latency_open(struct latency *latency, size_t max_samples);
void latency_reset(struct latency *latency);
void latency_add(struct latency *into, const struct latency *from); /* not the raw samples */
/*
 * The same where a tick of from's is `ratio` of into's, for samples of another clock. Where both differ by more than
 * the clocks' own error, buckets go where their middles belong, and the histogram's error is twice its own.
 */
void latency_add_scaled(struct latency *into, const struct latency *from, double ratio);
void latency_close(struct latency *latency);

/* All figures of an empty set are 0. */
double latency_mean(const struct latency *latency); /* cycles */
/*
 * Standard deviation of the population, cycles. The squared deviations from the mean are summed up
 * in integers, so a large offset takes nothing from a small spread.
 */
double latency_stdev(const struct latency *latency);
/*
 * From the histogram, within 1/256, held inside [min, max]. A percentile that the count can't
 * support is the maximum, and so is the 100th, exactly.
 */
double latency_percentile(const struct latency *latency, double percent);

#endif
