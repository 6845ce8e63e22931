/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The samples of a latency test, in ticks of a clock: true extremes, exact integer moments, a histogram, and for -H and
 * -U the samples themselves. latency_record() costs a few nanoseconds; loops call it while they wait for the answer to
 * the next message, so that it is in no sample. Figures are in seconds from then on that the unit of the ticks is set,
 * which is when a row is made of them.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "stats/histogram.h"

/* A 128-bit integer, whose halves are parts of messages. */
union wide {
	unsigned __int128 value;
	struct {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		uint64_t high, low;
#else
		uint64_t low, high;
#endif
	};
};

struct latency {
	uint64_t min; /* UINT64_MAX without samples */
	uint64_t max;
	union wide sum;
	union wide sum_squares; /* modulo 2^128; exact for 2^44 cycles squared, 2^40 times */
	uint64_t backward;	/* negative times, from a clock that went back; in no figure */
	uint64_t *samples;	/* raw, for -H and -U; NULL otherwise */
	size_t num_samples;
	size_t max_samples;
	double tick_seconds; /* 1 after a reset: figures are in ticks */
	double error; /* of samples of other clocks, relative, besides that of a bucket; 0: all are of one clock */
	struct histogram histogram; /* histogram.count is the number of samples */
};

static inline void latency_record(struct latency *latency, uint64_t cycles)
{
	if (cycles < latency->min)
		latency->min = cycles;
	if (cycles > latency->max)
		latency->max = cycles;
	latency->sum.value += cycles;
	latency->sum_squares.value += (unsigned __int128)cycles * cycles;
	histogram_record(&latency->histogram, cycles);
	if (latency->num_samples < latency->max_samples)
		latency->samples[latency->num_samples++] = cycles;
}

/* The time between two stamps; if the second one is smaller, they are from counters that are out of step. */
static inline void latency_record_between(struct latency *latency, uint64_t begin_cycles, uint64_t end_cycles)
{
	if (__builtin_expect(end_cycles < begin_cycles, 0))
		latency->backward++;
	else
		latency_record(latency, end_cycles - begin_cycles);
}

/* max_samples: number of raw samples to keep, or 0. 0 or -ENOMEM. Free with latency_close(). */
int latency_open(struct latency *latency, size_t max_samples);
void latency_reset(struct latency *latency);
void latency_add(struct latency *into, const struct latency *from); /* without the raw samples */
/*
 * The same if the units of their ticks differ. If by more than the clocks' own error, bucket counts are moved to the
 * buckets of their middles: that doubles the histogram's error, and rounds to a tick of into's.
 */
void latency_add_scaled(struct latency *into, const struct latency *from);
/* How far at most a sample is from the middle of its bucket, relative to it. */
double latency_relative_error(const struct latency *latency);
/* The raw samples in ascending order; the caller frees them. NULL: no memory. */
uint64_t *latency_sorted(const struct latency *latency);
void latency_close(struct latency *latency);

/* Samples from another program: NULL, or what of their extremes and sums cannot belong to their histogram. */
const char *latency_fault(const struct latency *latency);

/* A sample, or one of the extremes. */
static inline double latency_seconds(const struct latency *latency, uint64_t ticks)
{
	return (double)ticks * latency->tick_seconds;
}

/* All figures are in seconds, and 0 without samples. */
double latency_mean(const struct latency *latency);
/*
 * Standard deviation of the population. The squared deviations from the mean are summed as integers, so a large
 * offset does not affect a small spread.
 */
double latency_stdev(const struct latency *latency);
/*
 * From the histogram, within 1/256, limited to [min, max]. A percentile that needs more samples is the maximum, and so
 * is the 100th, exactly.
 */
double latency_percentile(const struct latency *latency, double percent);
/* Its median, of however few samples; NaN: of none. */
double latency_median(const struct latency *latency);
