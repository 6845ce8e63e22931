/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* -oo Var:Init:Last:Incr: a test is run once for each value of a variable, and for each combination of several. */
#ifndef QPERF_LOOP_H
#define QPERF_LOOP_H

#include <stddef.h>

#include "qperf/options.h"

#define MAX_LOOPS 8

struct loop {
	struct spelling variable;
	char word[48]; /* as an option, for messages and warnings */
	uint64_t first;
	uint64_t last; /* inclusive */
	uint64_t step;
	bool multiplies;
};

/*
 * An empty Var is msg_size; a field that is not there takes what the one before it has; an Init that is empty is 0,
 * or 1 where Incr multiplies. -EINVAL and a reason also for what would never end.
 */
int loop_parse(const char *text, struct loop *loop, char *reason, size_t reason_size);
/* The value behind this one; false: that was the last. */
bool loop_next(const struct loop *loop, uint64_t *value);
/* Gives the variable its value, as if the option stood there. */
int loop_apply(const struct loop *loop, uint64_t value, struct qperf_params *params, char *reason, size_t reason_size);

#endif
