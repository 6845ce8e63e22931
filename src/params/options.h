/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The option table of the ib_* programs; its values live in a struct params. */
#ifndef PARAMS_OPTIONS_H
#define PARAMS_OPTIONS_H

#include "params/opt.h"
#include "params/perftest_parameters.h"

extern const struct opt_table params_options;

/* The index of a row in struct params' given[]. The name must be in the table. */
unsigned params_option_index(const char *long_name);

#endif
