/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `perftest gate`: is a command line still as fast as it was when its baseline was saved? gate.c makes the runs,
 * gate_print.c says what came of them.
 *
 * Runs of another hour differ from those of now, and by how much cannot be seen in either: a test of significance of
 * the two would find differences that are the machine's. So the user says what is tolerated, and is told of a baseline
 * whose own runs differ by more.
 */
#pragma once

#include "front/compare/comparison.h"

#define GATE_REASON_SIZE 900

struct gate_params {
	char baseline[4096]; /* --baseline; "": this is to be one */
	char save[4096];     /* --save_baseline; one of both is given */
	uint32_t runs;	     /* 0: the baseline's, or the default */
	double tolerance;    /* percent */
	uint32_t limit_s;    /* for a run */
	struct output_options output;
	bool show_help;
	struct child_program program; /* not an option */
};

/* options.c: in struct gate_params. */
extern const struct cli gate_cli;

struct gate {
	const struct gate_params *params;
	json_t *baseline;	      /* its document; NULL: this is one */
	json_t *runs;		      /* the clients' documents */
	unsigned num_runs;	      /* as many as are to be made */
	struct comparison comparison; /* A: of the baseline's runs; B: of these */
	json_t *differences;	      /* of the baseline's first run and this one's; NULL: none is known */
	bool interrupted;
	char failure[GATE_REASON_SIZE]; /* of a run; "": none */
};

/* --- gate_print.c --- */

/* Is the figure worse than the tolerance allows, or not there? */
bool gate_is_missed(const struct gate *gate, const struct comparison_figure *figure);
/* An enum exit_status. */
int gate_status(const struct gate *gate);

/* How far a run of the baseline is at most from their median, in percent. */
double gate_spread_percent(const struct gate *gate, const struct comparison_figure *figure);
/* "4096 bandwidth: 321.9 Gb/s, 4.1 % less than ...". Returns text. */
const char *gate_missed_words(const struct gate *gate, const struct comparison_figure *figure,
			      char text[GATE_REASON_SIZE]);
void gate_print(const struct gate *gate, FILE *out);
/* From the program to the end of the document. 0 or -errno, reported. */
int gate_export(const struct gate *gate, struct envelope *envelope);
