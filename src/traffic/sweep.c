// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See traffic.h. */
#include "traffic/traffic.h"

bool sweep_next(const struct sweep *sweep, uint64_t largest, uint64_t *size)
{
	uint64_t next;

	if (sweep->multiplies ? __builtin_mul_overflow(*size, sweep->step, &next)
			      : __builtin_add_overflow(*size, sweep->step, &next))
		return false;
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
