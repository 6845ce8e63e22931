/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A table for people, in columns or as GitHub's Markdown. Of `perftest compare`, `gate`, `verify` and `run -f`. On a
 * terminal narrower than the table rows continue below, each cell under its heading.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct cell_table {
	FILE *out;
	const char *const *headings;
	const int *widths; /* below 0: to the left; of Markdown only that. The last one's is that of usual words */
	unsigned columns;
	bool markdown;
	/* --- zeroed --- */
	unsigned column; /* the next cell's */
	int used;	 /* of the line */
};

/* The headings. */
void cell_table_begin(struct cell_table *table);
/* The next cell, of the next row behind the last column. */
void cell_table_cell(struct cell_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* It would have a meaning in Markdown, or be HTML there, without a \ in front of it. */
bool markdown_is_special(char character);
