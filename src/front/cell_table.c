// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See cell_table.h. */
#include "front/cell_table.h"

void cell_table_row(const struct cell_table *table, const char *const *cells)
{
	for (unsigned i = 0; i < table->columns && !table->markdown; i++) {
		const int width = i + 1 == table->columns && table->widths[i] < 0 ? 0 : table->widths[i];

		fprintf(table->out, "%s%*s", i ? "  " : " ", width, cells[i]);
	}
	for (unsigned i = 0; i < table->columns && table->markdown; i++) {
		fprintf(table->out, i ? " | " : "| ");
		/* the only character that ends a cell */
		for (const char *at = cells[i]; *at; at++)
			fprintf(table->out, *at == '|' ? "\\%c" : "%c", *at);
	}
	fprintf(table->out, table->markdown ? " |\n" : "\n");
}

void cell_table_begin(const struct cell_table *table)
{
	cell_table_row(table, table->headings);
	for (unsigned i = 0; i < table->columns && table->markdown; i++)
		fprintf(table->out, "%s%s", i ? " | " : "| ", table->widths[i] < 0 ? "---" : "--:");
	if (table->markdown)
		fprintf(table->out, " |\n");
}
