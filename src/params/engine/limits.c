// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See limits.h. */
#include "params/engine/limits.h"

#include <stdio.h>
#include <string.h>

#include "util/units.h"

#define LEAST_PERCENT 1e-6
#define LEAST_USEC    1e-6
#define MOST_USEC     1e12

/* Parses a number of length characters. */
static bool limit_number(const char *text, size_t length, double min, double max, double *value)
{
	char number[32];

	if (!length || length >= sizeof(number))
		return false;
	snprintf(number, sizeof(number), "%.*s", (int)length, text);
	return !units_parse_double(number, min, max, value);
}

bool percentile_limit_at(const char *text, unsigned n, struct percentile_limit *limit)
{
	const char *colon;
	size_t length;

	for (; n; n--) {
		text += strcspn(text, ",");
		if (!*text)
			return false;
		text++;
	}
	length = strcspn(text, ",");
	colon = memchr(text, ':', length);
	return colon && limit_number(text, (size_t)(colon - text), LEAST_PERCENT, 100, &limit->percent) &&
	       limit_number(colon + 1, length - (size_t)(colon + 1 - text), LEAST_USEC, MOST_USEC, &limit->usec);
}

const char *check_percentile_limits(const char *text)
{
	struct percentile_limit limit;
	unsigned count = 1;

	for (const char *at = text; *at; at++)
		count += *at == ',';
	for (unsigned n = 0; n < count; n++)
		if (!percentile_limit_at(text, n, &limit))
			return "is not a list of percentiles with microseconds such as 50:2.5,99.9:10";
	return NULL;
}
