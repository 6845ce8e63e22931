/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What came of the checks of a command, in the formats that systems for continuous integration read: TAP version 13
 * (https://testanything.org) and the XML of JUnit, as Jenkins, GitLab and others take it. `perftest gate` and `verify`.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "util/output.h"

#define OUTCOME_WORDS_SIZE 2048

enum outcome_state { OUTCOME_PASSED, OUTCOME_FAILED, OUTCOME_SKIPPED };

struct outcome {
	char name[96];	/* printed, as all texts here, with '.' for what is not printable ASCII */
	char shown[48]; /* what was measured; "": nothing */
	enum outcome_state state;
	double seconds;			/* that it took */
	char words[OUTCOME_WORDS_SIZE]; /* why it failed or was skipped; lines */
};

static inline bool outcome_is_format(enum output_format format)
{
	return format == FORMAT_TAP || format == FORMAT_JUNIT;
}

/* Of the n-th check: the members that are not zero, and not OUTCOME_PASSED. */
typedef void (*outcome_fill_fn)(const void *context, unsigned n, struct outcome *outcome);

/* suite: "perftest verify". */
void outcomes_print(const char *suite, outcome_fill_fn fill, const void *context, unsigned count,
		    enum output_format format, FILE *out);
