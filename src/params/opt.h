/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The engine under the option tables: argv into a plain struct, and a struct's values as text.
 * It knows no option by name. A table says once what an option is called, what it takes, where
 * the value goes and who has it; parsing, --help, manual pages, completion, the text that a client
 * sends its server and the JSON document are all read off the same row.
 *
 * What a command line may look like: short options alone or in a cluster ("-a -b", "-abn5",
 * "-n5", "-n 5"), long ones ("--iters=5", "--iters 5") which may be shortened while they stay
 * unique and in which '-' and '_' are the same, operands anywhere, and "--" before operands
 * that begin with a dash.
 */
#ifndef PARAMS_OPT_H
#define PARAMS_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPT_TEXT_SIZE	       1024 /* any value as text, with its NUL */
#define OPT_MAX_CHOICES	       8
#define OPT_MAX_ABSENT_CHOICES 2
#define OPT_MAX_ALIASES	       2
#define OPT_MAX_SPECIAL	       4

enum opt_kind {
	OPT_FLAG,    /* bool; takes no argument; "on" and "off" as text */
	OPT_INTEGER, /* an unsigned field of 1, 2, 4 or 8 bytes, or int or int64_t with a special word for -1 */
	OPT_SIZE,    /* the same with K, M, G allowed */
	OPT_DOUBLE,
	OPT_CHOICE,   /* one of a few words; an integer or enum field */
	OPT_STRING,   /* a char array that holds the text and its NUL; never empty when given */
	OPT_PERCENTS, /* a comma separated list of percentages: an array of double, ascending, and a count */
};

/* Whether an option describes the test, which two ends run together, or one end of it. */
enum opt_reach {
	OPT_LOCAL,	     /* each side has its own; never sent */
	OPT_SHARED,	     /* both sides must have the same value; a server that was given another one refuses */
	OPT_OFFERED,	     /* the server takes the client's value unless it was given its own */
	OPT_OFFERED_ONE_WAY, /* as OPT_OFFERED, but as OPT_SHARED in a test of both directions */
};

struct opt_choice {
	const char *word; /* compared without regard to case */
	int64_t value;
	unsigned programs; /* that have this choice; 0: all that have the option */
};

/* A word that scripts give and that is no choice here: refused with what it would be for. */
struct opt_absent_choice {
	const char *word;
	const char *purpose;
};

/* A default of some programs that differs from the row's. */
struct opt_special_default {
	unsigned programs;
	const char *text;
};

struct opt_row {
	char short_name; /* 0: none */
	const char *long_name;
	/* In the documents alone: a short name of several letters, or "", of a program whose values are words; or NULL.
	 */
	const char *letters;
	/* Other spellings, not shown in --help; one may be the name of an option of programs that don't have this one.
	 */
	const char *aliases[OPT_MAX_ALIASES];
	const char *argument; /* its name in help; NULL for flags */
	enum opt_kind kind;

	/* where parsing stores the value: as requested */
	uint16_t offset;
	uint16_t width;	       /* bytes */
	uint16_t count_offset; /* OPT_PERCENTS: of the unsigned that counts */
	/* where the value that the test uses ends up, if it is not the same place (width 0: it is) */
	uint16_t used_offset;
	uint16_t used_width;

	double min, max;	 /* numbers: the range; both below 2^53 */
	const char *special;	 /* a word allowed in place of a number ("auto", "off"), or NULL */
	const char *special_too; /* another word for the same, not shown; or NULL */
	int64_t special_value;
	struct opt_choice choices[OPT_MAX_CHOICES];
	struct opt_absent_choice absent[OPT_MAX_ABSENT_CHOICES];
	/* Further checks of a string; returns what is wrong with it ("is not an IP address") or NULL. */
	const char *(*check)(const char *text);
	const char
		*known; /* of a string: words that completion offers, "tcp, shm"; others may be given, too; or NULL */

	const char *default_text; /* as it would be written on the command line; NULL: "off", or an empty string */
	struct opt_special_default special_defaults[OPT_MAX_SPECIAL];

	const char *help;  /* one sentence, no full stop */
	unsigned group;	   /* heading in help, an index of opt_table.groups */
	unsigned programs; /* bits of the programs that have the option */
	/* Programs that accept it without effect, as linux-rdma perftest does, or for scripts that give all the same.
	 */
	unsigned tolerated;
	const char *elsewhere; /* why other programs have it not, for who gives it to one; or NULL */
	enum opt_reach reach;
	unsigned shared;   /* programs in which it is OPT_SHARED in any case */
	const char *since; /* the version of the classic suite, or of this one, that had it first */
};

/* An option that scripts give and that there is none of here: refused with what it would be for. */
struct opt_absent {
	const char *long_name; /* stands for those that go on behind a dash or an underscore, too */
	char short_name;       /* '\0': none */
	const char *purpose;   /* "multicast" */
};

struct opt_table {
	const struct opt_row *rows;
	unsigned num_rows;
	const char *const *groups;
	unsigned num_groups;
	const char *operand;		 /* name of the one optional operand: "HOST"; NULL: there is none */
	const struct opt_absent *absent; /* up to a long_name of NULL; NULL: there are none */
	/* "bandwidth tests": the programs of a mask in words. Returns buffer. NULL: all rows are one program's. */
	const char *(*programs_text)(unsigned programs, char *buffer, size_t size);
};

/* What opt_parse() found apart from the values; arrays have one element per row, zeroed by the caller. */
struct opt_found {
	bool *given;	     /* on the command line, and the program has it */
	bool *idle;	     /* on the command line, but without effect in this program (opt_row.tolerated) */
	const char *operand; /* points into argv; NULL: none */
};

/* Every field to its default in this program. Fields that no row describes are left alone. */
void opt_init(const struct opt_table *table, unsigned program, void *values);

/* 0, or -EINVAL and one line in reason that names the option, the text and what is allowed. */
int opt_parse(const struct opt_table *table, unsigned program, int argc, char **argv, void *values,
	      struct opt_found *found, char *reason, size_t reason_size);

/* The row whose long name this is, in full, or whose alias where there is none; NULL: none. */
const struct opt_row *opt_find(const struct opt_table *table, const char *name);
/* Has the program an option of that group? */
bool opt_group_is_used(const struct opt_table *table, unsigned group, unsigned program);

/* "--size (-s)". Returns buffer. */
const char *opt_title(const struct opt_row *row, char *buffer, size_t size);

/* How far the option reaches in this program. */
static inline enum opt_reach opt_reach_in(const struct opt_row *row, unsigned program)
{
	return row->shared & program ? OPT_SHARED : row->reach;
}

/* The row's default in this program, as text. */
const char *opt_default(const struct opt_row *row, unsigned program);

/*
 * "5 to 100", "RC, UC or UD", "on or off": what may be written to these programs (~0U: any). Returns buffer.
 */
const char *opt_allowed(const struct opt_row *row, unsigned programs, char *buffer, size_t size);

/*
 * Reads text into the row's field, for one of these programs (~0U: any). 0, or -EINVAL and a reason
 * without the option's name. Writes only on success.
 */
int opt_value_read(const struct opt_row *row, unsigned programs, void *values, const char *text, char *reason,
		   size_t reason_size);

/*
 * The value as a user would write it, shortest form that reads back the same. requested: what was asked
 * for; otherwise what the test uses. size is OPT_TEXT_SIZE. Returns buffer.
 */
const char *opt_value_write(const struct opt_row *row, const void *values, bool requested, char *buffer, size_t size);

/* Writes a message into reason and returns -EINVAL. */
int opt_refuse(char *reason, size_t reason_size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Text from outside in quotes, cut to a readable length and free of control characters. Returns buffer. */
#define OPT_QUOTE_SIZE 64
const char *opt_quote(const char *text, char buffer[OPT_QUOTE_SIZE]);

#endif
