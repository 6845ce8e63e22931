/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Text for humans: the classic header, address lines, table and sections. Called by report.c, which checks whether the
 * stream accepted it.
 */
#pragma once

#include <stdio.h>

#include "report/report_config.h"
#include "report/row.h"
#include "util/endpoint.h"

void text_rule(FILE *out, const struct report_config *config);
/* A line that begins with a blank; folded on a terminal. */
void text_line(FILE *out, const char *line);
void text_header(FILE *out, const struct report_config *config, const struct report_info *run_info);
void text_endpoint(FILE *out, const struct report_config *config, bool local, const struct endpoint *endpoint);
/*
 * Is the index-th endpoint of a side shown? A terminal gets the first two of each side and, instead of the last, the
 * number of the others, unless --verbose is given.
 */
bool text_shows_endpoint(FILE *out, const struct report_config *config, bool local, unsigned index);
/*
 * The table: written to `to`, which is another stream if it is kept for later, and formatted for `out`, its
 * destination. name: what a row is about, after its columns, or the heading of that; "": omitted.
 */
/* row NULL: the column headings. */
void text_row(FILE *to, FILE *out, const struct report_config *config, const struct report_row *row, const char *name);
/* A rule and the column headings. */
void text_heading(FILE *to, FILE *out, const struct report_config *config, const char *name);
/* Ends the table and begins another one under a title such as " Local results: ". */
void text_section(FILE *to, FILE *out, const struct report_config *config, const char *title, const char *name);
/* --output: only the number. */
void text_only_number(FILE *out, const struct report_config *config, const struct report_row *row);
/* -H and -U: all samples, one per line. 0 or -ENOMEM. */
int text_samples(FILE *out, const struct report_config *config, const struct report_row *row);
/* The arrivals of each work queue; nothing if they are not counted. */
void text_queues(FILE *out, const struct report_config *config, const struct report_row *row);
/* Of the row below those of the intervals, with the least of them: above the row, which scripts look for at the end. */
void text_summary_title(char *title, size_t size, const struct report_config *config, const struct report_row *row);
/* --data_validation: one line about the whole run. */
void text_validation(FILE *out, const struct report_validation *validation);
/* That a row of this many samples shows its maximum instead of percentiles, from this one on. */
void text_unsupported_note(char *text, size_t size, double percent, uint64_t samples);

/*
 * Rows that follow the table: those of single directions, threads and peers. So the table stays as scripts expect it.
 * Initially zero.
 */
struct held_rows {
	struct held_lines {
		FILE *stream; /* NULL: none */
		char *text;   /* as written so far, formatted for their destination */
		size_t size;
	} parts[REPORT_PEER_ALONE + 1];
};

/* Above the rows of a part, for text_section(). */
extern const char *const held_rows_titles[];
/* Adds a row of this part, under its name or "". out: the destination of all. 0 or -ENOMEM. */
int held_rows_add(struct held_rows *held, FILE *out, const struct report_config *shown, const struct report_row *row,
		  enum report_part part, const char *name);
/* Adds the rows of the peers that the row includes. 0 or -ENOMEM. */
int held_rows_add_peers(struct held_rows *held, FILE *out, const struct report_config *config,
			const struct report_row *row);
/* Prints and removes all; out NULL: only that. 0 or -ENOMEM. */
int held_rows_print(struct held_rows *held, FILE *out);
