// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The time of day. See stamp.h; called by columns, csv and the documents. */
#include "report/stamp.h"

#include <stdio.h>

#include "stats/clock.h"

#define SECOND_NS INT64_C(1000000000)

struct timespec stamp_of_cycles(uint64_t cycles)
{
	struct timespec when;
	uint64_t now = clock_cycles();
	int64_t ns;

	clock_gettime(CLOCK_REALTIME, &when);
	if (!cycles || cycles > now)
		return when;
	ns = when.tv_sec * SECOND_NS + when.tv_nsec - (int64_t)clock_cycles_to_ns((double)(now - cycles));
	return (struct timespec){.tv_sec = ns / SECOND_NS, .tv_nsec = ns % SECOND_NS};
}

const char *stamp_text(const struct timespec *when, char text[STAMP_SIZE])
{
	struct tm utc;
	char day[STAMP_SIZE];

	gmtime_r(&when->tv_sec, &utc);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(text, STAMP_SIZE, "%.32s.%03ldZ", day, when->tv_nsec / 1000000);
	return text;
}
