/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Results as a table: a program says once what its columns are, with values in SI units, and text, CSV and JSON are
 * made of that. The engine knows no program: ib_*'s columns stand in columns.c, cmtime's in cmtime/columns.c.
 *
 * A row is whatever struct the program has; the engine passes it on to the columns' functions.
 */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "stats/latency.h"

/* What a value is; decides the units that it is shown in. Values are taken in the SI unit named here. */
enum quantity {
	QUANTITY_TEXT, /* words */
	QUANTITY_FLAG, /* true or false */
	QUANTITY_BYTES,
	QUANTITY_COUNT,
	QUANTITY_SECONDS,   /* shown in seconds */
	QUANTITY_BANDWIDTH, /* bytes per second */
	QUANTITY_RATE,	    /* messages per second */
	QUANTITY_TPS,	    /* transactions per second */
	QUANTITY_TIME,	    /* seconds, shown in microseconds */
	QUANTITY_PERCENT,   /* 0..100 */
	QUANTITY_RATIO,	    /* a plain number */
	QUANTITY_KINDS,
};

/* Forms of a text row: the same columns may be laid out in several ways, which the program numbers. */
#define TABLE_FORMS 9

/* How one number of a text row is laid out: the gap before it, then justified to the left. */
struct cell {
	const char *gap; /* NULL: the form does not show the column */
	int width;	 /* at least */
	int precision;	 /* decimals */
	bool right;	 /* justified to the right, and its head with it, behind the gap */
	bool added;	 /* stands behind all columns that are not */
};

struct column;

/* One value of one row, in the SI unit of the column's quantity. */
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

/* Which formats do not have the column. Text has it where a form has a cell for it. */
enum column_skip { COLUMN_SKIP_CSV = 1, COLUMN_SKIP_JSON = 2 };

struct column {
	const char *key;     /* JSON and CSV, without the unit's suffix; NULL: text only */
	const char *classic; /* the key in table_printed_json(); NULL: not there */
	enum quantity quantity;
	unsigned any;	   /* the table has one of these bits, or it is 0 */
	unsigned all;	   /* ... and all of these */
	unsigned skip;	   /* enum column_skip */
	const char *head;  /* the text heading without its unit; NULL: text doesn't show it in any form */
	const char *label; /* of the heading, in place of the unit's in brackets; NULL: the unit's */
	const char *head_gap[TABLE_FORMS]; /* NULL: the cell's */
	const char *head_end[TABLE_FORMS]; /* what follows the unit; NULL: nothing */
	const char *percent_gap;	   /* in front of a percentile's percent in the head: "p"; NULL: nothing */
	struct cell cells[TABLE_FORMS];
	/* NaN or infinite: not measured. */
	double (*value)(const void *row, const struct column *column);
	const char *(*text)(const void *row, const struct column *column); /* of QUANTITY_TEXT */
	/* Of a column that is one figure of a distribution: how many samples it has; 0: no figure is known. */
	uint64_t (*samples)(const void *row, const struct column *column);
	unsigned index;	     /* for these functions: which of several that are alike */
	double percent;	     /* of a percentile; 0 otherwise */
	bool per_percentile; /* stands for one column per entry of the table's percentiles */
	bool zero_unknown;   /* 0 means that it was not measured: 0 in text, null in JSON, an empty field in CSV */
};

struct table {
	const struct column *columns;
	size_t num_columns;
	unsigned has; /* bits for the columns' any and all */
	const double *percentiles;
	unsigned num_percentiles;
	struct unit printed[QUANTITY_KINDS]; /* of text and table_printed_json(); label NULL: none, scale 1 */
	struct unit also[QUANTITY_KINDS];    /* a second unit in JSON and CSV, besides SI's; suffix NULL: none */
	int csv_decimals;		     /* 0: as many as say something ... */
	int csv_digits;			     /* ... of so many digits; 0: 15, which counts and bytes always have */
};

/* Called for each column that the table has, in order; a non-zero answer ends the iteration and is returned. */
typedef int (*column_fn)(const struct column *column, void *arg);
int table_walk(const struct table *table, column_fn visit, void *arg);
struct value column_value(const struct column *column, const void *row);

/*
 * --- text, without newlines ---
 *
 * room: 0; or the columns of a terminal that the line is too long for: it goes on below, each cell under its head.
 */
void table_heading(FILE *out, const struct table *table, unsigned form, int room);
void table_row(FILE *out, const struct table *table, unsigned form, const void *row, int room);
/* The columns of the terminal behind `out` that the heading is too long for; 0: it is not, or there is no terminal. */
int table_room(FILE *out, const struct table *table, unsigned form);
struct unit table_printed_unit(const struct table *table, enum quantity quantity);

/* --- CSV: fields with commas between them, without newlines --- */
void table_csv_heading(FILE *out, const struct table *table);
void table_csv_row(FILE *out, const struct table *table, const void *row);

/* --- JSON --- */
/*
 * The n-th unit in which JSON and CSV give it: SI units, microseconds for times, and what the table has also. False
 * behind the last.
 */
bool table_data_unit(const struct table *table, enum quantity quantity, unsigned n, struct unit *unit);
/* "latency_min_usec": the column's key with the unit; a percentile's with its percent. */
void column_key(const struct column *column, const struct unit *unit, char *key, size_t key_size);
/*
 * One object, keys with their units. Percentiles become an array "percentiles" of one object for each percent, in which
 * the key "latency_percentile" is "latency_usec". NULL: no memory.
 */
json_t *table_json(const struct table *table, const void *row);
/* One object of the columns' classic keys, in the units of the text. NULL: no memory. */
json_t *table_printed_json(const struct table *table, const void *row);
json_t *column_json(const struct column *column, const struct value *value, double scale);

/*
 * The histogram of a distribution, so that documents of several runs can be merged: {"count": N, "relative_error": E,
 * "buckets_usec": [[middle, samples], ...]}, ascending, without empty buckets. tick_seconds: a unit of the samples.
 */
json_t *table_histogram_json(const struct latency *latency, double tick_seconds);

#endif
