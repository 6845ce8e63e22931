/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * `perftest gate`: is a command line still as fast as it was when its baseline was saved?
 *
 * Runs of another hour differ from those of now, and by how much cannot be seen in either: a test of significance of
 * the two would find differences that are the machine's. So the user says what is tolerated, and is told of a baseline
 * whose own runs differ by more.
 */
#pragma once

#include "front/compare/comparison.h"

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
