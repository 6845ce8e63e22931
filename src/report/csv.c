// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Rows for spreadsheets and scripts: comma separated, a decimal point, nothing that needs quotes. */
#include "report/csv.h"

#include <inttypes.h>

#include "report/columns.h"
#include "report/row_kind.h"
#include "report/stamp.h"

#define MAX_KEY 96

struct table {
	FILE *out;
	const struct params *params;
	const struct report_row *row; /* NULL: the line of keys */
};

static void print_value(FILE *out, const struct value *value, const struct unit *unit)
{
	/* Empty: not measured, or a percentile that so few samples can't support. */
	if (value->known && value->supported)
		fprintf(out, ",%.15g", value->number * unit->scale);
	else
		putc(',', out);
}

static int print_column(const struct column *column, void *arg)
{
	struct table *table = arg;
	struct value value = {0};
	char key[MAX_KEY];
	struct unit unit;
	unsigned n;

	if (!column->key || columns_is_repeated(column))
		return 0;
	if (table->row)
		value = columns_value(column, table->row);
	for (n = 0; columns_data_unit(column->quantity, table->params, n, &unit); n++) {
		columns_key(column, &unit, key, sizeof(key));
		if (table->row)
			print_value(table->out, &value, &unit);
		else
			fprintf(table->out, ",%s", key);
	}
	return 0;
}

void csv_heading(FILE *out, const struct params *params, const struct counters *counters)
{
	struct table table = {.out = out, .params = params};
	size_t i;

	fputs("kind,part,partial,interval_begin_seconds", out);
	columns_walk(params, print_column, &table);
	for (i = 0; counters && i < counters->count; i++)
		fprintf(out, ",%s", counters->list[i].name);
	if (params->timestamps)
		fputs(",time", out);
	putc('\n', out);
}

void csv_row(FILE *out, const struct params *params, const struct report_row *row, enum report_part part,
	     const struct counters *counters)
{
	struct table table = {.out = out, .params = params, .row = row};
	char stamp[STAMP_SIZE];
	size_t i;

	fprintf(out, "%s,%s,%s,", row_kind_name(row), row_part_name(part), row->partial ? "true" : "false");
	if (row->is_interval)
		fprintf(out, "%.15g", row->interval_begin_s);
	columns_walk(params, print_column, &table);
	for (i = 0; counters && i < counters->count; i++) {
		/* Counters belong to the whole: local and remote are parts of it. */
		if (part == REPORT_TOTAL)
			fprintf(out, ",%" PRId64, counters->list[i].delta);
		else
			putc(',', out);
	}
	if (params->timestamps)
		fprintf(out, ",%s", stamp_text(&row->over, stamp));
	putc('\n', out);
}
