// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads the value of an option, and stores it for one side or both. */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "qperf/options/options.h"

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

static void set_verbose(const struct option_own *own, struct style *style)
{
	const bool one = !(own->classes & (own->classes - 1));

	for (unsigned i = 0; i < NUM_VERBOSE; i++)
		if (own->classes & 1U << i && (one || style->verbose[i] < own->level))
			style->verbose[i] = own->level;
}

/* Of a side: what opt_row.offset counts from. */
static void *values_of(struct qperf_params *params, bool remote)
{
	return (char *)params +
	       (remote ? offsetof(struct qperf_params, remote) - offsetof(struct qperf_params, local) : 0);
}

static int read_parameter(const struct opt_row *row, enum parameter parameter, const char *text, void *values,
			  uint64_t *number, char *reason, size_t reason_size)
{
	int ret;

	/* 0.4.11 accepts this, for empty variables in scripts: the default. */
	if (!*text && row->kind == OPT_STRING && parameter < NUM_CLASSIC_PARAMETERS) {
		*((char *)values + row->offset) = '\0';
		return 0;
	}
	ret = opt_value_read(row, ~0U, values, text, reason, reason_size);
	if (ret)
		return ret;
	if (parameter == PARAM_AFFINITY)
		++*number;
	if (parameter == PARAM_MTU_SIZE && *number & (*number - 1))
		return opt_refuse(reason, reason_size, "%s is not an MTU; must be 256/512/1K/2K/4K",
				  opt_quote(text).text);
	return 0;
}

int option_apply(const struct spelling *spelling, const char *word, const char *text, struct qperf_params *params,
		 char *reason, size_t reason_size)
{
	const struct opt_row *row = spelling->row;
	const struct option_own *own = option_own(row);
	struct qperf_side *sides[] = {&params->local, &params->remote};
	uint32_t *given[] = {&params->given_local, &params->given_remote};
	char why[OPT_TEXT_SIZE];
	int ret = 0;

	if (spelling->on)
		text = "1";
	if (own->classes)
		set_verbose(own, &params->style);
	else if (row->group != OPTIONS_TEST)
		ret = opt_value_read(row, ~0U, params, row->kind == OPT_FLAG ? "on" : text, why, sizeof(why));
	for (unsigned i = 0; !ret && row->group == OPTIONS_TEST && i < 2; i++) {
		if (spelling->side == (i ? SIDE_LOCAL : SIDE_REMOTE))
			continue;
		ret = read_parameter(row, own->parameter, text, values_of(params, i), &sides[i]->number[own->parameter],
				     why, sizeof(why));
		*given[i] |= PARAM_BIT(own->parameter);
		params->spelling[own->parameter] = word;
	}
	if (ret && own->is_switch && *text)
		return opt_refuse(reason, reason_size, "%s: %s is neither 0 (off) nor 1 (on)", word,
				  opt_quote(text).text);
	if (!ret && own->sets)
		*(bool *)((char *)params + own->sets) = true;
	return ret ? opt_refuse(reason, reason_size, "%s: %s", word, why) : 0;
}
