/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* -oo Var:Init:Last:Incr: runs a test for each value of a variable, and for each combination if there are several. */
#pragma once

#include <stddef.h>

#include "qperf/options/options.h"
#include "traffic/sweep.h"

#define MAX_LOOPS 8

struct loop {
	struct spelling variable;
	char word[48]; /* the option, for messages and warnings */
	struct sweep values;
};

/*
 * An empty Var is msg_size; a missing field has the value of the one before it; an empty Init is 0, or 1 if Incr
 * multiplies. -EINVAL and a reason, also if the loop would be infinite.
 */
int loop_parse(const char *text, struct loop *loop, char *reason, size_t reason_size);
/* Sets the variable, like the option would. */
int loop_apply(const struct loop *loop, uint64_t value, struct qperf_params *params, char *reason, size_t reason_size);
