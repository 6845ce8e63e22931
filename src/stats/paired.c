// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See paired.h. */
#include "stats/paired.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "stats/confidence.h"

#define NOTHING 1e-12 /* differences of logarithms that are rounding */

/*
 * sums[w]: the probability that the scores of those ranks 1..count for which a coin shows heads add up to at most w.
 * Returns the sum of all scores.
 */
static unsigned score_sums(double *sums, unsigned count, unsigned most_score)
{
	unsigned most = 0;

	sums[0] = 1;
	for (unsigned rank = 1; rank <= count; rank++) {
		const unsigned score = rank < most_score ? rank : most_score;

		for (unsigned w = most + 1; w <= most + score; w++)
			sums[w] = 0;
		most += score;
		for (unsigned w = most; w >= score; w--)
			sums[w] = (sums[w] + sums[w - score]) / 2;
		for (unsigned w = 0; w < score; w++)
			sums[w] /= 2;
	}
	for (unsigned w = 1; w <= most; w++)
		sums[w] += sums[w - 1];
	return most;
}

/* Differences, or their negatives, in ascending order, with the averages of all pairs of them, and themselves. */
struct sorted {
	unsigned count, most_score;
	double differences[PAIRED_MOST];
	double *walsh;
};

static void sorted_fill(struct sorted *sorted, const double *differences, double sign)
{
	unsigned used = 0;

	for (unsigned i = 0; i < sorted->count; i++)
		sorted->differences[i] = sign * differences[i];
	confidence_sort(sorted->differences, sorted->count);
	for (unsigned i = 0; i < sorted->count; i++)
		for (unsigned j = i; j < sorted->count; j++)
			sorted->walsh[used++] = (sorted->differences[i] + sorted->differences[j]) / 2;
	confidence_sort(sorted->walsh, used);
}

/*
 * The scores of what is not above the center, by the distance from it. What is zero, or as far below as another is
 * above, speaks against that.
 */
static unsigned scores_not_above(const struct sorted *sorted, double center)
{
	unsigned first = 0, next, rank = 0, sum = 0;

	while (first < sorted->count && sorted->differences[first] <= center + NOTHING)
		first++;
	next = first;
	for (unsigned i = first; i-- > 0;) {
		const double farthest = 2 * center - sorted->differences[i] + NOTHING;

		for (; next < sorted->count && sorted->differences[next] <= farthest; next++)
			rank++;
		rank++;
		sum += rank < sorted->most_score ? rank : sorted->most_score;
	}
	return sum;
}

/* The lowest center of which these scores are more than that. They rise at Walsh averages alone. */
static double center_above(const struct sorted *sorted, unsigned sum)
{
	unsigned low = 0, high = sorted->count * (sorted->count + 1) / 2 - 1;

	while (low < high) {
		const unsigned middle = low + (high - low) / 2;

		if (scores_not_above(sorted, sorted->walsh[middle]) > sum)
			high = middle;
		else
			low = middle + 1;
	}
	return sorted->walsh[low];
}

int paired_judge(const double *differences, unsigned count, unsigned most_score, double level, struct paired *paired)
{
	const unsigned num_walsh = count * (count + 1) / 2;
	struct sorted sorted = {.count = count, .most_score = most_score};
	double *walsh = malloc((2 * num_walsh + 1) * sizeof(*walsh)), *sums = walsh + num_walsh;
	double centers[2], ends[2];
	unsigned most, least = num_walsh, cut = 0;

	if (!walsh)
		return -ENOMEM;
	*paired = (struct paired){NAN, -INFINITY, INFINITY, 1};
	sorted.walsh = walsh;
	most = score_sums(sums, count, most_score);
	while (cut < most && 2 * sums[cut] <= level)
		cut++;
	for (unsigned side = 0; side < 2 && count; side++) {
		unsigned scores;

		sorted_fill(&sorted, differences, side ? -1 : 1);
		scores = scores_not_above(&sorted, 0);
		least = scores < least ? scores : least;
		centers[side] = center_above(&sorted, (most - 1) / 2);
		ends[side] = cut ? center_above(&sorted, cut - 1) : -INFINITY;
	}
	if (count)
		*paired = (struct paired){(centers[0] - centers[1]) / 2, ends[0], -ends[1], fmin(1, 2 * sums[least])};
	free(walsh);
	return 0;
}

unsigned paired_least(double level)
{
	unsigned count = 1;

	while (ldexp(2, -(int)count) > level)
		count++;
	return count;
}

void paired_levels(const double *p, unsigned count, double level, double *levels)
{
	unsigned stop = count; /* the first that does not differ, from the least p */

	for (unsigned i = 0; i < count; i++) {
		unsigned before = 0;

		for (unsigned j = 0; j < count; j++)
			before += p[j] < p[i] || (!(p[i] < p[j]) && j < i);
		levels[i] = before;
		if (p[i] > level / (count - before) && before < stop)
			stop = before;
	}
	for (unsigned i = 0; i < count; i++)
		levels[i] = level / (count - (levels[i] < stop ? levels[i] : stop));
}
