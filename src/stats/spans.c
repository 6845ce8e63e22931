// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See spans.h. */
#include "stats/spans.h"

#include <math.h>

void spans_add(struct spans *spans, int64_t begin, int64_t end)
{
	if (!spans->any)
		*spans = (struct spans){begin, begin, end, end, true};
	if (begin < spans->first_begin)
		spans->first_begin = begin;
	if (begin > spans->last_begin)
		spans->last_begin = begin;
	if (end < spans->first_end)
		spans->first_end = end;
	if (end > spans->last_end)
		spans->last_end = end;
}

double spans_seconds(const struct spans *spans)
{
	return (double)(spans->last_end - spans->first_begin) / 1e9;
}

double spans_overlap_percent(const struct spans *spans)
{
	const double together = (double)(spans->first_end - spans->last_begin) / 1e9;

	return together > 0 ? 100 * together / spans_seconds(spans) : 0;
}

double fairness_of(const double *shares, unsigned count)
{
	double sum = 0, squares = 0;

	for (unsigned i = 0; i < count; i++) {
		sum += shares[i];
		squares += shares[i] * shares[i];
	}
	return squares > 0 ? sum * sum / (count * squares) : NAN;
}
