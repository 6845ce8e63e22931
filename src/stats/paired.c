// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See paired.h. */
#include "stats/paired.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "stats/confidence.h"

#define NOTHING 1e-12 /* differences of logarithms that are rounding */

/* sums[w]: the probability that the ranks 1..count for which a coin shows heads add up to at most w. */
static void rank_sums(double *sums, unsigned count)
{
	unsigned most = 0;

	sums[0] = 1;
	for (unsigned rank = 1; rank <= count; rank++) {
		for (unsigned w = most + 1; w <= most + rank; w++)
			sums[w] = 0;
		most += rank;
		for (unsigned w = most; w >= rank; w--)
			sums[w] = (sums[w] + sums[w - rank]) / 2;
		for (unsigned w = 0; w < rank; w++)
			sums[w] /= 2;
	}
	for (unsigned w = 1; w <= most; w++)
		sums[w] += sums[w - 1];
}

/* The averages of all pairs of differences, and the differences. */
static void walsh_averages(const double *differences, unsigned count, double *walsh)
{
	unsigned used = 0;

	for (unsigned i = 0; i < count; i++)
		for (unsigned j = i; j < count; j++)
			walsh[used++] = (differences[i] + differences[j]) / 2;
}

int paired_judge(const double *differences, unsigned count, double level, struct paired *paired)
{
	const unsigned num_walsh = count * (count + 1) / 2;
	double *walsh = malloc((2 * num_walsh + 1) * sizeof(*walsh)), *sums = walsh + num_walsh;
	unsigned not_above = 0, not_below = 0, cut = 0;

	if (!walsh)
		return -ENOMEM;
	walsh_averages(differences, count, walsh);
	*paired = (struct paired){confidence_of_median(walsh, num_walsh).center, -INFINITY, INFINITY, 1};
	rank_sums(sums, count);
	/* That sorted them. The rank sum of either sign is the number of averages of that sign; what is zero speaks
	 * against both. */
	for (unsigned i = 0; i < num_walsh; i++) {
		not_above += walsh[i] <= NOTHING;
		not_below += walsh[i] >= -NOTHING;
	}
	if (count) {
		paired->p = fmin(1, 2 * sums[not_above < not_below ? not_above : not_below]);
		while (cut < num_walsh && 2 * sums[cut] <= level)
			cut++;
	}
	if (cut) {
		paired->low = walsh[cut - 1];
		paired->high = walsh[num_walsh - cut];
	}
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
