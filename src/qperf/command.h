/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command line, which is a program: options count from where they stand, the first other word is the server, and
 * each further one a test that runs with the options so far.
 */
#ifndef QPERF_COMMAND_H
#define QPERF_COMMAND_H

#include "qperf/tests.h"

struct command {
	int argc;
	char **argv;
	/* One run of a test, with its values in params. 0; anything else ends the command line. */
	int (*run)(struct command *command, const struct test_row *test, struct qperf_params *params);
	void *owner; /* for run */
};

/* What command_check() found. */
enum command_kind { COMMAND_CLIENT, COMMAND_SERVER, COMMAND_HELP, COMMAND_VERSION };

struct command_plan {
	enum command_kind kind;
	const char *topic;	    /* COMMAND_HELP; NULL: none was named */
	struct qperf_params params; /* as the last word left them */
	bool has_tests;
	bool has_rdma;		      /* among them */
	char device[PARAM_TEXT_SIZE]; /* that --id names for this side, without its port; "" none */
	const char *late_word;	      /* an option after the last test, which has no effect; NULL: none */
};

/*
 * Reads all of it, runs nothing, and warns of obsolete words. 0, or -EINVAL and one line in reason: nothing is tried
 * with a command line that is wrong anywhere.
 */
int command_check(struct command *command, struct command_plan *plan, char *reason, size_t reason_size);
/*
 * HOST:PORT and [ADDRESS]:PORT: the port in place of that of --listen_port, unless that is given, too, and another one.
 * 0, or -EINVAL and a reason.
 */
int command_split_host(struct qperf_params *params, char *reason, size_t reason_size);
/* Runs the tests from left to right. 0 or what run() returned. After command_check(). */
int command_run(struct command *command);

#endif
