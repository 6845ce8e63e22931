/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where is the true mean, or the true median, of what was measured several times? Intervals that hold it in 95 of 100
 * cases, if the measurements are independent of each other: those of whole runs are, or nearly so, and neighbouring
 * messages of one run are not.
 *
 * Called by session/repeat.c. A leaf: libm only.
 */
#ifndef STATS_CONFIDENCE_H
#define STATS_CONFIDENCE_H

#include <stddef.h>

/* NaN: not known, as there are too few values, or one of them is NaN. */
struct confidence {
	double center;
	double low, high;
};

#define CONFIDENCE_LEAST_OF_MEDIAN                                                                                     \
	6 /* values; all of fewer lie on one side of the median in more than 5 of 100 cases */

/*
 * Of the mean: Student's t with count - 1 degrees of freedom times the standard error. From two values on. Exact where
 * the values are normally distributed, and averages of many messages nearly are.
 */
struct confidence confidence_of_mean(const double *values, size_t count);

/*
 * Of the median, by order statistics: the k-th value from below and the k-th from above, with the largest k for which
 * 1 - 2 P(B <= k - 1) is 0.95 at least, B binomial of count and 1/2 (David and Nagaraja, Order Statistics, 7.1). Exact
 * or on the safe side for any continuous distribution. Sorts the values.
 */
struct confidence confidence_of_median(double *values, size_t count);

/* How far its farther end is from the center, in percent of the center; NaN: not known. */
double confidence_percent(const struct confidence *confidence);

/*
 * How many of the first values belong to a warm-up? Those without which the standard error of the others' mean is
 * smallest (MSER: White, An Effective Truncation Heuristic for Bias Reduction in Simulation Output, Simulation 69,
 * 1997; MSER-5 takes means of five observations, and each value here is one of a whole run). At most half of them, and
 * not all but one: a minimum that lies behind is none to trust.
 */
size_t confidence_warm_up(const double *values, size_t count);

#endif
