/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * THE columns of every result of the ib_* programs: rows for the engine of table.h. Called by text.c, csv.c and
 * document.c, which depend on no particular column.
 */
#pragma once

#include "report/report_config.h"
#include "report/row.h"
#include "report/table.h"

/*
 * The layouts of a text row; FORM_BW and FORM_BW_FINE have the same headings. Which columns a layout begins with is
 * that of classic perftest, and scripts use their numbers: new ones are never inserted between them.
 */
enum form {
	FORM_BW,
	FORM_BW_FINE,  /* Gb/s below 0.1: six decimals */
	FORM_BW_SL,    /* with the service level */
	FORM_BW_PORTS, /* --report-per-port */
	FORM_LAT,
	FORM_LAT_TIME, /* -D and --run_infinitely */
	FORM_RULES,
	FORM_RULES_TIME, /* -D */
	FORM_LOAD,	 /* --rate */
};

/* Properties of a test, for the columns. */
#define IN_BW	       (1U << METRIC_BW)
#define IN_LAT	       (1U << METRIC_LAT)
#define IN_RULES       (1U << METRIC_STEERING)
#define IN_LOAD	       (1U << 5) /* latency of an open loop, instead of IN_LAT */
#define HAS_SL	       (1U << 6) /* -S of raw Ethernet */
#define IN_BURSTS      (1U << 7)
#define HAS_CPU_UTIL   (1U << 8)  /* --cpu_util */
#define HAS_VALIDATION (1U << 9)  /* --data_validation */
#define HAS_DIRECTIONS (1U << 10) /* -b */
#define HAS_REPEATS    (1U << 11) /* --repeat, --until */
#define HAS_UNTIL      (1U << 12) /* --until */
#define HAS_STEADY     (1U << 13) /* --steady */
#define HAS_LOAD_STEPS (1U << 14) /* --rate in shares of a maximum */
#define HAS_THREADS    (1U << 15) /* --threads */
#define HAS_PORTS      (1U << 16) /* --report-per-port */
#define HAS_PEERS      (1U << 17) /* --clients, HOST,HOST */
#define HAS_BOTH_ALONE (1U << 18) /* -b of one pair */
#define HAS_INTERVALS  (1U << 19) /* --report_interval, --run_infinitely */
#define HAS_LOSSES     (1U << 20) /* rows of the receivers of one multicast sender */

/* The table of this run, whose rows are struct report_row. It contains pointers into config. */
struct table columns_table(const struct report_config *config);

/* The lowest percentile, in percent, that needs more samples than these; 0: none does, or there are none. */
double columns_unsupported(const struct report_config *config, uint64_t samples);

/* Of text and of lists of samples: usec or cycles. */
struct unit columns_unit(const struct report_config *config, enum quantity quantity);

/*
 * The whole row as a line, without the newline; row NULL: the heading. to: another stream than out, its destination, if
 * it is kept for later. Returns the room, as in table.h.
 */
int columns_line(FILE *to, FILE *out, const struct report_config *config, const struct report_row *row);

/* The column that --output chooses, or NULL for all. */
const struct column *columns_only(const struct report_config *config, const char **classic_key);
