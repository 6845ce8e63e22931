/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The limits on figures. Of a latency those of --max_percentiles are "50:2.5,99.9:10", percentiles with the maximum of
 * each, in microseconds. report/judge.h compares.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a limit on a bandwidth or message rate is a percentage of. */
enum limit_unit {
	LIMIT_ABSOLUTE,	   /* it is none */
	LIMIT_OF_POSSIBLE, /* the payload limit (traffic/payload_limit.h) */
	LIMIT_OF_LINE,	   /* the link's rate, with all headers */
};

struct percentile_limit {
	double percent; /* above 0, at most 100 */
	double usec;	/* above 0 */
};

/* What a latency must not be above, in microseconds; 0, or "": no limit. */
struct latency_limits {
	double max_us;	       /* --max_lat: no sample */
	double p99_us;	       /* --max_p99 */
	char percentiles[256]; /* --max_percentiles */
};
static inline bool latency_limits_are_given(const struct latency_limits *limits)
{
	return limits->max_us > 0 || limits->p99_us > 0 || limits->percentiles[0];
}

/* The n-th of a list; false: the list ends before it, or is invalid. */
bool percentile_limit_at(const char *text, unsigned n, struct percentile_limit *limit);
/* What is wrong with a list; NULL: nothing. */
const char *check_percentile_limits(const char *text);
