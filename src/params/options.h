/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The option table of the ib_* programs; its values are in a struct params. */
#pragma once

#include "params/engine/cli.h"
#include "params/perftest_parameters.h"

/* Headings in --help and in the manual pages, in their order. */
enum params_group {
	PARAMS_GROUP_GENERAL, /* not about a test, so not in its JSON document */
	PARAMS_GROUP_CHANNEL,
	PARAMS_GROUP_DEVICE,
	PARAMS_GROUP_ETHERNET,
	PARAMS_GROUP_TEST,
	PARAMS_GROUP_QUEUES,
	PARAMS_GROUP_RATE,
	PARAMS_GROUP_REPEAT,
	PARAMS_GROUP_MEMORY,
	PARAMS_GROUP_REPORT,
	PARAMS_NUM_GROUPS,
};

extern const struct opt_table params_options;

/* The index of a row in struct params' given[]. The name must be in the table. */
unsigned params_option_index(const char *long_name);

/* The command line of a program: for --help and the document generator. */
#define PROGRAM_PURPOSE_SIZE 64

/* The caller owns purpose, which must stay valid as long as cli. */
void program_describe(const struct program *program, char purpose[PROGRAM_PURPOSE_SIZE], struct cli *cli);
