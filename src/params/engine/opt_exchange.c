// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options as text between programs. See opt_exchange.h. */
#include "params/engine/opt_exchange.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_MARK "?"

static bool travels(const struct opt_row *row, unsigned programs)
{
	return row->reach != OPT_LOCAL && row->programs & programs;
}

/* Does the row have the same value in both? */
static bool is_same(const struct opt_row *row, const void *values, const char *value)
{
	char other[OPT_TEXT_SIZE];

	return strcmp(value, opt_value_write(row, values, true /* as requested */, other, sizeof(other))) == 0;
}

size_t opt_export(const struct opt_table *table, unsigned program, const void *values, const void *defaults,
		  const bool *given, char *text, size_t size)
{
	char value[OPT_TEXT_SIZE];
	size_t used = 0;
	bool fits;

	if (size)
		text[0] = '\0';
	for (unsigned i = 0; i < table->num_rows; i++) {
		const struct opt_row *row = &table->rows[i];

		if (!travels(row, program) || (given && !given[i]))
			continue;
		opt_value_write(row, values, true /* as requested */, value, sizeof(value));
		fits = used < size;
		used += (size_t)snprintf(fits ? text + used : NULL, fits ? size - used : 0, "%s%s=%s\n",
					 defaults && is_same(row, defaults, value) ? DEFAULT_MARK : "", row->long_name,
					 value);
	}
	return used;
}

/* One line, split. The text comes from the network: only the length of its parts is checked. */
struct opt_line {
	bool is_default;
	char name[OPT_QUOTE_SIZE];
	char value[OPT_TEXT_SIZE];
};

/* Splits the line at *text and advances past it. 0 or -EBADMSG. */
static int line_scan(const char **text, struct opt_line *line)
{
	const char *begin = *text, *end = strchr(begin, '\n'), *equals;

	if (!end)
		return -EBADMSG;
	line->is_default = *begin == *DEFAULT_MARK;
	if (line->is_default)
		begin++;
	equals = memchr(begin, '=', (size_t)(end - begin));
	if (!equals || equals == begin || (size_t)(equals - begin) >= sizeof(line->name) ||
	    (size_t)(end - equals) > sizeof(line->value))
		return -EBADMSG;
	snprintf(line->name, sizeof(line->name), "%.*s", (int)(equals - begin), begin);
	snprintf(line->value, sizeof(line->value), "%.*s", (int)(end - equals - 1), equals + 1);
	*text = end + 1;
	return 0;
}

int opt_import(const struct opt_table *table, unsigned program, const char *who, const char *text, void *values,
	       bool *seen, char *reason, size_t reason_size)
{
	char shown[OPT_QUOTE_SIZE + 2], wrong[OPT_TEXT_SIZE];
	struct opt_line line;

	while (*text) {
		const struct opt_row *row;
		const char *fault = NULL;

		if (line_scan(&text, &line))
			return opt_refuse(reason, reason_size, "%s's parameters are malformed", who);
		row = opt_find(table, line.name);
		if (!row && line.is_default)
			continue;
		if (!row)
			fault = "is unknown here; update this side, or omit the option";
		else if (!travels(row, program))
			fault = "cannot be passed on";
		else if (seen[row - table->rows])
			fault = "came twice";
		snprintf(shown, sizeof(shown), "--%s", line.name);
		if (fault)
			return opt_refuse(reason, reason_size, "%s's option %s %s", who, opt_quote(shown).text, fault);
		seen[row - table->rows] = true;
		/* A text that was not given, and has no default. */
		if (row->kind == OPT_STRING && !line.value[0] && !opt_default(row, program))
			memset((char *)values + row->offset, 0, 1);
		else if (opt_value_read(row, program, values, line.value, wrong, sizeof(wrong)))
			return opt_refuse(reason, reason_size, "%s's --%s: %s", who, row->long_name, wrong);
	}
	return 0;
}
