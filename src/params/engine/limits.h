/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The limits of --max_percentiles: "50:2.5,99.9:10", percentiles with the maximum of each, in microseconds; and by how
 * much any limit is missed.
 */
#pragma once

#include <stdbool.h>

struct percentile_limit {
	double percent; /* above 0, at most 100 */
	double usec;	/* above 0 */
};

/* "12 %" of the limit, or "a factor of 25", without an exponent. */
struct limit_missed {
	char text[32];
};
struct limit_missed limit_missed_by(double value, double limit);

/* The n-th of a list; false: the list ends before it, or is invalid. */
bool percentile_limit_at(const char *text, unsigned n, struct percentile_limit *limit);
/* What is wrong with a list; NULL: nothing. */
const char *check_percentile_limits(const char *text);
