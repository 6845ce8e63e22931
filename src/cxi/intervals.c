// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See intervals.h. */
#include "cxi/intervals.h"

#include <stdbool.h>

#include "stats/clock.h"

/*
 * The next multiple of the interval, even if the last row was late. If rounding puts it just before the end, the end is
 * meant.
 */
static uint64_t boundary_after(const struct cxi_intervals *intervals, uint64_t now)
{
	const uint64_t length = intervals->length;
	const uint64_t next = clock_next_multiple(intervals->begin, length, now);

	return next <= intervals->end && intervals->end - next < length / 100 ? next + length : next;
}

static bool is_held(const struct cxi_intervals *intervals)
{
	return intervals->held.cycles > intervals->printed.cycles;
}

static void print_until(struct cxi_intervals *intervals, const struct cxi_mark *end)
{
	intervals->row(intervals->context, &intervals->printed, end);
	intervals->printed = *end;
}

void cxi_intervals_start(struct cxi_intervals *intervals, double seconds, uint64_t begin, uint64_t end)
{
	intervals->length = clock_ns_to_cycles(seconds * 1e9);
	intervals->least = clock_ns_to_cycles(CXI_LEAST_INTERVAL_NS);
	intervals->begin = begin;
	intervals->end = end;
	intervals->printed = intervals->held = intervals->counted = (struct cxi_mark){.cycles = begin};
	if (intervals->length)
		intervals->boundary = boundary_after(intervals, begin);
}

void cxi_intervals_look(struct cxi_intervals *intervals, uint64_t now)
{
	const struct cxi_mark *counted = &intervals->counted;

	if (!intervals->length)
		return;
	if (is_held(intervals) && (now - intervals->held.cycles >= intervals->least || now >= intervals->boundary))
		print_until(intervals, &intervals->held);
	if (now < intervals->boundary)
		return;
	intervals->held = *counted;
	if (counted->cycles <= intervals->printed.cycles || now - counted->cycles >= intervals->length / 2)
		intervals->held.cycles = now;
	intervals->boundary = boundary_after(intervals, now);
}

void cxi_intervals_end(struct cxi_intervals *intervals, uint64_t until)
{
	struct cxi_mark end = intervals->counted;

	if (!intervals->length)
		return;
	if (until > end.cycles)
		end.cycles = until;
	if (is_held(intervals) && end.cycles > intervals->held.cycles &&
	    end.cycles - intervals->held.cycles < intervals->least)
		intervals->held = end;
	if (is_held(intervals))
		print_until(intervals, &intervals->held);
	if (end.cycles > intervals->printed.cycles &&
	    (end.lists > intervals->printed.lists || end.cycles - intervals->printed.cycles >= intervals->least))
		print_until(intervals, &end);
}
