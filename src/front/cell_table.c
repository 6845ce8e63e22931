// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See cell_table.h. */
#include "front/cell_table.h"

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

static void text_row(const struct cell_table *table, const char *const *cells)
{
	const int room = room_of(table);
	char folded[CELL_SIZE];
	int used = 1 - GAP;

	for (unsigned i = 0; i < table->columns; i++) {
		const bool is_last = i + 1 == table->columns && table->widths[i] < 0;
		const int width = table->widths[i], length = is_last ? 0 : (int)strlen(cells[i]);
		const int taken = GAP + (length > abs(width) ? length : abs(width));

		if (room && used + taken > room && !(is_last && !cells[i][0])) {
			fprintf(table->out, "\n%*s", INDENT, "");
			used = INDENT;
		}
		fprintf(table->out, "%*s%*s", i ? GAP : 1, "", is_last ? 0 : width,
			room && is_last ? text_fold(cells[i], room, used + GAP, used + GAP, folded, sizeof(folded))
					: cells[i]);
		used += taken;
	}
	fprintf(table->out, "\n");
}

void cell_table_row(const struct cell_table *table, const char *const *cells)
{
	if (!table->markdown) {
		text_row(table, cells);
		return;
	}
	for (unsigned i = 0; i < table->columns; i++) {
		fprintf(table->out, i ? " | " : "| ");
		/* the only character that ends a cell */
		for (const char *at = cells[i]; *at; at++)
			fprintf(table->out, *at == '|' ? "\\%c" : "%c", *at);
	}
	fprintf(table->out, " |\n");
}

void cell_table_begin(const struct cell_table *table)
{
	cell_table_row(table, table->headings);
	for (unsigned i = 0; i < table->columns && table->markdown; i++)
		fprintf(table->out, "%s%s", i ? " | " : "| ", table->widths[i] < 0 ? "---" : "--:");
	if (table->markdown)
		fprintf(table->out, " |\n");
}
