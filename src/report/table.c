// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Text, CSV and JSON from one list of columns. See table.h. */
#include <config.h>

#include "report/table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/terminal.h"

#define MAX_KEY	   96
#define MAX_CELL   64 /* bytes of a number; enough for %f of the largest count */
#define MAX_HEAD   (4 * MAX_CELL)
#define MAX_EXACT  9007199254740992.0 /* 2^53: up to here a double represents every integer */
#define USEC	   1e6
#define MAX_DIGITS 15 /* decimal digits of a double */

static bool is_data(const struct column *column, enum column_skip format)
{
	return column->key && !(column->skip & format);
}

int table_walk(const struct table *table, column_fn visit, void *arg)
{
	for (size_t i = 0; i < table->num_columns; i++) {
		const struct column *column = &table->columns[i];
		const unsigned count = column->per_percentile ? table->num_percentiles : 1;

		if ((column->any && !(column->any & table->has)) || (column->all & ~table->has))
			continue;
		for (unsigned n = 0; n < count; n++) {
			struct column one = *column;
			int err;

			if (column->per_percentile)
				one.percent = table->percentiles[n];
			err = visit(&one, arg);
			if (err)
				return err;
		}
	}
	return 0;
}

/* Is there an earlier column with the same percentile (99 given again)? */
static bool is_repeated(const struct table *table, const struct column *column)
{
	for (size_t i = 0; column->per_percentile && i < table->num_columns; i++) {
		const struct column *other = &table->columns[i];

		if (!other->per_percentile && other->percent == column->percent && other->index == column->index)
			return true;
	}
	return false;
}

/* --- units --- */

struct unit table_printed_unit(const struct table *table, enum quantity quantity)
{
	const struct unit *unit = &table->printed[quantity];

	return unit->label ? *unit : (struct unit){"", "", 1};
}

bool table_data_unit(const struct table *table, enum quantity quantity, unsigned n, struct unit *unit)
{
	static const struct unit units[QUANTITY_KINDS] = {
		[QUANTITY_TEXT] = {"", "", 1},
		[QUANTITY_FLAG] = {"", "", 1},
		[QUANTITY_BYTES] = {"", "_bytes", 1},
		[QUANTITY_COUNT] = {"", "", 1},
		[QUANTITY_SECONDS] = {"", "_seconds", 1},
		[QUANTITY_BANDWIDTH] = {"", "_bytes_per_second", 1},
		[QUANTITY_RATE] = {"", "_per_second", 1},
		[QUANTITY_TPS] = {"", "_per_second", 1},
		[QUANTITY_TIME] = {"usec", "_usec", USEC},
		[QUANTITY_PERCENT] = {"", "_percent", 1},
		[QUANTITY_RATIO] = {"", "", 1},
	};

	if (n > 1 || (n == 1 && !table->also[quantity].suffix))
		return false;
	*unit = n ? table->also[quantity] : units[quantity];
	return true;
}

void column_key(const struct column *column, const struct unit *unit, char *key, size_t key_size)
{
	if (column->percent > 0)
		snprintf(key, key_size, "%s_%.10g%s", column->key, column->percent, unit->suffix);
	else
		snprintf(key, key_size, "%s%s", column->key, unit->suffix);
}

/* A word rather than a number? NULL: it is one. */
static const char *word_of(const struct column *column, const void *row)
{
	if (column->quantity == QUANTITY_TEXT)
		return column_text(column, row);
	if (column->quantity == QUANTITY_FLAG)
		return column_flag(column, row) ? "true" : "false";
	return NULL;
}

/* --- text --- */

/* On a terminal that is narrower than the line. */
#define NARROW_CELL   7
#define NARROW_GAP    2
#define NARROW_INDENT 6

struct line {
	FILE *out;
	const struct table *table;
	const void *row;
	unsigned form;
	bool added; /* in the second pass over the columns, for added ones */
	int room;   /* columns of a terminal that is narrower than the line; 0: it is not */
	int used;   /* of these */
};

static bool is_due(const struct line *line, const struct column *column)
{
	const struct cell *cell = &column->cells[line->form];

	return cell->gap && cell->added == line->added && !is_repeated(line->table, column);
}

static void head_text(const struct column *column, const struct line *line, char head[MAX_HEAD])
{
	const struct unit unit = table_printed_unit(line->table, column->quantity);
	const bool has_blank = !line->room && column->blank_after >> line->form & 1;
	char percent[MAX_CELL] = "", label[MAX_CELL] = "";

	if (column->percent > 0)
		snprintf(percent, sizeof(percent), "%s%.10g", column->percent_gap ? column->percent_gap : "",
			 column->percent);
	if (column->label)
		snprintf(label, sizeof(label), "%s", column->label);
	else if (unit.label[0])
		snprintf(label, sizeof(label), "[%s]", unit.label);
	snprintf(head, MAX_HEAD, "%s%s%s%s", percent, column->head, label, has_blank ? " " : "");
}

/* Under its heading, whose width is that of the column; continues on the next line if a cell does not fit. */
static int print_narrow(const struct column *column, struct line *line, const char *text)
{
	char head[MAX_HEAD];
	const char *begin = head;
	int width, justified;

	head_text(column, line, head);
	begin += strspn(begin, " ");
	width = justified = (int)strlen(begin) > NARROW_CELL ? (int)strlen(begin) : NARROW_CELL;
	if (line->used && line->used + NARROW_GAP + width > line->room) {
		fprintf(line->out, "\n%*s", NARROW_INDENT, "");
		line->used = NARROW_INDENT;
	}
	/* The name of a row, before its figures. */
	if (!line->used && column->quantity == QUANTITY_TEXT && !column->cells[line->form].right)
		justified = -width;
	fprintf(line->out, "%*s%*s", line->used ? NARROW_GAP : 1, "", justified, text ? text : begin);
	line->used += (line->used ? NARROW_GAP : 1) + width;
	return 0;
}

static int print_head(const struct column *column, void *arg)
{
	struct line *line = arg;
	const struct cell *cell = &column->cells[line->form];
	const char *gap = column->head_gap[line->form];
	char head[MAX_HEAD];

	if (!is_due(line, column))
		return 0;
	if (line->room)
		return print_narrow(column, line, NULL);
	head_text(column, line, head);
	fprintf(line->out, "%s%*s", gap ? gap : cell->gap, cell->right ? cell->width : 0, head);
	return 0;
}

static void print_number(const struct column *column, const struct line *line, char text[MAX_CELL])
{
	const struct cell *cell = &column->cells[line->form];
	struct value value = column_value(column, line->row);

	/*
	 * The classic output shows a figure that was not measured as 0.00; nothing else may look like a figure.
	 * strtod() and float() accept "nan" as a number.
	 */
	if (!value.known && !column->zero_unknown)
		value.number = NAN;
	value.number *= table_printed_unit(line->table, column->quantity).scale;
	if (isnan(value.number) && column->unknown)
		snprintf(text, MAX_CELL, "%s", column->unknown);
	else
		snprintf(text, MAX_CELL, "%.*f", cell->precision, value.number);
}

static int print_cell(const struct column *column, void *arg)
{
	struct line *line = arg;
	const struct cell *cell = &column->cells[line->form];
	char number[MAX_CELL];
	const char *word;

	if (!is_due(line, column))
		return 0;
	word = word_of(column, line->row);
	if (!word)
		print_number(column, line, number);
	if (line->room)
		return print_narrow(column, line, word ? word : number);
	fprintf(line->out, "%s%*s", cell->gap, cell->right ? cell->width : -cell->width, word ? word : number);
	return 0;
}

static void print_line(struct line *line, column_fn print)
{
	table_walk(line->table, print, line);
	line->added = true;
	table_walk(line->table, print, line);
}

void table_heading(FILE *out, const struct table *table, unsigned form, int room)
{
	struct line line = {.out = out, .table = table, .form = form, .room = room};

	print_line(&line, print_head);
}

void table_row(FILE *out, const struct table *table, unsigned form, const void *row, int room)
{
	struct line line = {.out = out, .table = table, .form = form, .row = row, .room = room};

	print_line(&line, print_cell);
}

int table_room(int columns, const struct table *table, unsigned form, size_t more)
{
	char *text = NULL;
	size_t size = 0;
	FILE *heading = columns ? open_memstream(&text, &size) : NULL;
	bool fits = true;

	if (heading) {
		table_heading(heading, table, form, 0 /* without a limit */);
		fits = fclose(heading) || size + more <= (size_t)columns;
		free(text);
	}
	return fits ? 0 : columns;
}

/* --- CSV --- */

struct csv_line {
	FILE *out;
	const struct table *table;
	const void *row; /* NULL: the line of keys */
	bool begun;
};

static void print_field(const struct csv_line *line, const struct column *column, const struct unit *unit)
{
	const bool is_integer = column->quantity == QUANTITY_BYTES || column->quantity == QUANTITY_COUNT;
	const int digits = line->table->csv_digits && !is_integer ? line->table->csv_digits : MAX_DIGITS;
	const char *word = word_of(column, line->row);
	struct value value;

	if (word) {
		fputs(word, line->out);
		return;
	}
	value = column_value(column, line->row);
	/* Empty: not measured, or a percentile that needs more samples. */
	if (!value.known || !value.supported)
		return;
	if (line->table->csv_decimals && !is_integer)
		fprintf(line->out, "%.*f", line->table->csv_decimals, value.number * unit->scale);
	else
		fprintf(line->out, "%.*g", digits, value.number * unit->scale);
}

static int print_csv(const struct column *column, void *arg)
{
	struct csv_line *line = arg;
	char key[MAX_KEY];
	struct unit unit;

	if (!is_data(column, COLUMN_SKIP_CSV) || is_repeated(line->table, column))
		return 0;
	for (unsigned n = 0; table_data_unit(line->table, column->quantity, n, &unit); n++) {
		if (line->begun)
			putc(',', line->out);
		line->begun = true;
		if (line->row) {
			print_field(line, column, &unit);
			continue;
		}
		column_key(column, &unit, key, sizeof(key));
		fputs(key, line->out);
	}
	return 0;
}

void table_csv_heading(FILE *out, const struct table *table)
{
	struct csv_line line = {.out = out, .table = table};

	table_walk(table, print_csv, &line);
}

void table_csv_row(FILE *out, const struct table *table, const void *row)
{
	struct csv_line line = {.out = out, .table = table, .row = row};

	table_walk(table, print_csv, &line);
}

/* --- JSON --- */

struct object {
	const struct table *table;
	const void *row;
	json_t *object;
	json_t *percentiles; /* NULL: none so far */
};

json_t *column_json(const struct column *column, const struct value *value, double scale)
{
	const bool is_integer = column->quantity == QUANTITY_BYTES || column->quantity == QUANTITY_COUNT;

	if (!value->known)
		return json_null();
	if (is_integer && value->number <= MAX_EXACT)
		return json_integer((json_int_t)value->number);
	return json_real(value->number * scale);
}

/* The entry of a percent; NULL: no memory. */
static json_t *percentile_entry(struct object *to, double percent, bool supported)
{
	json_t *entry;
	size_t i;

	if (!to->percentiles) {
		to->percentiles = json_array();
		if (json_object_set_new(to->object, "percentiles", to->percentiles))
			return NULL;
	}
	json_array_foreach(to->percentiles, i, entry)
	{
		if (json_real_value(json_object_get(entry, "percent")) == percent)
			return entry;
	}
	entry = json_pack("{s:f, s:b}", "percent", percent, "supported", supported);
	return json_array_append_new(to->percentiles, entry) ? NULL : entry;
}

static int add_percentile(struct object *to, const struct column *column, const struct value *value)
{
	json_t *entry = percentile_entry(to, column->percent, value->supported);
	struct value shown = *value;
	struct unit unit;
	char key[MAX_KEY];
	const size_t stem = strcspn(column->key, "_");

	/* With several distributions, the first says whether the percent has enough samples. */
	shown.known = value->known && value->supported && json_is_true(json_object_get(entry, "supported"));
	for (unsigned n = 0; table_data_unit(to->table, column->quantity, n, &unit); n++) {
		snprintf(key, sizeof(key), "%.*s%s", (int)stem, column->key, unit.suffix);
		if (json_object_set_new(entry, key, column_json(column, &shown, unit.scale)))
			return -ENOMEM;
	}
	return 0;
}

static int add_column(const struct column *column, void *arg)
{
	struct object *to = arg;
	struct value value;
	char key[MAX_KEY];
	struct unit unit;

	if (!is_data(column, COLUMN_SKIP_JSON) || is_repeated(to->table, column))
		return 0;
	if (column->quantity == QUANTITY_TEXT)
		return json_object_set_new(to->object, column->key, json_string(column_text(column, to->row)));
	if (column->quantity == QUANTITY_FLAG)
		return json_object_set_new(to->object, column->key, json_boolean(column_flag(column, to->row)));
	value = column_value(column, to->row);
	if (column->percent > 0)
		return add_percentile(to, column, &value);
	for (unsigned n = 0; table_data_unit(to->table, column->quantity, n, &unit); n++) {
		column_key(column, &unit, key, sizeof(key));
		if (json_object_set_new(to->object, key, column_json(column, &value, unit.scale)))
			return -ENOMEM;
	}
	return 0;
}

static int add_printed(const struct column *column, void *arg)
{
	struct object *to = arg;
	struct value value;

	if (!column->classic)
		return 0;
	value = column_value(column, to->row);
	value.known |= column->zero_unknown && value.number == 0; /* as in the text */
	return json_object_set_new(to->object, column->classic,
				   column_json(column, &value, table_printed_unit(to->table, column->quantity).scale));
}

static json_t *make_object(const struct table *table, const void *row, column_fn add)
{
	struct object to = {.table = table, .row = row, .object = json_object()};

	if (table_walk(table, add, &to)) {
		json_decref(to.object);
		return NULL;
	}
	return to.object;
}

json_t *table_json(const struct table *table, const void *row)
{
	return make_object(table, row, add_column);
}

json_t *table_printed_json(const struct table *table, const void *row)
{
	return make_object(table, row, add_printed);
}

json_t *table_histogram_json(const struct latency *latency)
{
	const struct histogram *histogram = &latency->histogram;
	json_t *buckets = json_array();

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		if (histogram->bucket[i])
			json_array_append_new(buckets,
					      json_pack("[f, I]", histogram_value(i) * latency->tick_seconds * USEC,
							(json_int_t)histogram->bucket[i]));
	}
	return json_pack("{s:I, s:f, s:o}", "count", (json_int_t)histogram->count, "relative_error",
			 latency_relative_error(latency), "buckets_usec", buckets);
}
