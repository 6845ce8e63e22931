/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A program's command line: what --help, the manual page and the completion need besides the rows of its option table.
 * Every program of the suite has one.
 */
#pragma once

#include "params/engine/opt.h"

#define CLI_MAX_USAGES	 2
#define CLI_NUM_EXAMPLES 4

struct cli_usage {
	const char *words;   /* after the program's name and [OPTIONS]: "HOST", or "" */
	const char *meaning; /* "on the server: wait for a client" */
};

struct cli_example {
	const char *command; /* "%s" is the program's name */
	const char *meaning;
};

struct cli {
	const char *name;    /* as typed */
	const char *purpose; /* "measure the bandwidth of SEND" */
	const struct opt_table *options;
	unsigned program;			       /* its bit in the masks of the table */
	struct cli_example examples[CLI_NUM_EXAMPLES]; /* at most */
	struct cli_usage usages[CLI_MAX_USAGES];
	const char *note; /* a sentence after the usages, or NULL */
};

/* All options; or one screen with the most used ones. */
void cli_print_help(const struct cli *cli, bool all);
/* One version for the whole suite; scripts read the classic line. */
void cli_print_version(void);
/* Reports why the command line is wrong. Returns what main() returns then. */
int cli_usage_error(const char *reason);
