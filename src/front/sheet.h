/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A page of `perftest report`, as HTML or Markdown: headings, paragraphs and tables; and a table of `perftest compare`,
 * `gate`, `verify` and `run -f`, as text or Markdown. All text is escaped here, wherever it is from.
 *
 * On a terminal narrower than the table rows of text continue below, each cell under its heading. The HTML is also XML,
 * so that any parser reads it. It refers to nothing outside of itself, has no scripts and forbids both
 * (Content-Security-Policy).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SHEET_NUMBER_SIZE  32
#define SHEET_MOST_COLUMNS 64

struct sheet {
	FILE *out;
	bool html; /* or Markdown, but: */
	/* of the columns of text; below 0: to the left. The last one's is that of usual words. NULL: it is no text */
	const int *widths;
	unsigned charts; /* so far */
	/* --- of the table that is open --- */
	unsigned columns, column; /* the next cell */
	uint64_t words, pictures; /* a bit for each column of these */
	bool folded;
	int used; /* of the line of text */
};

#define SHEET_PRINTF __attribute__((format(printf, 2, 3)))

void sheet_open(struct sheet *sheet, const char *title);
void sheet_close(struct sheet *sheet);
/* Escaped, between two tags that the caller writes; at most 1000 bytes, as everywhere. */
void sheet_text(struct sheet *sheet, const char *format, ...) SHEET_PRINTF;
void sheet_heading(struct sheet *sheet, const char *format, ...) SHEET_PRINTF;
void sheet_paragraph(struct sheet *sheet, const char *format, ...) SHEET_PRINTF;
/* A warning, or what else a reader must not miss. */
void sheet_notice(struct sheet *sheet, const char *format, ...) SHEET_PRINTF;

/*
 * caption, folded: of HTML: shown when its caption is activated, as the table of a chart is; never folded in print.
 * words: a bit for each column of words, which are to the left.
 */
void sheet_table_begin(struct sheet *sheet, const char *caption, bool folded, uint64_t words,
		       const char *const *headings, unsigned columns);
void sheet_table_end(struct sheet *sheet);
/* The next cell, of the next row behind the last column. The first one is the heading of its row. */
void sheet_cell(struct sheet *sheet, const char *format, ...) SHEET_PRINTF;
/* The same around a picture that the caller writes in between; in Markdown there is no such column. */
void sheet_cell_begin(struct sheet *sheet, bool is_heading);
void sheet_cell_end(struct sheet *sheet, bool is_heading);

/* It would have a meaning in Markdown, or be HTML there, without a \ in front of it. */
bool markdown_is_special(char character);
/* Four digits, without an exponent where that is readable; "" if it is not finite. Returns text. */
const char *sheet_number(double value, char text[SHEET_NUMBER_SIZE]);
