// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Converts text to numbers. See values.h. */
#include "qperf/options/values.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct known_text {
	const char *text;
	double value;
};

static int read_value(const char *text, uint64_t min, uint64_t max, int (*compare)(const char *, const char *),
		      uint64_t *read)
{
	/* The last three are as -vu shows them; 0.4.11 does not accept those. */
	static const struct known_text suffixes[] = {
		{"", 1},	 {"k", 1e3},	  {"kb", 1e3},	   {"m", 1e6},	    {"mb", 1e6},     {"g", 1e9},
		{"gb", 1e9},	 {"K", 0x1p10},	  {"kib", 0x1p10}, {"M", 0x1p20},   {"mib", 0x1p20}, {"G", 0x1p30},
		{"gib", 0x1p30}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {NULL, 0},
	};
	const struct known_text *suffix = suffixes;
	double value;
	char *end;

	if ((*text < '0' || *text > '9') && *text != '.')
		return -EINVAL; /* not blanks, signs, "inf", "nan" */
	value = strtod(text, &end);
	while (suffix->text && compare(end, suffix->text) != 0)
		suffix++;
	value *= suffix->value;
	if (end == text || !suffix->text || value != floor(value))
		return -EINVAL;
	if (value < (double)min || value > (double)max)
		return -ERANGE;
	*read = (uint64_t)value;
	return 0;
}

int value_size(const char *text, uint64_t min, uint64_t max, uint64_t *bytes)
{
	return read_value(text, min, max, strcmp, bytes);
}

int value_rate(const char *text, uint64_t min, uint64_t max, uint64_t *per_second)
{
	return read_value(text, min, max, strcasecmp /* k, of 1000, is found first */, per_second);
}

double value_static_rate(const char *text)
{
	static const struct known_text rates[] = {
		{"", 0},       {"max", 0},    {"1xSDR", 2.5}, {"1xDDR", 5},  {"1xQDR", 10}, {"4xSDR", 10},
		{"4xDDR", 20}, {"4xQDR", 40}, {"8xSDR", 20},  {"8xDDR", 40}, {"8xQDR", 80}, {"2.5", 2.5},
		{"5", 5},      {"10", 10},    {"20", 20},     {"30", 30},    {"40", 40},    {"60", 60},
		{"80", 80},    {"120", 120},  {NULL, 0},
	};
	const struct known_text *rate = rates;

	while (rate->text && strcmp(text, rate->text) != 0)
		rate++;
	return rate->text ? rate->value : -1;
}
