// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options as text between programs. See opt_exchange.h. */
#include "params/engine/opt_exchange.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_MARK '?'

bool opt_travels(const struct opt_row *row, unsigned programs)
{
	return row->reach != OPT_LOCAL && row->programs & programs;
}

size_t opt_export_line(char *text, size_t size, size_t used, const char *name, const char *value, bool is_default)
{
	const char mark[] = {is_default ? DEFAULT_MARK : '\0', '\0'};
	const bool fits = used < size;

	return used +
	       (size_t)snprintf(fits ? text + used : NULL, fits ? size - used : 0, "%s%s=%s\n", mark, name, value);
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

	if (size)
		text[0] = '\0';
	for (unsigned i = 0; i < table->num_rows; i++) {
		const struct opt_row *row = &table->rows[i];

		if (!opt_travels(row, program) || (given && !given[i]))
			continue;
		opt_value_write(row, values, true /* as requested */, value, sizeof(value));
		used = opt_export_line(text, size, used, row->long_name, value,
				       defaults && is_same(row, defaults, value));
	}
	return used;
}

int opt_line_scan(const char **text, struct opt_line *line)
{
	const char *begin = *text, *end = strchr(begin, '\n'), *equals;

	if (!end)
		return -EBADMSG;
	line->is_default = *begin == DEFAULT_MARK;
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

int opt_import(const struct opt_table *table, unsigned program, const char *text, void *values, bool *seen,
	       char *reason, size_t reason_size)
{
	char shown[OPT_QUOTE_SIZE + 2], quote[OPT_QUOTE_SIZE], wrong[OPT_TEXT_SIZE];
	struct opt_line line;

	while (*text) {
		const struct opt_row *row;
		const char *fault = NULL;

		if (opt_line_scan(&text, &line))
			return opt_refuse(reason, reason_size, "the client's parameters are malformed");
		row = opt_find(table, line.name);
		if (!row && line.is_default)
			continue;
		if (!row)
			fault = "is unknown here; update this server, or omit the option";
		else if (!opt_travels(row, program))
			fault = "cannot be passed to a server";
		else if (seen[row - table->rows])
			fault = "came twice";
		snprintf(shown, sizeof(shown), "--%s", line.name);
		if (fault)
			return opt_refuse(reason, reason_size, "the client's option %s %s", opt_quote(shown, quote),
					  fault);
		seen[row - table->rows] = true;
		if (opt_value_read(row, program, values, line.value, wrong, sizeof(wrong)))
			return opt_refuse(reason, reason_size, "the client's --%s: %s", row->long_name, wrong);
	}
	return 0;
}

int opt_line_read(const struct opt_row *row, unsigned programs, const struct opt_line *line, void *values,
		  char canonical[OPT_TEXT_SIZE], char *reason, size_t reason_size)
{
	const int ret = opt_value_read(row, programs, values, line->value, reason, reason_size);

	if (!ret)
		opt_value_write(row, values, true /* as requested */, canonical, OPT_TEXT_SIZE);
	return ret;
}
