/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Confidence intervals for the mean, or the median, of repeated measurements. They contain the true value in 95 of 100
 * cases, if the measurements are independent of each other: those of whole runs are, or nearly so; neighbouring
 * messages of one run are not.
 *
 * Called by series.c. A leaf: libm only.
 */
#pragma once

#include <stddef.h>

/* NaN: unknown, because there are too few values, or one of them is NaN. */
struct confidence {
	double center;
	double low, high;
};

/*
 * Of the mean: Student's t with count - 1 degrees of freedom times the standard error. For at least two values. Exact
 * if the values are normally distributed, as averages of many messages nearly are.
 */
struct confidence confidence_of_mean(const double *values, size_t count);

/*
 * Of the median, by order statistics: the k-th value from below and the k-th from above, with the largest k for which
 * 1 - 2 P(B <= k - 1) is at least 0.95, B binomial of count and 1/2 (David and Nagaraja, Order Statistics, 7.1). Exact
 * or conservative for any continuous distribution. Sorts the values.
 */
struct confidence confidence_of_median(double *values, size_t count);

/* Ascending; none is NaN. */
void confidence_sort(double *values, size_t count);

/* The distance of its farther end from the center, in percent of the center; NaN: unknown. */
double confidence_percent(const struct confidence *confidence);

/*
 * How many of the first values belong to a warm-up: those without which the standard error of the others' mean is
 * smallest (MSER: White, An Effective Truncation Heuristic for Bias Reduction in Simulation Output, Simulation 69,
 * 1997; MSER-5 uses means of five observations, and each value here is one of a whole run). At most half of them, and
 * never all but one: a minimum after that is not reliable.
 */
size_t confidence_warm_up(const double *values, size_t count);

/*
 * Of the mean of the values behind the warm-up that confidence_warm_up() has found. That choice favours values that
 * happen to differ little: an interval by their deviation alone held the true mean of ten normal values in only 90 of
 * 100 cases. So their deviation counts as that of the second half, which no choice leaves out, if that makes the
 * interval wider.
 */
struct confidence confidence_of_settled_mean(const double *values, size_t count, size_t warm_up);
