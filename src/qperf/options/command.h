/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command line is a program: an option applies from its position on, the first word that is not an option is the
 * server, and each further one a test, which runs with the options so far.
 */
#pragma once

#include "life/life.h"
#include "qperf/options/tests.h"

struct command {
	int argc;
	char **argv;
	/* Runs a test with the values in params. 0; anything else ends the command line. */
	int (*run)(struct command *command, const struct test_row *test, struct qperf_params *params);
	void *owner; /* for run */
};

/* The result of command_check(). */
enum command_kind { COMMAND_CLIENT, COMMAND_SERVER, COMMAND_HELP, COMMAND_VERSION };

struct command_plan {
	enum command_kind kind;
	const char *topic;	      /* COMMAND_HELP; NULL: none was given */
	struct qperf_params params;   /* after the last word */
	bool has_rdma;		      /* among the tests */
	char device[PARAM_TEXT_SIZE]; /* from --id for this side, without the port; "" if none */
	const char *late_option;      /* the first option after the last test, which has no effect; NULL: none */
};

/* The state of the program. */
struct qperf {
	struct command command;
	struct command_plan plan;
	struct cli_asked asked;
	struct ending ending;
};

/*
 * Reads everything, runs nothing, and warns of obsolete options. 0, or -EINVAL and one line in reason: if there is an
 * error anywhere in the command line, nothing is run.
 */
int command_check(struct command *command, struct command_plan *plan, char *reason, size_t reason_size);
/*
 * HOST:PORT and [ADDRESS]:PORT: this port replaces that of --listen_port; if both are given, they must be equal. 0, or
 * -EINVAL and a reason.
 */
int command_split_host(struct qperf_params *params, char *reason, size_t reason_size);
/* Runs the tests from left to right. 0 or what run() returned. Only after command_check(). */
int command_run(struct command *command);
