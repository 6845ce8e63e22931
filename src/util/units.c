// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parses the numbers that users write. Called by the option table's parsers and the codecs of side-channel text. */
#include "util/units.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16; /* not a digit in any base */
}

/*
 * The integer at the start of text, and its end. -EINVAL: there is none. -ERANGE: it is negative or above 2^64 - 1;
 * *end is set nevertheless, because trailing characters are the more important error.
 */
static int integer_scan(const char *text, const char **end, uint64_t *value)
{
	bool out_of_range = *text == '-';
	uint64_t sum = 0;
	int base = 10;
	const char *digits;

	if (*text == '-')
		text++;
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		text += 2;
	}
	for (digits = text; digit_value(*text) < base; text++)
		if (__builtin_mul_overflow(sum, (uint64_t)base, &sum) ||
		    __builtin_add_overflow(sum, (uint64_t)digit_value(*text), &sum))
			out_of_range = true;
	if (text == digits)
		return -EINVAL;
	*end = text;
	*value = sum;
	return out_of_range ? -ERANGE : 0;
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

static const char *digits_skip(const char *text)
{
	while (isdigit((unsigned char)*text))
		text++;
	return text;
}

/* strtod() also accepts blanks, hexadecimal, nan and inf; this is the rest of its grammar. */
static bool text_is_decimal(const char *text)
{
	const char *whole, *end;

	whole = *text == '-' ? text + 1 : text;
	end = digits_skip(whole);
	if (end == whole && *end != '.')
		return false;
	if (*end == '.') {
		end = digits_skip(end + 1);
		if (end == whole + 1)
			return false; /* only a point */
	}
	if (*end == 'e' || *end == 'E') {
		const char *exponent = end + 1;

		if (*exponent == '+' || *exponent == '-')
			exponent++;
		end = digits_skip(exponent);
		if (end == exponent)
			return false;
	}
	return !*end;
}

int units_parse_double(const char *text, double min, double max, double *value)
{
	double result;

	if (!text_is_decimal(text))
		return -EINVAL;
	result = strtod(text, NULL); /* an overflow gives infinity, which exceeds any max */
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
