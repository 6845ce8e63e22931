/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The limits of --max_percentiles: "50:2.5,99.9:10", percentiles with the maximum of each, in microseconds; and by how
 * much any limit is missed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct percentile_limit {
	double percent; /* above 0, at most 100 */
	double usec;	/* above 0 */
};

/* "12 %" of the limit, or "a factor of 25", without an exponent. */
struct limit_missed {
	char text[32];
};
struct limit_missed limit_missed_by(double value, double limit);

/* --limit_intervals: a soak may have any number, so that only the worst is named with all of them. */
struct interval_limits {
	uint64_t judged;
	uint64_t missed;
	double worst_factor; /* by which the worst missed its limit; 0: none did */
	char worst[512];     /* behind "4 of 4 intervals miss a limit" */
};

/* A miss by this factor, above 1, of an interval that `missed` does not count yet. Is it the first, which is reported
 * at once? */
bool interval_limits_miss(struct interval_limits *limits, double factor, const char *worst);
/* The sentence about all; false: no interval misses a limit. Its second line is about the worst. */
bool interval_limits_text(const struct interval_limits *limits, char *text, size_t size);

/* The n-th of a list; false: the list ends before it, or is invalid. */
bool percentile_limit_at(const char *text, unsigned n, struct percentile_limit *limit);
/* What is wrong with a list; NULL: nothing. */
const char *check_percentile_limits(const char *text);
