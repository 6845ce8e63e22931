/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rows that stand behind the table of a text: those of single directions, threads and peers. The table stays whole, as
 * scripts read it. Called by report.c.
 */
#ifndef REPORT_HELD_ROWS_H
#define REPORT_HELD_ROWS_H

#include <stdbool.h>
#include <stdio.h>

#include "report/report_config.h"
#include "report/row.h"

#define HELD_ROWS_SIZES 64 /* of a sweep: powers of two */

/* What one direction did, for each size. */
struct held_part {
	struct report_row rows[HELD_ROWS_SIZES];
	unsigned count;
};

/* Zeros at first. */
struct held_rows {
	struct held_part local;
	struct held_part remote;
	FILE *alone;	   /* lines of single threads or peers, laid out for where they will be; NULL: there are none */
	char *alone_lines; /* ... that have been written */
	size_t alone_bytes;
};

/* The title above the rows of a part, for text_section(). */
const char *held_rows_title(enum report_part part);
/* A direction's row. False: there is no room. */
bool held_rows_add(struct held_rows *held, const struct report_row *row, enum report_part part);
/* A thread's. out: where all will be. 0 or -ENOMEM. */
int held_rows_add_thread(struct held_rows *held, FILE *out, const struct report_config *config,
			 const struct report_row *row);
/* Those of the peers that are in the row. 0 or -ENOMEM. */
int held_rows_add_peers(struct held_rows *held, FILE *out, const struct report_config *config,
			const struct report_row *row);
/* All of them, which are gone then. 0 or -ENOMEM. */
int held_rows_print(struct held_rows *held, FILE *out, const struct report_config *config);
void held_rows_close(struct held_rows *held);

#endif
