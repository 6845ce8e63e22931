/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rows that follow the table of a text: those of single directions, threads and peers. So the table stays as scripts
 * expect it. Called by report.c.
 */
#ifndef REPORT_HELD_ROWS_H
#define REPORT_HELD_ROWS_H

#include <stdbool.h>
#include <stdio.h>

#include "report/report_config.h"
#include "report/row.h"

#define HELD_ROWS_SIZES 64 /* of a sweep: powers of two */

/* The rows of one direction, for each size. */
struct held_part {
	struct report_row rows[HELD_ROWS_SIZES];
	unsigned count;
};

/* Initially zero. */
struct held_rows {
	struct held_part local;
	struct held_part remote;
	FILE *alone;	   /* lines of single threads or peers, formatted for their destination; NULL: none */
	char *alone_lines; /* ... as written so far */
	size_t alone_bytes;
};

/* The title above the rows of a part, for text_section(). */
const char *held_rows_title(enum report_part part);
/* Adds the row of a direction. False: there is no room. */
bool held_rows_add(struct held_rows *held, const struct report_row *row, enum report_part part);
/* Adds a thread's row. out: the destination of all. 0 or -ENOMEM. */
int held_rows_add_thread(struct held_rows *held, FILE *out, const struct report_config *config,
			 const struct report_row *row);
/* Adds the rows of the peers that the row includes. 0 or -ENOMEM. */
int held_rows_add_peers(struct held_rows *held, FILE *out, const struct report_config *config,
			const struct report_row *row);
/* Prints and removes all. 0 or -ENOMEM. */
int held_rows_print(struct held_rows *held, FILE *out, const struct report_config *config);
void held_rows_close(struct held_rows *held);

#endif
