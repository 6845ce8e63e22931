/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What `perftest compare` has measured of A and B, and what follows from it: of each figure the change from run to run
 * of a pair, as a logarithm, judged by stats/paired.h. compare.c fills it in and prints it.
 */
#pragma once

#include "front/figure.h"
#include "front/launch/child.h"
#include "params/engine/cli.h"
#include "stats/paired.h"
#include "util/output.h"

#define COMPARE_NUM_SIDES     2
#define COMPARISON_TEXT_SIZE  160
#define COMPARISON_FAULT_SIZE 1024

/* What the user asked for. */
struct compare_params {
	uint32_t runs;	  /* of each side; 0: as many as are needed; with --until at most */
	double until;	  /* percent; 0: not given */
	uint64_t seed;	  /* 0: drawn */
	uint32_t limit_s; /* for a run */
	struct output_options output;
	bool show_help;
	/* --- not options --- */
	struct child_program sides[COMPARE_NUM_SIDES]; /* A and B */
	const char *documents[COMPARE_NUM_SIDES];      /* NULL: runs are compared */
};

/* options.c: the command's own, in struct compare_params. */
extern const struct cli compare_cli;

enum comparison_verdict {
	COMPARISON_UNKNOWN, /* too few runs, or kept documents */
	COMPARISON_SAME,    /* no difference was found */
	COMPARISON_BETTER,  /* B is */
	COMPARISON_WORSE,
};

struct comparison_figure {
	const struct figure_kind *kind;
	unsigned result;  /* which of the documents' */
	char subject[84]; /* what that is of: "4096", or "4096/65536" where A and B differ */
	double values[COMPARE_NUM_SIDES][PAIRED_MOST]; /* of each run, in SI units; NaN: it had none */
	bool leads;				       /* the first of its result, which is what --until is about */
	struct paired paired;			       /* of logarithms */
	double level;				       /* at which it is judged */
};

struct comparison {
	const struct compare_params *params;
	struct comparison_figure *figures;
	unsigned num_figures, num_pairs;
	unsigned num_judged; /* pairs of the last look */
	uint64_t seed;
	char order[PAIRED_MOST][3]; /* "AB", or "BA" */
	bool interrupted, failed;
	char fault[COMPARISON_FAULT_SIZE]; /* why */
	json_t *differences;		   /* of kept documents, and of a baseline */
};

/* The figures of a pair of runs, A's first. 0; -ENODATA or -ENOMEM, and the fault. */
int comparison_add(struct comparison *comparison, json_t *const documents[COMPARE_NUM_SIDES]);
void comparison_close(struct comparison *comparison);
/* How many pairs may be needed? */
unsigned comparison_most(const struct comparison *comparison);
/*
 * Judges if it is time for a look, and at the end. Of the level a look has the share that its new pairs have of the
 * most, the end has the rest, and so all together have it: whatever decides about the end, and whatever the noise is, a
 * difference is not found more often (Bonferroni's inequality; spending in proportion: K. K. G. Lan, D. L. DeMets,
 * Discrete Sequential Boundaries for Clinical Trials, Biometrika 70, 1983). An interval of its look's level is
 * therefore right whichever look is the last (C. Jennison, B. W. Turnbull, Interim Analyses: The Repeated Confidence
 * Interval Approach, Journal of the Royal Statistical Society B 51, 1989). 0 or -ENOMEM.
 */
int comparison_judge(struct comparison *comparison, bool at_end);
/*
 * Has the last look an answer for each result? The interval of the figure that leads is narrower than --until; without
 * --until a difference of any figure is an answer, too.
 */
bool comparison_is_decided(const struct comparison *comparison);
/* Are no more pairs needed? */
bool comparison_is_over(const struct comparison *comparison);
enum comparison_verdict comparison_verdict(const struct comparison *comparison, const struct comparison_figure *figure);
/* The verdict for people. Returns text. */
const char *comparison_words(const struct comparison *comparison, const struct comparison_figure *figure,
			     char text[COMPARISON_TEXT_SIZE]);
/* Of a column that has all figures' subjects, and no less than that. */
int comparison_subject_width(const struct comparison *comparison, int least);
/* The median of a side's runs. */
double comparison_median(const struct comparison *comparison, const struct comparison_figure *figure, unsigned side);
/* An enum exit_status. */
int comparison_status(const struct comparison *comparison);

/* kept.c: two documents of before. 0 or -errno, reported. */
int kept_load(struct comparison *comparison);
/*
 * Are they of the same program? names: of both. What else is different, but for what is so each time, is in
 * differences: an array of {"member", "a", "b"}. 0; -EINVAL and the fault.
 */
int kept_match(struct comparison *comparison, const char *const names[COMPARE_NUM_SIDES],
	       json_t *const documents[COMPARE_NUM_SIDES]);
