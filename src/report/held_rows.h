/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rows that follow the table of a text: those of single directions, threads and peers. So the table stays as scripts
 * expect it. Called by report.c.
 */
#pragma once

#include <stdio.h>

#include "report/report_config.h"
#include "report/row.h"

/* Initially zero. */
struct held_rows {
	struct held_lines {
		FILE *stream; /* NULL: none */
		char *text;   /* as written so far, formatted for their destination */
		size_t size;
	} parts[REPORT_PEER_ALONE + 1];
};

/* The title above the rows of a part, for text_section(). */
const char *held_rows_title(enum report_part part);
/* Adds a row of this part, under its name or "". out: the destination of all. 0 or -ENOMEM. */
int held_rows_add(struct held_rows *held, FILE *out, const struct report_config *shown, const struct report_row *row,
		  enum report_part part, const char *name);
/* Adds the rows of the peers that the row includes. 0 or -ENOMEM. */
int held_rows_add_peers(struct held_rows *held, FILE *out, const struct report_config *config,
			const struct report_row *row);
/* Prints and removes all; out NULL: only that. 0 or -ENOMEM. */
int held_rows_print(struct held_rows *held, FILE *out);
