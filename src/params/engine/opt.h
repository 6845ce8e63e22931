/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The engine of the option tables: argv into a plain struct, and a struct's values as text. It knows no option by name.
 * A table defines once an option's name, its values, where they are stored and which programs have it; parsing, --help,
 * manual pages, completion, the text that a client sends to its server and the JSON document all use the same row.
 *
 * A command line has short options, separate or in a cluster ("-a -b", "-abn5", "-n5", "-n 5"); long ones ("--iters=5",
 * "--iters 5"), which may be abbreviated while they are unique and in which '-' and '_' are the same; operands
 * anywhere; and "--" before operands that begin with a dash.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPT_TEXT_SIZE	1024 /* any value as text, including its NUL */
#define OPT_MAX_CHOICES 8
#define OPT_MAX_ALIASES 2
#define OPT_MAX_SPECIAL 4
#define OPT_MAX_UNITS	2

enum opt_kind {
	OPT_FLAG,    /* bool; without an argument; "on" and "off" as text */
	OPT_INTEGER, /* an unsigned field of 1, 2, 4 or 8 bytes, or int or int64_t with a special word for -1 */
	OPT_SIZE,    /* the same with K, M, G allowed */
	OPT_TIME,    /* a uint64_t in ns; as text seconds with a fraction, or what s, m, h or d says */
	OPT_DOUBLE,
	OPT_CHOICE,   /* one of several words; an integer or enum field */
	OPT_STRING,   /* a char array with the text and its NUL; never empty when given */
	OPT_PERCENTS, /* a comma separated list of percentages: an array of double, ascending, and a count */
};

/* Does an option describe the test, which both ends run together, or one end of it? */
enum opt_reach {
	OPT_LOCAL,	   /* each side has its own; not sent */
	OPT_SHARED,	   /* both sides must have the same value; a server that was given another one refuses */
	OPT_FOLLOWED,	   /* the server uses the client's value, and says so if it was given another one */
	OPT_FOLLOWED_IDLE, /* like OPT_FOLLOWED if the server does not measure, else like OPT_SHARED */
	OPT_OFFERED,	   /* the server uses the client's value unless it was given its own */
};

struct opt_choice {
	const char *word; /* case-insensitive */
	int64_t value;
	unsigned programs; /* with this choice; 0: all that have the option */
};

/* A word that scripts use and that is not a choice here: refused, naming its purpose. */
struct opt_absent_choice {
	const char *word;
	const char *purpose;
};

/* A default that differs from the row's in some programs. */
struct opt_special_default {
	unsigned programs;
	const char *text;
};

struct opt_row {
	char short_name; /* 0: none */
	const char *long_name;
	/* Only in the documents: a short name of several letters, or "" if a program's values are words; or NULL. */
	const char *letters;
	/* Other spellings, not shown in --help; one may be the name of an option of programs without this one. */
	const char *aliases[OPT_MAX_ALIASES];
	bool shows_alias;     /* --help and the completion do show the first */
	const char *argument; /* its name in help; NULL for flags */
	/* Of a number: its value without an argument, which is only a word that is a number; NULL: it needs one. */
	const char *bare;
	enum opt_kind kind;

	/* where parsing stores the value: as requested */
	uint16_t offset;
	uint16_t width;	       /* bytes */
	uint16_t count_offset; /* OPT_PERCENTS: of the unsigned count */
	/* where the value that the test uses is stored, if elsewhere (width 0: it is not) */
	uint16_t used_offset;
	uint16_t used_width;

	double min, max; /* numbers: the range; both below 2^53; of OPT_TIME in seconds */
	/*
	 * OPT_SIZE: reads the text in place of units_parse_size(), whose suffixes it has and others; OPT_DOUBLE: reads
	 * it if none of the units follows, as a whole number. Or NULL.
	 */
	int (*parse_size)(const char *text, uint64_t min, uint64_t max, uint64_t *value);
	/* OPT_DOUBLE: its unit; a suffix K, M or G is read over, as linux-rdma perftest does. NULL: none is allowed. */
	const char *bare_unit;
	/* ... and others, "%", that may follow it: which did is stored in an unsigned, from 1; 0: none. */
	const char *units[OPT_MAX_UNITS];
	uint16_t unit_offset;
	const char *special;	 /* a word allowed instead of a number ("auto", "off"), or NULL */
	const char *special_too; /* another word with that meaning, not shown; or NULL */
	int64_t special_value;
	/* Few rows have these: tables of all would be twice as large, and each page of them is written at start-up. */
	const struct opt_choice *choices;	/* OPT_CHOICE: OPT_MAX_CHOICES, the last ones without a word; or NULL */
	const struct opt_absent_choice *absent; /* or NULL */
	/* Further check of a string; returns what is wrong with it ("is not an IP address") or NULL. */
	const char *(*check)(const char *text);
	bool repeats; /* of a string: it may be given several times; each is a line */
	const char
		*known; /* of a string: words that completion offers, "tcp, shm"; others may be given, too; or NULL */

	const char *default_text; /* as on the command line; NULL: "off", or an empty string */
	bool own_default;	  /* the default is not what other programs do: there it has no effect, either */
	const struct opt_special_default *special_defaults; /* OPT_MAX_SPECIAL, the last ones without a text; or NULL */

	const char *help;  /* one sentence, no full stop */
	const char *brief; /* a few words instead, for the one screen of -h; NULL: not in it */
	unsigned group;	   /* heading in help, an index of opt_table.groups */
	unsigned programs; /* bits of the programs that have the option */
	/* Programs that accept it without effect, as linux-rdma perftest does, or because scripts use it. */
	unsigned tolerated;
	unsigned fulfilled;    /* of those: they do it without being asked, so nothing is said */
	const char *elsewhere; /* why other programs do not have it, for users who try; or NULL */
	enum opt_reach reach;
	unsigned shared;   /* programs in which it is always OPT_SHARED */
	const char *since; /* the first version of the classic suite, or of this one, that had it */
	const void *own;   /* what only its program knows of it; or NULL */
};

/* An option that scripts use and that does not exist here: refused, naming its purpose. */
struct opt_absent {
	const char *long_name; /* also represents names that continue with a dash or an underscore */
	char short_name;       /* '\0': none */
	const char *purpose;   /* "multicast" */
};

/* A name by which users of other programs look for an option of this table. */
struct opt_guess {
	const char *words;
	const char *meant; /* "iters", or with a value "output_format=json" */
	bool anywhere;	   /* also with other words around these */
};

struct opt_table {
	const struct opt_row *rows;
	unsigned num_rows;
	const char *const *groups;
	unsigned num_groups;
	const char *operand;		 /* name of the only, optional operand: "HOST"; NULL: none */
	const struct opt_absent *absent; /* up to a long_name of NULL; NULL: none */
	const struct opt_guess *guesses; /* up to words of NULL, the first match counts; NULL: none */
	const char *of_unknown;		 /* where options that it lacks belong; NULL: --help lists them all */
	/* "bandwidth tests": the programs of a mask in words. Returns buffer. NULL: all rows belong to one program. */
	const char *(*programs_text)(unsigned programs, char *buffer, size_t size);
};

/* What opt_parse() found besides the values; the arrays have one element per row, which the caller zeroes. */
struct opt_found {
	bool *given;	     /* on the command line, and the program has it */
	bool *idle;	     /* on the command line, but without effect in this program (opt_row.tolerated) */
	bool *suffixed;	     /* given with a suffix that was read over; NULL: the table has no opt_row.bare_unit */
	const char *operand; /* part of argv; NULL: none */
};

/* Sets every field to its default in this program. Fields without a row are left unchanged. */
void opt_init(const struct opt_table *table, unsigned program, void *values);

/* 0, or -EINVAL and one line in reason that names the option, the text and what is allowed. */
int opt_parse(const struct opt_table *table, unsigned program, int argc, char **argv, void *values,
	      struct opt_found *found, char *reason, size_t reason_size);

/*
 * How many of the words, from the first, are options and their values; unknown ones have none. The word behind them is
 * an operand, "--", or not there.
 */
unsigned opt_leading(const struct opt_table *table, unsigned program, char **words, unsigned num_words);

/* The row with this full long name, or with this alias if there is none; NULL: not found. */
const struct opt_row *opt_find(const struct opt_table *table, const char *name);
/* Does the program have an option with this name, of so many bytes? */
bool opt_has(const struct opt_table *table, unsigned program, const char *name, size_t length);
/* Does the program have an option of that group? */
bool opt_group_is_used(const struct opt_table *table, unsigned group, unsigned program);

/* "--size (-s)". Returns buffer. */
const char *opt_title(const struct opt_row *row, char *buffer, size_t size);

/* The option's reach in this program. */
static inline enum opt_reach opt_reach_in(const struct opt_row *row, unsigned program)
{
	return row->shared & program ? OPT_SHARED : row->reach;
}

/* The row's default in this program, as text. */
const char *opt_default(const struct opt_row *row, unsigned program);

/* "5 to 100", "RC, UC or UD", "on or off": what these programs accept (~0U: any). Returns buffer. */
const char *opt_allowed(const struct opt_row *row, unsigned programs, char *buffer, size_t size);

/*
 * Reads text into the row's field, for one of these programs (~0U: any). 0, or -EINVAL and a reason without the
 * option's name. Writes only on success.
 */
int opt_value_read(const struct opt_row *row, unsigned programs, void *values, const char *text, char *reason,
		   size_t reason_size);

/*
 * The value as a user would write it, in the shortest form that reads back the same. requested: what was given;
 * otherwise what the test uses. size is OPT_TEXT_SIZE. Returns buffer.
 */
const char *opt_value_write(const struct opt_row *row, const void *values, bool requested, char *buffer, size_t size);

/* Writes a message into reason and returns -EINVAL. */
int opt_refuse(char *reason, size_t reason_size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* "RC, UC or UD", with " or " as last. */
void opt_list(char *buffer, size_t size, const char *const *words, unsigned count, const char *last);

/* Text from outside in quotes, truncated to a readable length and without control characters. */
#define OPT_QUOTE_SIZE 64
struct opt_quoted {
	char text[OPT_QUOTE_SIZE];
};
struct opt_quoted opt_quote(const char *text);
