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

int opt_line_read(const struct opt_row *row, unsigned programs, const struct opt_line *line, void *values,
		  char canonical[OPT_TEXT_SIZE], char *reason, size_t reason_size)
{
	const int ret = opt_value_read(row, programs, values, line->value, reason, reason_size);

	if (!ret)
		opt_value_write(row, values, true /* as requested */, canonical, OPT_TEXT_SIZE);
	return ret;
}
