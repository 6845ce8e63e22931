// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parses the numbers that users write. Called by the option table's parsers and the codecs of side-channel text. */
#include "util/units.h"

#include <ctype.h>
#include <errno.h>
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

/* The power of two of a suffix; 0: not a known suffix. */
static unsigned suffix_shift(char c)
{
	switch (c) {
	case 'K':
	case 'k':
		return 10;
	case 'M':
	case 'm':
		return 20;
	case 'G':
	case 'g':
		return 30;
	default:
		return 0;
	}
}

bool units_has_suffix(const char *text)
{
	return *text && suffix_shift(text[strlen(text) - 1]);
}

static int integer_parse(const char *text, bool take_suffix, uint64_t min, uint64_t max, uint64_t *value)
{
	const char *end;
	uint64_t result;
	unsigned shift = 0;
	int ret;

	ret = integer_scan(text, &end, &result);
	if (ret == -EINVAL)
		return ret;
	if (take_suffix)
		shift = suffix_shift(*end);
	if (shift)
		end++;
	if (*end)
		return -EINVAL;
	if (ret)
		return ret;
	if (result > UINT64_MAX >> shift)
		return -ERANGE;
	result <<= shift;
	if (result < min || result > max)
		return -ERANGE;
	*value = result;
	return 0;
}

int units_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	return integer_parse(text, false /* no suffix */, min, max, value);
}

int units_parse_size(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	return integer_parse(text, true /* with suffix */, min, max, value);
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
