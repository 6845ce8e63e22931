// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The peer's intervals, oldest first. See comm.h. */
#include <errno.h>
#include <string.h>

#include "comm/comm.h"

void comm_intervals_drop(struct comm_intervals *intervals, unsigned index)
{
	intervals->count -= index + 1;
	memmove(intervals->items, intervals->items + index + 1, intervals->count * sizeof(*intervals->items));
}

int comm_intervals_add(struct comm_intervals *intervals, const struct comm_interval *interval)
{
	const unsigned room = sizeof(intervals->items) / sizeof(intervals->items[0]);
	const struct comm_interval *before = &intervals->newest;

	if (before->number >= interval->number || before->messages > interval->messages ||
	    before->seconds > interval->seconds)
		return -EINVAL;
	if (intervals->count == room) {
		/* The peak of an interval without a row goes into the next row. */
		if (intervals->items[0].peak > intervals->items[1].peak)
			intervals->items[1].peak = intervals->items[0].peak;
		comm_intervals_drop(intervals, 0);
	}
	intervals->items[intervals->count++] = *interval;
	intervals->newest = *interval;
	return 0;
}
