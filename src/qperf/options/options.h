/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options, as qperf 0.4.11 spells them: words with one or two dashes, which cannot be abbreviated, and whose value
 * is always a separate word. A row defines the long and the short form, those for one side (--loc_, -l, --rem_, -r) and
 * the form that turns it on (-ar1).
 */
#pragma once

#include <stddef.h>

#include "qperf/options/parameters.h"

enum option_kind {
	OPTION_FLAG, /* sets a bool */
	OPTION_VERBOSE,
	OPTION_INTEGER,
	OPTION_ON_OFF, /* an integer; 0 is off */
	OPTION_SIZE,
	OPTION_TIME,
	OPTION_REAL, /* a decimal number; stored in thousandths */
	OPTION_CPU,
	OPTION_TEXT,
	OPTION_CHOICE, /* one of a few words; stored as its number */
	OPTION_LOOP,
	OPTION_TOPIC, /* of --help; optional */
};

/* Which program has the option? The server only has those of SERVER and EITHER. */
enum option_owner { OWNER_CLIENT, OWNER_SERVER, OWNER_EITHER };

#define MAX_CHOICES 6

struct option_row {
	const char *name;     /* "cpu_affinity" */
	const char *letters;  /* "ca"; NULL: no short form */
	const char *shown;    /* the name in -vu; NULL: the same */
	const char *argument; /* name in the help; NULL: no argument */
	enum option_kind kind;
	int parameter;	 /* enum parameter; -1: none, but the member at offset */
	uint16_t offset; /* in struct qperf_params */
	uint16_t size;	 /* of a text, including its NUL */
	bool one_sided;	 /* has forms for one side */
	bool has_on;	 /* has a form that ends with 1 */
	bool repeats;	 /* of a text: it may be given several times; each is a line */
	enum option_owner owner;
	enum option_owner local_owner; /* of the form for the local side */
	uint64_t min;
	uint64_t max;
	const char *choices[MAX_CHOICES];
	uint8_t classes; /* OPTION_VERBOSE: bits of enum verbose_class */
	uint8_t level;
	/* The error in a text; NULL: none. */
	const char *(*check)(const char *text);
	const char *summary; /* a few words, for "opts" */
	const char *help;    /* sentences, for "options" and the manual page; NULL: the summary is enough */
};

extern const struct option_row option_rows[];
extern const size_t num_option_rows;
/* Each parameter has one. */
const struct option_row *option_of(enum parameter parameter);

enum option_side { SIDE_BOTH, SIDE_LOCAL, SIDE_REMOTE };

/* The meaning of an option word. */
struct spelling {
	const struct option_row *row; /* NULL: unknown */
	enum option_side side;
	bool on;	     /* the value is 1, and no word follows */
	const char *instead; /* the word was obsolete; this replaces it */
};

struct spelling option_find(const char *word);
/* What was probably meant by a word that is no option; NULL: unknown. May use the buffer. */
const char *option_find_similar(const char *word, char *buffer, size_t size);
/* The same for the variable of a loop, which is written without dashes. */
struct spelling option_find_variable(const char *name);
bool option_takes_value(const struct spelling *spelling);

/* 0, or -EINVAL with a reason, and nothing is changed. text: the value, NULL if there is none. */
int option_apply(const struct spelling *spelling, const char *word, const char *text, struct qperf_params *params,
		 char *reason, size_t reason_size);
