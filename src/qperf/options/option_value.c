// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Parses the value of an option and stores it, by the option's row. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "params/engine/opt.h"
#include "qperf/options/options.h"
#include "qperf/options/values.h"

static const char *option_check_mtu(uint64_t value)
{
	return value == 256 || value == 512 || value == 1024 || value == 2048 || value == 4096
		       ? NULL
		       : "not an MTU; must be 256/512/1K/2K/4K";
}

static int option_refuse(char *reason, size_t reason_size, const char *word, const char *text, const char *fault)
{
	char quoted[OPT_QUOTE_SIZE];

	return opt_refuse(reason, reason_size, "%s: %s: %s", word, opt_quote(text, quoted), fault);
}

static int read_word(const struct option_row *row, const char *text, uint64_t *value, const char **fault)
{
	for (unsigned i = 0; i < MAX_CHOICES && row->choices[i]; i++) {
		if (strcmp(text, row->choices[i]) == 0) {
			*value = i;
			return 0;
		}
	}
	*fault = "no such word";
	return -EINVAL;
}

static int option_read_number(const struct option_row *row, const char *text, uint64_t *value, const char **fault)
{
	const bool is_cpu = row->kind == OPTION_CPU;
	int ret;

	if (row->kind == OPTION_CHOICE)
		return read_word(row, text, value, fault);
	if (is_cpu && strcmp(text, "any") == 0) {
		*value = 0;
		return 0;
	}
	ret = row->kind == OPTION_SIZE	 ? value_size(text, value, fault)
	      : row->kind == OPTION_TIME ? value_time(text, value, fault)
	      : row->kind == OPTION_REAL ? value_real(text, value, fault)
					 : value_integer(text, value, fault);
	if (!ret && (*value < row->min || *value > row->max)) {
		*fault = "out of range";
		ret = -EINVAL;
	}
	*value += is_cpu;
	if (!ret && row->parameter == PARAM_MTU_SIZE) {
		*fault = option_check_mtu(*value);
		ret = *fault ? -EINVAL : 0;
	}
	return ret;
}

static const char *check_text(const struct option_row *row, const char *text, size_t size)
{
	/* 0.4.11 accepts this, for empty variables in scripts: the default. */
	if (!*text)
		return row->parameter >= 0 && row->parameter < NUM_CLASSIC_PARAMETERS ? NULL : "empty";
	if (strlen(text) >= size)
		return "too long";
	for (const char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return "has control characters";
	return row->check ? row->check(text) : NULL;
}

static void *member(const struct option_row *row, struct qperf_params *params)
{
	return (char *)params + row->offset;
}

static void set_verbose(const struct option_row *row, struct style *style)
{
	const bool one = !(row->classes & (row->classes - 1));

	for (unsigned i = 0; i < NUM_VERBOSE; i++)
		if (row->classes & 1U << i && (one || style->verbose[i] < row->level))
			style->verbose[i] = row->level;
}

/* For one side or both. text: of a text option; NULL: number. */
static void set_parameter(const struct spelling *spelling, const char *word, const char *text, uint64_t number,
			  struct qperf_params *params)
{
	const enum parameter parameter = spelling->row->parameter;
	struct qperf_side *sides[] = {&params->local, &params->remote};
	uint32_t *given[] = {&params->given_local, &params->given_remote};

	for (unsigned i = 0; i < 2; i++) {
		if (spelling->side == (i ? SIDE_LOCAL : SIDE_REMOTE))
			continue;
		if (text)
			strcpy(side_text(sides[i], parameter), text);
		else
			sides[i]->number[parameter] = number;
		*given[i] |= PARAM_BIT(parameter);
	}
	params->spelling[parameter] = word;
}

static int apply_text(const struct spelling *spelling, const char *word, const char *text, struct qperf_params *params,
		      char *reason, size_t reason_size)
{
	const struct option_row *row = spelling->row;
	char *to = member(row, params);
	const size_t before = row->repeats && *to ? strlen(to) + 1 : 0;
	const char *fault = check_text(row, text, (row->parameter < 0 ? row->size : PARAM_TEXT_SIZE) - before);

	if (fault)
		return option_refuse(reason, reason_size, word, text, fault);
	if (before) {
		to[before - 1] = '\n';
		to += before;
	}
	if (row->parameter < 0)
		strcpy(to, text);
	else
		set_parameter(spelling, word, text, 0, params);
	return 0;
}

/* The allowed range; "" if the error message already has it. */
static void write_allowed(const struct option_row *row, uint64_t value, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	if (row->kind == OPTION_INTEGER || row->kind == OPTION_ON_OFF || row->kind == OPTION_CPU)
		snprintf(text, size, "; must be %" PRIu64 " to %" PRIu64, row->min, row->max);
	for (unsigned i = 0; row->kind == OPTION_CHOICE && i < MAX_CHOICES && row->choices[i]; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s",
					 !i					      ? "; must be "
					 : i + 1 < MAX_CHOICES && row->choices[i + 1] ? ", "
										      : " or ",
					 row->choices[i]);
	if (row->kind == OPTION_SIZE && value < row->min)
		snprintf(text, size, "; must be at least %" PRIu64, row->min);
	if (row->kind == OPTION_REAL)
		snprintf(text, size, "; must be %g to %g", (double)row->min / 1000, (double)row->max / 1000);
	if (row->kind == OPTION_TIME && value < row->min)
		snprintf(text, size, "; must be at least %g s", (double)row->min / (double)NS_PER_S);
}

int option_apply(const struct spelling *spelling, const char *word, const char *text, struct qperf_params *params,
		 char *reason, size_t reason_size)
{
	const struct option_row *row = spelling->row;
	const char *fault = "";
	char allowed[96], text_of_fault[160];
	uint64_t value = spelling->on ? 1 : row->min;

	switch (row->kind) {
	case OPTION_LOOP:
	case OPTION_TOPIC:
		return 0; /* handled by command.c */
	case OPTION_FLAG:
		*(bool *)member(row, params) = true;
		return 0;
	case OPTION_VERBOSE:
		set_verbose(row, &params->style);
		return 0;
	case OPTION_TEXT:
		return apply_text(spelling, word, text, params, reason, reason_size);
	default:
		break;
	}
	if (!spelling->on && option_read_number(row, text, &value, &fault)) {
		write_allowed(row, value, allowed, sizeof(allowed));
		snprintf(text_of_fault, sizeof(text_of_fault), "%s%s", fault, allowed);
		return option_refuse(reason, reason_size, word, text, text_of_fault);
	}
	if (row->parameter < 0)
		memcpy(member(row, params), &value, sizeof(value));
	else
		set_parameter(spelling, word, NULL, value, params);
	return 0;
}
