// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parses the numbers that users write. Called by the option table's parsers and the codecs of side-channel text. */
#include "util/units.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * The integer at the start of text, and its end. -EINVAL: there is none. -ERANGE: it is negative or above 2^64 - 1;
 * *end is set nevertheless, because trailing characters are the more important error.
 */
static int integer_scan(const char *text, const char **end, uint64_t *value)
{
	const bool negative = *text == '-';
	const char *number = text + negative;
	const bool hex = number[0] == '0' && tolower((unsigned char)number[1]) == 'x';
	char *behind;

	/* strtoull() also accepts blanks and signs. */
	if (hex ? !isxdigit((unsigned char)number[2]) : !isdigit((unsigned char)number[0]))
		return -EINVAL;
	errno = 0;
	*value = strtoull(number, &behind, hex ? 16 : 10);
	*end = behind;
	return negative || errno ? -ERANGE : 0;
}

/* What the letter behind a number stands for. */
struct units_suffix {
	char letter; /* NUL: the end of the list */
	uint64_t factor;
};

static const struct units_suffix none[] = {{0}};
static const struct units_suffix of_sizes[] = {{'k', 1 << 10}, {'m', 1 << 20}, {'g', 1 << 30}, {0}};
static const struct units_suffix of_times[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {0}};

/* 0: not a known suffix. */
static uint64_t suffix_factor(const struct units_suffix *suffix, char c)
{
	while (suffix->letter && suffix->letter != tolower((unsigned char)c))
		suffix++;
	return suffix->factor;
}

bool units_has_suffix(const char *text)
{
	return *text && suffix_factor(of_sizes, text[strlen(text) - 1]);
}

static int integer_parse(const char *text, const struct units_suffix *suffixes, uint64_t min, uint64_t max,
			 uint64_t *value)
{
	const char *end;
	uint64_t result, factor;
	int ret;

	ret = integer_scan(text, &end, &result);
	if (ret == -EINVAL)
		return ret;
	factor = suffix_factor(suffixes, *end);
	if (end[factor > 0])
		return -EINVAL;
	if (ret)
		return ret;
	if (factor && __builtin_mul_overflow(result, factor, &result))
		return -ERANGE;
	if (result < min || result > max)
		return -ERANGE;
	*value = result;
	return 0;
}

int units_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	return integer_parse(text, none, min, max, value);
}

int units_parse_seconds(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	return integer_parse(text, of_times, min, max, value);
}

int units_parse_size(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	return integer_parse(text, of_sizes, min, max, value);
}

int units_parse_double(const char *text, double min, double max, double *value)
{
	/* strtod() also accepts blanks, a plus, hexadecimal, nan and inf; an overflow is infinity, which exceeds any
	 * max. */
	const bool may_be = *text && *text != '+' && !text[strspn(text, "0123456789.eE+-")];
	char *end = (char *)text;
	const double result = may_be ? strtod(text, &end) : 0;

	if (!may_be || *end)
		return -EINVAL;
	if (result < min || result > max || result - result != 0)
		return -ERANGE;
	*value = result;
	return 0;
}

int units_parse_ns(const char *text, double min_s, double max_s, uint64_t *ns)
{
	const size_t length = strlen(text);
	const uint64_t factor = length ? suffix_factor(of_times, text[length - 1]) : 0;
	char number[32];
	uint64_t whole;
	double value;
	int ret;

	/* The d at the end of a hexadecimal one is no day. */
	if (!units_parse_seconds(text, 0, UINT64_MAX, &whole)) {
		value = (double)whole;
	} else {
		if (length - (factor > 0) >= sizeof(number))
			return -EINVAL;
		memcpy(number, text, length);
		number[length - (factor > 0)] = '\0';
		ret = units_parse_double(number, 0, HUGE_VAL, &value);
		if (ret)
			return ret;
		value *= factor ? (double)factor : 1;
	}
	if (value < min_s || value > max_s || (value > 0 && value < 1e-3))
		return -ERANGE;
	*ns = (uint64_t)(value * 1e9 + 0.5);
	return 0;
}
