// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The raw samples, sorted and converted. */
#include "report/samples.h"

#include <stdlib.h>
#include <string.h>

static int samples_compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left;
	uint64_t b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

uint64_t *samples_sorted(const struct latency *latency)
{
	/* One more than needed, so that zero samples are no failure. */
	uint64_t *sorted = calloc(latency->num_samples + 1, sizeof(*sorted));

	if (!sorted)
		return NULL;
	if (latency->num_samples)
		memcpy(sorted, latency->samples, latency->num_samples * sizeof(*sorted));
	qsort(sorted, latency->num_samples, sizeof(*sorted), samples_compare);
	return sorted;
}

double samples_value(const struct report_row *row, uint64_t ticks, double scale)
{
	return (double)ticks * (row->tick_seconds * scale);
}
