// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The values of a loop's variable. See loop.h. */
#include "qperf/control/loop.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "params/engine/opt.h"
#include "qperf/options/values.h"
#include "util/units.h"

#define NUM_FIELDS 4
#define FORM	   "Var:Init:Last:Incr, such as msg_size:1:64K:*2"
#define VARIABLE   "allowed: the name of an option that has a number, such as msg_size, m or time"

/* Splits a text at colons; missing fields repeat the last one. */
static int split(const char *text, char fields[NUM_FIELDS][64])
{
	unsigned n = 0;

	for (;;) {
		const size_t length = strcspn(text, ":");

		if (length >= sizeof(fields[0]) || n == NUM_FIELDS)
			return -EINVAL;
		memcpy(fields[n], text, length);
		fields[n++][length] = '\0';
		if (!text[length])
			break;
		text += length + 1;
	}
	for (unsigned missing = n; missing < NUM_FIELDS; missing++)
		strcpy(fields[missing], fields[n - 1]);
	return 0;
}

/* Converts a value to the variable's unit: ns for a time, otherwise as sizes are written, as is a factor. */
static int loop_read_value(const char *text, bool is_time, uint64_t *value, char *reason, size_t reason_size)
{
	char quoted[OPT_QUOTE_SIZE];

	if (is_time ? units_parse_ns(text, 0, UINT32_MAX, value) : value_size(text, 0, VALUE_MOST_SIZE, value))
		return opt_refuse(reason, reason_size, "-oo: bad %s: %s; allowed: %s", is_time ? "time" : "size",
				  opt_quote(text, quoted),
				  is_time ? "0 or at least 0.001, may end in s, m, h or d"
					  : "a whole number, may end in K, M or G");
	return 0;
}

static bool is_number(const struct opt_row *row)
{
	return (row->kind == OPT_INTEGER || row->kind == OPT_SIZE || row->kind == OPT_TIME) &&
	       row->programs != QPERF_SERVER;
}

static int find_variable(const char *name, struct loop *loop, char *reason, size_t reason_size)
{
	char quoted[OPT_QUOTE_SIZE];

	loop->variable = option_find_variable(*name ? name : "msg_size");
	if (!loop->variable.row)
		return opt_refuse(reason, reason_size, "-oo: %s: no such variable; " VARIABLE, opt_quote(name, quoted));
	if (loop->variable.on || !is_number(loop->variable.row))
		return opt_refuse(reason, reason_size, "-oo: %s does not take a number; " VARIABLE,
				  opt_quote(name, quoted));
	snprintf(loop->word, sizeof(loop->word), "%s%.40s", strlen(name) > 4 || !*name ? "--" : "-",
		 *name ? name : "msg_size");
	return 0;
}

int loop_parse(const char *text, struct loop *loop, char *reason, size_t reason_size)
{
	struct sweep *values = &loop->values;
	char fields[NUM_FIELDS][64];
	bool is_time;
	int ret;

	if (!*text)
		return opt_refuse(reason, reason_size, "-oo: missing argument: " FORM);
	if (split(text, fields))
		return opt_refuse(reason, reason_size, "-oo: expected " FORM);
	ret = find_variable(fields[0], loop, reason, reason_size);
	if (ret)
		return ret;
	is_time = loop->variable.row->kind == OPT_TIME;
	values->multiplies = fields[3][0] == '*';
	if (!fields[2][0])
		return opt_refuse(reason, reason_size, "-oo: must specify limit: " FORM);
	values->first = !values->multiplies ? 0 : is_time ? NS_PER_S : 1;
	if (fields[1][0])
		ret = loop_read_value(fields[1], is_time, &values->first, reason, reason_size);
	if (!ret)
		ret = loop_read_value(fields[2], is_time, &values->last, reason, reason_size);
	if (!ret)
		ret = loop_read_value(fields[3] + values->multiplies, is_time && !values->multiplies, &values->step,
				      reason, reason_size);
	if (ret)
		return ret;
	if (!values->step)
		return opt_refuse(reason, reason_size, "-oo: 0: increment must be positive");
	if (values->multiplies && (values->step == 1 || !values->first) && values->first <= values->last)
		return opt_refuse(reason, reason_size, "-oo: %" PRIu64 " times %" PRIu64 ": the loop would never end",
				  values->first, values->step);
	return 0;
}

int loop_apply(const struct loop *loop, uint64_t value, struct qperf_params *params, char *reason, size_t reason_size)
{
	char text[32];

	if (loop->variable.row->kind == OPT_TIME)
		snprintf(text, sizeof(text), "%llu.%09llu", value / NS_PER_S, value % NS_PER_S);
	else
		snprintf(text, sizeof(text), "%" PRIu64, value);
	return option_apply(&loop->variable, loop->word, text, params, reason, reason_size);
}
