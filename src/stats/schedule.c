// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One stamp after the other; see schedule.h. The open loop requests the next one while a request is in flight. */
#include "stats/schedule.h"

#include <math.h>

#include "stats/splitmix.h"

#define FRACTION 0x1p64 /* of a cycle */
#define LONGEST	 0x1p62 /* cycles: centuries, so that a stamp and an interval can be added */

static unsigned __int128 of_cycles(double cycles)
{
	return (unsigned __int128)(fmin(cycles, LONGEST) * FRACTION);
}

/* In (0, 1], so that its logarithm is finite. */
static double uniform(uint64_t *state)
{
	return (double)((splitmix_next(state) >> 11) + 1) * 0x1p-53;
}

void schedule_begin(struct schedule *schedule, const struct pace *pace, uint64_t begin_cycles)
{
	*schedule = (struct schedule){
		.pace = *pace,
		.interval = of_cycles(pace->mean_cycles),
		.due = (unsigned __int128)begin_cycles << 64,
		.state = pace->seed,
	};
}

uint64_t schedule_next(struct schedule *schedule)
{
	unsigned __int128 interval = schedule->interval;

	if (schedule->pace.is_poisson)
		interval = of_cycles(-log(uniform(&schedule->state)) * schedule->pace.mean_cycles);
	schedule->due += interval;
	return (uint64_t)(schedule->due >> 64);
}
