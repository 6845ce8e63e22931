/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Results as a table: a program defines its columns once, with values in SI units, and text, CSV and JSON are made from
 * that. The engine depends on no program: ib_*'s columns are in columns.c, cmtime's in cmtime/report.c.
 *
 * A row is any struct of the program: a column says which member of it, or which function, is its value.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "stats/latency.h"

/* The quantity of a value, which determines its units. Values are in the SI unit named here. */
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

/* Layouts of a text row: a program may have several for the same columns, which it numbers. */
#define TABLE_FORMS 9

/* The layout of a number in a text row: the gap before it, then left-justified. */
struct cell {
	const char *gap;  /* NULL: not shown in this layout */
	int8_t width;	  /* minimum */
	int8_t precision; /* decimals */
	bool right;	  /* right-justified after the gap, and so is its heading */
	bool added;	  /* follows all columns that are not added */
};

/* Where a value is in a row, and its type. NaN, UINT64_MAX and a negative int are values that were not measured. */
enum member_type {
	MEMBER_NONE,
	MEMBER_POINTER,
	MEMBER_TEXT,
	MEMBER_FLAG,
	MEMBER_U8,
	MEMBER_INT,
	MEMBER_UNSIGNED,
	MEMBER_U64,
	MEMBER_DOUBLE,
};

struct row_member {
	enum member_type type;
	size_t offset;
};

#define MEMBER(of, name)                                                                                                 \
	{                                                                                                                \
		.type = _Generic(((of *)0)->name,                                                                      \
			const char *: MEMBER_TEXT,                                                                     \
			bool: MEMBER_FLAG,                                                                             \
			uint8_t: MEMBER_U8,                                                                            \
			int: MEMBER_INT,                                                                               \
			unsigned: MEMBER_UNSIGNED,                                                                     \
			uint64_t: MEMBER_U64,                                                                          \
			double: MEMBER_DOUBLE,                                                                         \
			default: MEMBER_POINTER),                                                                      \
		.offset = offsetof(of, name) \
	}

/* NaN: not measured, or no number. */
double row_member_number(struct row_member member, const void *of);
/* Of a pointer or a text. */
const void *row_member_pointer(struct row_member member, const void *of);

/* What of a distribution is shown. */
enum figure {
	FIGURE_NONE,
	FIGURE_COUNT,
	FIGURE_MIN,
	FIGURE_MAX,
	FIGURE_TYPICAL,
	FIGURE_MEAN,
	FIGURE_STDEV,
	FIGURE_PERCENTILE
};

struct column;

/* One value of one row, in the SI unit of the column's quantity. */
struct value {
	double number;
	bool known;	/* false: not measured */
	bool supported; /* false: a percentile that needs more samples; number is the maximum */
};

/* A unit of the output: the label of its heading, the suffix of its key, and the factor from the quantity's unit. */
struct unit {
	const char *label;  /* "MiB/sec"; "" none */
	const char *suffix; /* "_bytes_per_second"; "" none */
	double scale;
};

/* Formats without the column. Text has it if a layout has a cell for it. */
enum column_skip { COLUMN_SKIP_CSV = 1, COLUMN_SKIP_JSON = 2 };

struct column {
	const char *key;     /* JSON and CSV, without the unit's suffix; NULL: text only */
	const char *classic; /* the key in table_printed_json(); NULL: none */
	enum quantity quantity;
	unsigned any;			   /* the table has one of these bits, or any is 0 */
	unsigned all;			   /* ... and all of these */
	unsigned skip;			   /* enum column_skip */
	const char *head;		   /* the text heading without its unit; NULL: in no text layout */
	const char *unknown;		   /* in text, for a value that was not measured; NULL: nan */
	const char *label;		   /* of the heading, instead of the unit in brackets; NULL: the unit */
	const char *head_gap[TABLE_FORMS]; /* NULL: the cell's */
	unsigned blank_after;		   /* layouts, a bit each, in which a blank follows the unit */
	const char *percent_gap;	   /* before a percentile's percent in the heading: "p"; NULL: nothing */
	struct cell cells[TABLE_FORMS];
	/* The value, by one of four ways: a member of the row, or of what a pointer of the row points to ... */
	struct row_member member;
	struct row_member behind; /* the pointer; NULL: not measured. MEMBER_NONE: it is the row's own member */
	struct row_member when;	  /* of the row; 0: not measured. MEMBER_NONE: always */
	/* ... a figure of the distribution at the member's offset behind that pointer; NULL: no figure is known ... */
	enum figure figure;
	/* ... a number; NaN or infinite: not measured; or words */
	double (*value)(const void *row, const struct column *column);
	const char *(*text)(const void *row, const struct column *column);
	unsigned index;	     /* for these functions: which of several similar columns */
	double percent;	     /* of a percentile; 0 otherwise */
	bool per_percentile; /* one column per entry of the table's percentiles */
	bool zero_unknown;   /* 0 means not measured: 0 in text, null in JSON, an empty field in CSV */
};

struct table {
	const struct column *columns;
	size_t num_columns;
	unsigned has; /* bits for the columns' any and all */
	const double *percentiles;
	unsigned num_percentiles;
	struct unit printed[QUANTITY_KINDS]; /* in text and table_printed_json(); label NULL: none, scale 1 */
	struct unit also[QUANTITY_KINDS];    /* a second unit in JSON and CSV, besides the SI unit; suffix NULL: none */
	int csv_decimals;		     /* 0: as many as are significant ... */
	int csv_digits;			     /* ... of this many digits; 0: 15, which counts and bytes always have */
};

/* Called for each column of the table, in order; a non-zero result ends the iteration and is returned. */
typedef int (*column_fn)(const struct column *column, void *arg);
int table_walk(const struct table *table, column_fn visit, void *arg);
/* Of a column that is neither text nor a flag. */
struct value column_value(const struct column *column, const void *row);
const char *column_text(const struct column *column, const void *row);
/* "true" or "false" */
bool column_flag(const struct column *column, const void *row);

/*
 * --- text, without newlines ---
 *
 * room: 0; or the columns of a terminal that is narrower than the line: it continues below, each cell under its
 * heading.
 */
void table_heading(FILE *out, const struct table *table, unsigned form, int room);
void table_row(FILE *out, const struct table *table, unsigned form, const void *row, int room);
/* The columns of a terminal (0: there is none) if the heading, with so many more behind it, is wider; otherwise 0. */
int table_room(int columns, const struct table *table, unsigned form, size_t more);
struct unit table_printed_unit(const struct table *table, enum quantity quantity);

/* --- CSV: comma-separated fields, without newlines --- */
void table_csv_heading(FILE *out, const struct table *table);
void table_csv_row(FILE *out, const struct table *table, const void *row);

/* --- JSON --- */
/* The n-th unit in JSON and CSV: SI, microseconds for times, and the table's additional ones. False after the last. */
bool table_data_unit(const struct table *table, enum quantity quantity, unsigned n, struct unit *unit);
/* "latency_min_usec": the column's key with the unit; for a percentile with its percent. */
void column_key(const struct column *column, const struct unit *unit, char *key, size_t key_size);
/*
 * One object, with units in its keys. Percentiles become an array "percentiles" of one object per percent, in which the
 * key "latency_percentile" is "latency_usec". NULL: no memory.
 */
json_t *table_json(const struct table *table, const void *row);
/* One object with the columns' classic keys, in the units of the text. NULL: no memory. */
json_t *table_printed_json(const struct table *table, const void *row);
json_t *column_json(const struct column *column, const struct value *value, double scale);

/*
 * The histogram of a distribution, so that documents of several runs can be merged: {"count": N, "relative_error": E,
 * "buckets_usec": [[middle, samples], ...]}, ascending, without empty buckets.
 */
json_t *table_histogram_json(const struct latency *latency);
