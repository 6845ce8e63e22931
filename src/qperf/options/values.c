// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Converts text to numbers. See values.h. */
#include "qperf/options/values.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "util/units.h"

#define LARGEST 0x1p53 /* all smaller integers are exact as a double */

struct known_text {
	const char *text;
	double value;
};

/* The last three are as -vu shows them; 0.4.11 does not accept those. */
static const struct known_text sizes[] = {
	{"", 1},	 {"k", 1e3},	  {"kb", 1e3},	   {"m", 1e6},	    {"mb", 1e6},     {"g", 1e9},
	{"gb", 1e9},	 {"K", 0x1p10},	  {"kib", 0x1p10}, {"M", 0x1p20},   {"mib", 0x1p20}, {"G", 0x1p30},
	{"gib", 0x1p30}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {NULL, 0},
};

static const struct known_text times[] = {
	{"", 1},     {"s", 1},	  {"S", 1},	{"m", 60},    {"M", 60},
	{"h", 3600}, {"H", 3600}, {"d", 86400}, {"D", 86400}, {NULL, 0},
};

/* Parses a decimal or hexadecimal number; returns its end, or NULL. */
static const char *value_number(const char *text, double *value)
{
	char *end;

	if ((*text < '0' || *text > '9') && *text != '.')
		return NULL; /* not blanks, signs, "inf", "nan" */
	*value = strtod(text, &end);
	return end == text ? NULL : end;
}

static int scaled(const char *text, const struct known_text *suffixes, double *value)
{
	const char *end = value_number(text, value);

	for (; end && suffixes->text; suffixes++) {
		if (strcmp(end, suffixes->text) == 0) {
			*value *= suffixes->value;
			return 0;
		}
	}
	return -EINVAL;
}

int value_integer(const char *text, uint64_t *value, const char **fault)
{
	if (!*text || text[strspn(text, "0123456789")])
		*fault = "not a whole number in decimal digits";
	else if (units_parse_u64(text, 0, UINT64_MAX, value))
		*fault = "out of range";
	else
		return 0;
	return -EINVAL;
}

int value_size(const char *text, uint64_t *bytes, const char **fault)
{
	double value;

	if (scaled(text, sizes, &value)) {
		*fault = "not a size; use a number, optionally followed by K, M, G or KiB, MiB, GiB (of 1024) or k, m, "
			 "g (of 1000)";
		return -EINVAL;
	}
	if (value != floor(value)) {
		*fault = "not a whole number of bytes";
		return -EINVAL;
	}
	if (!(value < LARGEST)) {
		*fault = "too large";
		return -EINVAL;
	}
	*bytes = (uint64_t)value;
	return 0;
}

int value_real(const char *text, uint64_t *thousandths, const char **fault)
{
	static const struct known_text none[] = {{"", 1}, {NULL, 0}};
	double value;

	*fault = "not a number";
	if (scaled(text, none, &value))
		return -EINVAL;
	*fault = "too large";
	if (!(value < LARGEST / 1000))
		return -EINVAL;
	*thousandths = (uint64_t)(value * 1000 + 0.5);
	/* 0 means something else. */
	*fault = "less than 0.001, but not 0";
	return value > 0 && !*thousandths ? -EINVAL : 0;
}

int value_time(const char *text, uint64_t *ns, const char **fault)
{
	double value;

	if (scaled(text, times, &value)) {
		*fault = "not a time; use a number of seconds, or one followed by m, h or d for minutes, hours or days";
		return -EINVAL;
	}
	if (!(value <= UINT32_MAX)) {
		*fault = "too long";
		return -EINVAL;
	}
	if (value > 0 && value < 1e-3) {
		*fault = "shorter than a millisecond";
		return -EINVAL;
	}
	*ns = (uint64_t)(value * (double)NS_PER_S + 0.5);
	return 0;
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
