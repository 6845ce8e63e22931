/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The options, as qperf 0.4.11 spells them: words with one or two dashes, which cannot be abbreviated, and whose value
 * is always a separate word. A row defines the long and the short form (opt_row.letters), those for one side (--loc_,
 * -l, --rem_, -r) and the form that turns it on (-ar1).
 */
#pragma once

#include "params/engine/opt.h"
#include "qperf/options/parameters.h"

/* Which side has the option? Bits of opt_row.programs. */
#define QPERF_CLIENT 1U
#define QPERF_SERVER 2U

/* opt_row.group. Options of the first two apply to the tests after them. */
enum option_group { OPTIONS_TEST, OPTIONS_RESULT, OPTIONS_OUTPUT, OPTIONS_SERVER };

/* opt_row.own. A row has a few words in `brief`, for "opts", and sentences in `help`; NULL: those words are enough. */
struct option_own {
	enum parameter parameter; /* of OPTIONS_TEST */
	const char *shown;	  /* its name in -vu; NULL: the same */
	bool one_sided;		  /* has forms for one side */
	bool is_switch;		  /* 0 is off; the short form also ends with 1 */
	unsigned local_programs;  /* with the form for the local side; 0: as the row */
	uint8_t classes, level;	  /* of -v...: bits of enum verbose_class */
	bool is_topic;		  /* for command.c; it may be missing */
	const char *loop;	  /* likewise: what precedes the value of a loop; NULL: none */
	bool every_test;	  /* --help TESTNAME has it */
	uint16_t sets;		  /* offset of a bool of struct qperf_params that becomes true, too; 0: none */
};

static inline const struct option_own *option_own(const struct opt_row *row)
{
	static const struct option_own none;

	return row->own ? row->own : &none;
}

extern const struct opt_table qperf_options;
/* Each parameter has one. */
const struct opt_row *option_of(enum parameter parameter);

enum option_side { SIDE_BOTH, SIDE_LOCAL, SIDE_REMOTE };

/* The meaning of an option word. */
struct spelling {
	const struct opt_row *row; /* NULL: unknown */
	enum option_side side;
	bool on;	     /* the value is 1, and no word follows */
	const char *instead; /* the word was obsolete; this replaces it */
};

struct spelling option_find(const char *word);
/* What was probably meant by a word that is no option; NULL: unknown. May use the buffer. */
const char *option_find_similar(const char *word, char *buffer, size_t size);
/* The same for the variable of a loop, which is written without dashes. */
struct spelling option_find_variable(const char *name);

/* 0, or -EINVAL with a reason, and no test may run with the values. text: the value, NULL if there is none. */
int option_apply(const struct spelling *spelling, const char *word, const char *text, struct qperf_params *params,
		 char *reason, size_t reason_size);

/* --- values in the notation of qperf, where sizes have other suffixes than in the other programs --- */

#define VALUE_MOST_SIZE (1ULL << 53)

/*
 * "64K", "1.5mib", "1e6", "0x10": a whole number of bytes, as units_parse_size() parses those of other programs. K, M,
 * G and kib, mib, gib are powers of 1024; k, m, g and kb, mb, gb powers of 1000.
 */
int value_size(const char *text, uint64_t min, uint64_t max, uint64_t *bytes);
/* The same for a rate, as results have it: K, M and G, too, are powers of 1000. */
int value_rate(const char *text, uint64_t min, uint64_t max, uint64_t *per_second);
/* "4xQDR", "40": lanes and their speed, or Gb/s, as Gb/s; 0: no limit; -1: there is no such rate. */
double value_static_rate(const char *text);

/* --- rules.c: how the options of a test are completed and checked: defaults, limits, what cannot be combined --- */

struct test_row;

/* Fills in the test's defaults for what the user did not set. */
void qperf_complete(const struct test_row *test, struct qperf_params *params);
/* Checks one side of a test. 0, or -EINVAL and a line in reason. */
int qperf_check(const struct test_row *test, const struct qperf_side *side, char *reason, size_t reason_size);
/* How often each test is run, and what cannot be combined: 0, or -EINVAL and a line in reason. */
struct series_plan qperf_plan(const struct qperf_params *params);
int qperf_check_plan(const struct qperf_params *params, char *reason, size_t reason_size);
/* What a 0.4.11 server would ignore in this test, or its request cannot express, in words; NULL: nothing. */
const char *rules_not_classic(const struct test_row *test, const struct qperf_side *remote);

/* Can it run with a qperf 0.4.11 peer? That is, no RDMA, or QPs connected with rdma_cm. */
bool rules_classic_rdma(const struct test_row *test, const struct qperf_side *side);
