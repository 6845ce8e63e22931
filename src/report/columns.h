/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * THE columns of every result of the ib_* programs: rows for the engine of table.h. Called by text.c, csv.c and
 * document.c, which know nothing of single columns.
 */
#ifndef REPORT_COLUMNS_H
#define REPORT_COLUMNS_H

#include "report/report_config.h"
#include "report/row.h"
#include "report/table.h"

/*
 * The forms of a text row; the heads of FORM_BW and FORM_BW_FINE are the same. Which columns a form has in front is
 * classic perftest's choice, and scripts take them by their number: none is ever put between them.
 */
enum form {
	FORM_BW,
	FORM_BW_FINE, /* Gb/s below 0.1: six decimals */
	FORM_LAT,
	FORM_LAT_TIME, /* -D and --run_infinitely */
	FORM_RULES,
	FORM_RULES_TIME, /* -D */
};

/* What a test has, for the columns. */
#define IN_BW	       (1U << METRIC_BW)
#define IN_LAT	       (1U << METRIC_LAT)
#define IN_RULES       (1U << METRIC_STEERING)
#define HAS_CPU_UTIL   (1U << 8)  /* --cpu_util */
#define HAS_VALIDATION (1U << 9)  /* --data_validation */
#define HAS_DIRECTIONS (1U << 10) /* -b */

/* The table of this run, whose rows are struct report_row. It points into config. */
void columns_table(struct table *table, const struct report_config *config);

/* Of times in text and in lists of samples: usec or cycles. */
struct unit columns_time_unit(const struct report_config *config);

/* The whole head line and row line, without the newline; room as in table.h. The caller frees; NULL: no memory. */
char *columns_heading(const struct report_config *config, int room);
char *columns_row(const struct report_config *config, const struct report_row *row, int room);

/* What --output chooses: the column, or NULL for all. */
const struct column *columns_only(const struct report_config *config, const char **classic_key);

#endif
