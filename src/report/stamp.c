// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which time of day is it? See stamp.h; columns, csv and the documents ask. */
#include "report/stamp.h"

#include <stdio.h>

const char *stamp_text(const struct timespec *when, char text[STAMP_SIZE])
{
	struct tm utc;
	char day[STAMP_SIZE];

	gmtime_r(&when->tv_sec, &utc);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(text, STAMP_SIZE, "%.32s.%03ldZ", day, when->tv_nsec / 1000000);
	return text;
}
