// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One option's value: from text into its field and back. The parser, the defaults, the text sent to a server and the
 * generated documents all use these two directions, so that what is printed can be typed.
 */
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "params/engine/opt.h"
#include "util/terminal.h"
#include "util/units.h"

int opt_refuse(char *reason, size_t reason_size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reason, reason_size, format, args);
	va_end(args);
	return -EINVAL;
}

struct opt_quoted opt_quote(const char *text)
{
	const size_t room = OPT_QUOTE_SIZE - sizeof("'...'");
	struct opt_quoted quoted = {"'"};
	size_t used = 1;

	for (; *text && used <= room; text++)
		quoted.text[used++] = isprint((unsigned char)*text) ? *text : '?';
	strcat(quoted.text, *text ? "...'" : "'");
	return quoted;
}

/* --- fields --- */

static void *field(const struct opt_row *row, void *values)
{
	return (char *)values + row->offset;
}

static void integer_store(const struct opt_row *row, void *values, int64_t value)
{
	void *to = field(row, values);

	switch (row->width) {
	case 1:
		*(uint8_t *)to = (uint8_t)value;
		break;
	case 2:
		*(uint16_t *)to = (uint16_t)value;
		break;
	case 4:
		*(uint32_t *)to = (uint32_t)value; /* -1 in an int is returned by integer_load() as -1 */
		break;
	default:
		*(int64_t *)to = value;
	}
}

static int64_t integer_load(const struct opt_row *row, const void *values, bool requested)
{
	const bool used = !requested && row->used_width;
	const void *from = (const char *)values + (used ? row->used_offset : row->offset);

	switch (used ? row->used_width : row->width) {
	case 1:
		return *(const uint8_t *)from;
	case 2:
		return *(const uint16_t *)from;
	case 4:
		return row->special_value < 0 ? *(const int32_t *)from : (int64_t) * (const uint32_t *)from;
	default:
		return *(const int64_t *)from;
	}
}

/* --- reading --- */

static bool is_special(const struct opt_row *row, const char *text)
{
	return (row->special && strcasecmp(text, row->special) == 0) ||
	       (row->special_too && strcasecmp(text, row->special_too) == 0);
}

/* The result of a number parser of units.h, in words. */
static int refuse_number(const struct opt_row *row, const char *text, int error, char *reason, size_t reason_size)
{
	const char *kind = row->kind == OPT_SIZE      ? "a size"
			   : row->kind == OPT_TIME    ? "a time"
			   : row->kind == OPT_INTEGER ? "a whole number"
						      : "a number";
	char allowed[OPT_TEXT_SIZE];

	opt_allowed(row, ~0U, allowed, sizeof(allowed));
	if (error == -ERANGE)
		return opt_refuse(reason, reason_size, "%s is out of range; allowed: %s", opt_quote(text).text,
				  allowed);
	return opt_refuse(reason, reason_size, "%s is not %s; allowed: %s", opt_quote(text).text, kind, allowed);
}

static bool is_time(const struct opt_row *row)
{
	return row->kind == OPT_TIME || (row->kind == OPT_INTEGER && strcmp(row->argument, "SECONDS") == 0);
}

static int integer_read(const struct opt_row *row, void *values, const char *text, char *reason, size_t reason_size)
{
	uint64_t value;
	int ret;

	if (is_special(row, text)) {
		integer_store(row, values, row->special_value);
		return 0;
	}
	if (row->kind == OPT_SIZE)
		ret = (row->parse_size ?: units_parse_size)(text, (uint64_t)row->min, (uint64_t)row->max, &value);
	else if (row->kind == OPT_TIME)
		ret = units_parse_ns(text, row->min, row->max, &value);
	else if (is_time(row))
		ret = units_parse_seconds(text, (uint64_t)row->min, (uint64_t)row->max, &value);
	else
		ret = units_parse_u64(text, (uint64_t)row->min, (uint64_t)row->max, &value);
	if (ret)
		return refuse_number(row, text, ret, reason, reason_size);
	integer_store(row, values, (int64_t)value);
	return 0;
}

/* The unit at the end of a text, from 1; 0: none. */
static unsigned unit_read(const struct opt_row *row, const char *text)
{
	for (unsigned i = 0; i < OPT_MAX_UNITS && row->units[i]; i++) {
		const size_t length = strlen(row->units[i]);

		if (strlen(text) > length && strcmp(text + strlen(text) - length, row->units[i]) == 0)
			return i + 1;
	}
	return 0;
}

static int number_read(const struct opt_row *row, const char *text, bool has_unit, double *value)
{
	uint64_t whole;
	int ret;

	if (!row->parse_size || has_unit)
		return units_parse_double(text, row->min, row->max, value);
	ret = row->parse_size(text, (uint64_t)row->min, (uint64_t)row->max, &whole);
	if (!ret)
		*value = (double)whole;
	return ret;
}

static int double_read(const struct opt_row *row, void *values, const char *text, char *reason, size_t reason_size)
{
	const unsigned unit = unit_read(row, text);
	const size_t behind = unit ? strlen(row->units[unit - 1]) : row->bare_unit && units_has_suffix(text);
	double value = (double)row->special_value;
	const char *number = text;
	char bare[64];
	int ret = 0;

	if (behind && strlen(text) - behind < sizeof(bare)) {
		snprintf(bare, sizeof(bare), "%.*s", (int)(strlen(text) - behind), text);
		number = bare;
	}
	if (!is_special(row, text))
		ret = number_read(row, number, unit != 0, &value);
	if (ret)
		return refuse_number(row, text, ret, reason, reason_size);
	*(double *)field(row, values) = value + 0.0; /* "-0" is 0 */
	if (row->units[0])
		*(unsigned *)((char *)values + row->unit_offset) = unit;
	return 0;
}

static bool has_choice(const struct opt_row *row, unsigned index, unsigned programs)
{
	return !row->choices[index].programs || row->choices[index].programs & programs;
}

static int choice_read(const struct opt_row *row, unsigned programs, void *values, const char *text, char *reason,
		       size_t reason_size)
{
	char allowed[OPT_TEXT_SIZE];

	if (is_special(row, text)) {
		integer_store(row, values, row->special_value);
		return 0;
	}
	for (unsigned i = 0; i < OPT_MAX_CHOICES && row->choices[i].word; i++) {
		if (has_choice(row, i, programs) && strcasecmp(text, row->choices[i].word) == 0) {
			integer_store(row, values, row->choices[i].value);
			return 0;
		}
	}
	if (row->absent && strcasecmp(text, row->absent->word) == 0)
		return opt_refuse(reason, reason_size, "this version does not have %s: %s; allowed: %s",
				  row->absent->word, row->absent->purpose,
				  opt_allowed(row, programs, allowed, sizeof(allowed)));
	return opt_refuse(reason, reason_size, "%s is not a valid value; allowed: %s", opt_quote(text).text,
			  opt_allowed(row, programs, allowed, sizeof(allowed)));
}

static int flag_read(const struct opt_row *row, void *values, const char *text, char *reason, size_t reason_size)
{
	if (strcmp(text, "on") != 0 && strcmp(text, "off") != 0)
		return opt_refuse(reason, reason_size, "%s is neither on nor off", opt_quote(text).text);
	*(bool *)field(row, values) = strcmp(text, "on") == 0;
	return 0;
}

static int string_read(const struct opt_row *row, void *values, const char *text, char *reason, size_t reason_size)
{
	const size_t length = strlen(text), before = row->repeats ? strlen(field(row, values)) : 0;
	const char *wrong = row->check ? row->check(text) : NULL;
	char *to = (char *)field(row, values) + before;

	if (length + before + (before > 0) >= row->width)
		return opt_refuse(reason, reason_size, "%s is too long; allowed: up to %u characters",
				  opt_quote(text).text, row->width - 1U);
	if (wrong)
		return opt_refuse(reason, reason_size, "%s %s", opt_quote(text).text, wrong);
	if (before)
		*to++ = '\n';
	memcpy(to, text, length + 1);
	return 0;
}

static int compare_doubles(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* Sorted, and each percentage once: as they are reported. */
static int percents_read(const struct opt_row *row, void *values, const char *text, char *reason, size_t reason_size)
{
	const unsigned room = row->width / sizeof(double);
	unsigned *count = (unsigned *)((char *)values + row->count_offset);
	double *to = field(row, values);
	double list[OPT_TEXT_SIZE / sizeof(double)];
	unsigned read = 0, kept = 0;
	char item[32];
	size_t length;
	int ret;

	if (is_special(row, text)) {
		memset(to, 0, row->width);
		*count = 0;
		return 0;
	}
	for (;; text += length + 1) {
		length = strcspn(text, ",");
		if (read == room)
			return opt_refuse(reason, reason_size, "there are more than %u percentiles", room);
		snprintf(item, sizeof(item), "%.*s", length < sizeof(item) ? (int)length : (int)sizeof(item), text);
		ret = length < sizeof(item) ? units_parse_double(item, row->min, row->max, &list[read]) : -EINVAL;
		if (ret)
			return refuse_number(row, item, ret, reason, reason_size);
		read++;
		if (!text[length])
			break;
	}
	qsort(list, read, sizeof(list[0]), compare_doubles);
	memset(to, 0, row->width);
	for (unsigned i = 0; i < read; i++)
		if (!kept || list[i] > to[kept - 1])
			to[kept++] = list[i];
	*count = kept;
	return 0;
}

int opt_value_read(const struct opt_row *row, unsigned programs, void *values, const char *text, char *reason,
		   size_t reason_size)
{
	if (!*text)
		return opt_refuse(reason, reason_size, "the value is empty");
	switch (row->kind) {
	case OPT_FLAG:
		return flag_read(row, values, text, reason, reason_size);
	case OPT_INTEGER:
	case OPT_SIZE:
	case OPT_TIME:
		return integer_read(row, values, text, reason, reason_size);
	case OPT_DOUBLE:
		return double_read(row, values, text, reason, reason_size);
	case OPT_CHOICE:
		return choice_read(row, programs, values, text, reason, reason_size);
	case OPT_PERCENTS:
		return percents_read(row, values, text, reason, reason_size);
	case OPT_STRING:
		break;
	}
	return string_read(row, values, text, reason, reason_size);
}

/* --- writing --- */

static bool reads_back(const char *text, double value)
{
	const double read = strtod(text, NULL);

	return !(read < value) && !(read > value);
}

/* The fewest digits that read back as the same number: 0.1, not 0.1000000000000000056. */
static int double_write(double value, char *buffer, size_t size)
{
	int length = 0;

	for (int decimals = 0; decimals <= 9 && value < 1e15; decimals++) {
		length = snprintf(buffer, size, "%.*f", decimals, value);
		if (reads_back(buffer, value))
			return length;
	}
	for (int digits = 1; digits <= DBL_DECIMAL_DIG; digits++) {
		length = snprintf(buffer, size, "%.*g", digits, value);
		if (reads_back(buffer, value))
			break;
	}
	return length;
}

static void choice_write(const struct opt_row *row, int64_t value, char *buffer, size_t size)
{
	for (unsigned i = 0; i < OPT_MAX_CHOICES && row->choices[i].word; i++) {
		if (row->choices[i].value == value) {
			snprintf(buffer, size, "%s", row->choices[i].word);
			return;
		}
	}
	snprintf(buffer, size, "%s", row->special ? row->special : "");
}

static void percents_write(const struct opt_row *row, const void *values, char *buffer, size_t size)
{
	const unsigned count = *(const unsigned *)((const char *)values + row->count_offset);
	const double *list = (const double *)((const char *)values + row->offset);
	size_t used = 0;

	if (!count) {
		snprintf(buffer, size, "%s", row->special);
		return;
	}
	for (unsigned i = 0; i < count; i++) {
		if (i)
			buffer[used++] = ',';
		used += (size_t)double_write(list[i], buffer + used, size - used);
	}
}

const char *opt_value_write(const struct opt_row *row, const void *values, bool requested, char *buffer, size_t size)
{
	const bool used = !requested && row->used_width;
	const void *from = (const char *)values + (used ? row->used_offset : row->offset);
	int64_t number;
	unsigned unit;

	switch (row->kind) {
	case OPT_FLAG:
		snprintf(buffer, size, "%s", *(const bool *)from ? "on" : "off");
		break;
	case OPT_INTEGER:
	case OPT_SIZE:
		number = integer_load(row, values, requested);
		if (row->special && number == row->special_value)
			snprintf(buffer, size, "%s", row->special);
		else
			snprintf(buffer, size, "%" PRId64, number);
		break;
	case OPT_TIME:
		double_write((double)integer_load(row, values, requested) / 1e9, buffer, size);
		break;
	case OPT_DOUBLE:
		if (row->special && !(*(const double *)from > 0) && !row->special_value) {
			snprintf(buffer, size, "%s", row->special);
			break;
		}
		double_write(*(const double *)from, buffer, size);
		unit = row->units[0] ? *(const unsigned *)((const char *)values + row->unit_offset) : 0;
		if (unit)
			text_add(buffer, size, "%s", row->units[unit - 1]);
		break;
	case OPT_CHOICE:
		choice_write(row, integer_load(row, values, requested), buffer, size);
		break;
	case OPT_PERCENTS:
		percents_write(row, values, buffer, size);
		break;
	case OPT_STRING:
		snprintf(buffer, size, "%s", (const char *)from);
		break;
	}
	return buffer;
}

/* --- what is allowed --- */

static void range_write(const struct opt_row *row, char *buffer, size_t size)
{
	/* units_parse_ns() reads nothing between them. */
	const bool has_gap = row->kind == OPT_TIME && !(row->min > 0);
	const bool has_powers = row->kind == OPT_SIZE || row->parse_size;
	char min[32], max[32];

	if (row->kind == OPT_DOUBLE || row->kind == OPT_PERCENTS || row->kind == OPT_TIME) {
		double_write(row->min, min, sizeof(min));
		double_write(row->max, max, sizeof(max));
	} else {
		snprintf(min, sizeof(min), "%.0f", row->min);
		snprintf(max, sizeof(max), "%.0f", row->max);
	}
	snprintf(buffer, size, "%s%s to %s%s%s%s%s%s", min, has_gap ? " or 0.001" : "", max,
		 has_powers	 ? ", may end in K, M or G"
		 : is_time(row)	 ? ", may end in s, m, h or d"
		 : row->units[0] ? ", may end in "
				 : "",
		 has_powers && row->units[0] ? ", " : "", row->units[0] ? row->units[0] : "",
		 row->units[1] ? " or " : "", row->units[1] ? row->units[1] : "");
}

void opt_list(char *buffer, size_t size, const char *const *words, unsigned count, const char *last)
{
	buffer[0] = '\0';
	for (unsigned i = 0; i < count; i++)
		text_add(buffer, size, "%s%s", i == 0 ? "" : i + 1 == count ? last : ", ", words[i]);
}

static void choices_write(const struct opt_row *row, unsigned programs, char *buffer, size_t size)
{
	const char *words[OPT_MAX_CHOICES + 1];
	unsigned count = 0;

	for (unsigned i = 0; i < OPT_MAX_CHOICES && row->choices[i].word; i++)
		if (has_choice(row, i, programs))
			words[count++] = row->choices[i].word;
	if (row->special)
		words[count++] = row->special;
	opt_list(buffer, size, words, count, " or ");
}

const char *opt_allowed(const struct opt_row *row, unsigned programs, char *buffer, size_t size)
{
	switch (row->kind) {
	case OPT_FLAG:
		snprintf(buffer, size, "on or off");
		break;
	case OPT_CHOICE:
		choices_write(row, programs, buffer, size);
		break;
	case OPT_STRING:
		snprintf(buffer, size, "up to %u characters", row->width - 1U);
		break;
	default:
		range_write(row, buffer, size);
		if (row->special)
			text_add(buffer, size, ", or %s", row->special);
	}
	return buffer;
}

const char *opt_default(const struct opt_row *row, unsigned program)
{
	for (unsigned i = 0; row->special_defaults && i < OPT_MAX_SPECIAL && row->special_defaults[i].text; i++)
		if (row->special_defaults[i].programs & program)
			return row->special_defaults[i].text;
	return row->default_text;
}
