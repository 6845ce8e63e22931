// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Intervals for means and medians, and the end of a warm-up. See confidence.h. */
#include "stats/confidence.h"

#include <math.h>
#include <stdlib.h>

#define NORMAL_95  1.959963984540054 /* two-sided */
#define TABLE_T	   12
#define LEAST_LEFT 2 /* after a warm-up: a single value has no deviation */

/* Two-sided quantiles of Student's t at 95 %, by degrees of freedom. */
static const double student_t[TABLE_T + 1] = {NAN,	 12.7062047, 4.3026527, 3.1824463, 2.7764451,
					      2.5705818, 2.4469119,  2.3646243, 2.3060041, 2.2621572,
					      2.2281389, 2.2009852,  2.1788128};

/* Above the table by its expansion in powers of 1 / freedom (Abramowitz and Stegun, 26.7.5), good to six digits. */
static double student_quantile(size_t freedom)
{
	const double z = NORMAL_95, n = (double)freedom;

	if (freedom <= TABLE_T)
		return student_t[freedom];
	return z + (pow(z, 3) + z) / (4 * n) + (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * n * n) +
	       (3 * pow(z, 7) + 19 * pow(z, 5) + 17 * pow(z, 3) - 15 * z) / (384 * pow(n, 3)) +
	       (79 * pow(z, 9) + 776 * pow(z, 7) + 1482 * pow(z, 5) - 1920 * pow(z, 3) - 945 * z) / (92160 * pow(n, 4));
}

/* From the first one on, so that equal values have exactly this mean, and no deviation by rounding. */
static double mean_of(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i] - values[0];
	return values[0] + sum / (double)count;
}

static double squared_deviations(const double *values, size_t count)
{
	const double mean = mean_of(values, count);
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return sum;
}

struct confidence confidence_of_mean(const double *values, size_t count)
{
	struct confidence found = {NAN, NAN, NAN};
	double half;

	if (!count)
		return found;
	found.center = mean_of(values, count);
	if (count < 2)
		return found;
	half = student_quantile(count - 1) *
	       sqrt(squared_deviations(values, count) / (double)(count - 1) / (double)count);
	found.low = found.center - half;
	found.high = found.center + half;
	return found;
}

static int by_value(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

void confidence_sort(double *values, size_t count)
{
	qsort(values, count, sizeof(values[0]), by_value);
}

/* The largest k as described in the header; 0: none. */
static size_t order_statistic(size_t count)
{
	const double n = (double)count;
	double below = 0;
	size_t k;

	for (k = 0; k < count; k++) {
		below += exp(lgamma(n + 1) - lgamma((double)k + 1) - lgamma(n - (double)k + 1) - n * M_LN2);
		if (2 * below > 0.05)
			break;
	}
	return k;
}

struct confidence confidence_of_median(double *values, size_t count)
{
	struct confidence found = {NAN, NAN, NAN};
	size_t k;

	for (size_t i = 0; i < count; i++)
		if (isnan(values[i]))
			return found;
	if (!count)
		return found;
	confidence_sort(values, count);
	found.center = (values[(count - 1) / 2] + values[count / 2]) / 2;
	k = order_statistic(count);
	if (!k)
		return found;
	found.low = values[k - 1];
	found.high = values[count - k];
	return found;
}

double confidence_percent(const struct confidence *confidence)
{
	const double below = confidence->center - confidence->low, above = confidence->high - confidence->center;

	return 100 * (above > below ? above : below) / confidence->center;
}

size_t confidence_warm_up(const double *values, size_t count)
{
	double least = INFINITY;
	size_t best = 0;

	for (size_t skipped = 0; skipped <= count / 2 && skipped + LEAST_LEFT <= count; skipped++) {
		const double rest = (double)(count - skipped);
		const double error = squared_deviations(values + skipped, count - skipped) / (rest * rest);

		if (error < least) {
			least = error;
			best = skipped;
		}
	}
	return best;
}

struct confidence confidence_of_settled_mean(const double *values, size_t count, size_t warm_up)
{
	const size_t left = count - warm_up, second_half = count - count / 2;
	const struct confidence of_half = confidence_of_mean(values + count / 2, second_half);
	const double half = (of_half.high - of_half.center) * sqrt((double)second_half / (double)left);
	struct confidence found = confidence_of_mean(values + warm_up, left);

	/* It is unknown of two values, whose second half has no deviation. */
	if (half > found.high - found.center) {
		found.low = found.center - half;
		found.high = found.center + half;
	}
	return found;
}
