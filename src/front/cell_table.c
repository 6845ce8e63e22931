// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See cell_table.h. */
#include "front/cell_table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/terminal.h"

#define GAP	  2
#define INDENT	  6 /* of what is continued below */
#define CELL_SIZE 1024

/* The columns of a terminal that is narrower than the table; 0: it is not. */
static int room_of(const struct cell_table *table)
{
	const int room = terminal_set_columns(table->out);
	int width = 1 - GAP; /* before the first is one */

	for (unsigned i = 0; i < table->columns; i++)
		width += GAP + abs(table->widths[i]);
	return room < width ? room : 0;
}

static void text_cell(struct cell_table *table, const char *text)
{
	const int room = room_of(table), width = table->widths[table->column];
	const bool is_last = table->column + 1 == table->columns && width < 0;
	const int length = is_last ? 0 : (int)strlen(text), taken = GAP + (length > abs(width) ? length : abs(width));
	char folded[CELL_SIZE];

	if (!table->column)
		table->used = 1 - GAP;
	if (room && table->used + taken > room && !(is_last && !text[0])) {
		fprintf(table->out, "\n%*s", INDENT, "");
		table->used = INDENT;
	}
	if (room && is_last)
		text = text_fold(text, room, table->used + GAP, table->used + GAP, folded, sizeof(folded));
	fprintf(table->out, "%*s%*s", table->column ? GAP : 1, "", is_last ? 0 : width, text);
	table->used += taken;
}

bool markdown_is_special(char character)
{
	return character && strchr("\\`*[]<>|&", character);
}

static void markdown_cell(const struct cell_table *table, const char *text)
{
	fprintf(table->out, table->column ? " | " : "| ");
	for (; *text; text++)
		fprintf(table->out, markdown_is_special(*text) ? "\\%c" : "%c", *text);
}

void cell_table_cell(struct cell_table *table, const char *format, ...)
{
	char text[CELL_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	without_controls(text);
	if (table->markdown)
		markdown_cell(table, text);
	else
		text_cell(table, text);
	table->column = (table->column + 1) % table->columns;
	if (!table->column)
		fprintf(table->out, table->markdown ? " |\n" : "\n");
}

void cell_table_begin(struct cell_table *table)
{
	for (unsigned i = 0; i < table->columns; i++)
		cell_table_cell(table, "%s", table->headings[i]);
	for (unsigned i = 0; i < table->columns && table->markdown; i++)
		cell_table_cell(table, table->widths[i] < 0 ? "---" : "--:");
}
