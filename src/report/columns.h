/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * THE columns of every result: heading, unit, width, JSON and CSV key, and how the value is taken
 * from a struct report_row. Text, CSV and JSON are all made by walking this one table. Called by
 * text.c, csv.c and json.c, which know nothing of single columns.
 */
#ifndef REPORT_COLUMNS_H
#define REPORT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "params/perftest_parameters.h"
#include "report/report.h"

/* What a value is; decides the units that it is shown in. Values are taken in the unit named here. */
enum quantity {
	QUANTITY_BYTES,
	QUANTITY_COUNT,
	QUANTITY_SECONDS,
	QUANTITY_BANDWIDTH, /* bytes per second */
	QUANTITY_RATE,	    /* messages per second */
	QUANTITY_TPS,	    /* transactions per second */
	QUANTITY_TIME,	    /* cycles of the clock, already divided by rtt_factor */
	QUANTITY_PERCENT,   /* 0..100 */
};

/* How one number of a text row is laid out: the gap before it, then left-justified. */
struct cell {
	const char *gap; /* NULL: the form does not show the column */
	int width;	 /* at least */
	int precision;	 /* decimals */
	bool added;	 /* classic perftest has no such column there: it stands behind those that it has */
};

/*
 * The forms of a text row; the heads of FORM_BW and FORM_BW_FINE are the same. Which columns a form has in front is
 * classic perftest's choice, and scripts take them by their number: none is ever put between them.
 */
enum form {
	FORM_BW,
	FORM_BW_FINE, /* Gb/s below 0.1: six decimals */
	FORM_LAT,
	FORM_LAT_TIME, /* -D and --run_infinitely */
	FORM_COUNT,
};

#define IN_BW  (1U << METRIC_BW)
#define IN_LAT (1U << METRIC_LAT)

struct column {
	const char *key;     /* JSON and CSV, without the unit's suffix; NULL: text only */
	const char *classic; /* the key in the classic JSON object "results"; NULL: not there */
	enum quantity quantity;
	unsigned metrics; /* IN_BW, IN_LAT: the tests that have the column */
	const char *head; /* the text heading without its unit; NULL: text doesn't show it in any form */
	const char *head_gap[FORM_COUNT];
	const char *head_end[FORM_COUNT]; /* what follows the unit; NULL: nothing */
	struct cell cells[FORM_COUNT];
	double (*value)(const struct report_row *row, double percent);
	double percent;	      /* of a percentile; 0 otherwise */
	bool per_percentile;  /* stands for one column per entry of --percentiles */
	bool only_cpu_util;   /* there with --cpu_util only */
	bool only_validation; /* there with --data_validation only */
	bool zero_unknown;    /* 0 means that it was not measured: null in JSON, an empty field in CSV */
};

/* One value of one row, in the unit of the column's quantity. */
struct value {
	double number;
	bool known;	/* false: not measured */
	bool supported; /* false: a percentile that so few samples can't support; number is the maximum */
};

/* A unit of the output: what its heading says, what its key ends in, and how many of it are in one of the quantity. */
struct unit {
	const char *label;  /* "MiB/sec"; "" none */
	const char *suffix; /* "_bytes_per_second"; "" none */
	double scale;
};

/* Called for each column of the metric, in order; a non-zero answer ends the walk and is returned. */
typedef int (*column_fn)(const struct column *column, void *arg);
int columns_walk(const struct params *params, column_fn visit, void *arg);

struct value columns_value(const struct column *column, const struct report_row *row);

/* The unit in which text, --output and the classic JSON object show the quantity: MiB/sec or Gb/sec, usec or cycles. */
struct unit columns_printed_unit(enum quantity quantity, const struct params *params);
/*
 * The n-th unit in which JSON and CSV give it: SI units and microseconds whatever the options, and
 * with -C cycles as well. False behind the last.
 */
bool columns_data_unit(enum quantity quantity, const struct params *params, unsigned n, struct unit *unit);

/* "latency_min_usec": the column's key with the unit; a percentile's with its percent. */
void columns_key(const struct column *column, const struct unit *unit, char *key, size_t key_size);
/* Is there an earlier column with the same key (99 asked for again in --percentiles)? */
bool columns_is_repeated(const struct column *column);

/* The whole head line and row line, without the newline. The caller frees; NULL: no memory. */
char *columns_heading(const struct params *params);
char *columns_row(const struct params *params, const struct report_row *row);

/* What --output chooses: the column, or NULL for all. */
const struct column *columns_only(const struct params *params, const char **classic_key);

#endif
