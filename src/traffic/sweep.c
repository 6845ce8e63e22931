// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See sweep.h. */
#include "traffic/sweep.h"

bool sweep_next(const struct sweep *sweep, uint64_t largest, uint64_t *size)
{
	/* Both are below 2^32. */
	const uint64_t next = sweep->multiplies ? *size * sweep->step : *size + sweep->step;

	if (next > largest)
		return false;
	*size = next;
	return true;
}

unsigned sweep_count(const struct sweep *sweep, uint64_t largest)
{
	uint64_t size = sweep->first;
	unsigned count = 1;

	while (count <= SWEEP_MOST_SIZES && sweep_next(sweep, largest, &size))
		count++;
	return count;
}
