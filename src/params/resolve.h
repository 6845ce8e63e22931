/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Internal to params: steps that params_init(), params_parse(), params_resolve() and the tests share. */
#pragma once

#include "params/perftest_parameters.h"

/* Derives all values that depend on others from params->asked; checks nothing. */
void resolve_values(struct params *params);
void resolve_report(struct params *params); /* its part for the report */

/* params_parse() with its message in reason instead of on stderr. */
int params_parse_text(struct params *params, int argc, char **argv, char *reason, size_t reason_size);
