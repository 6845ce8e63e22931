// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See front.h. */
#include "front/front.h"

#include <stdio.h>
#include <string.h>

#include "front/command.h"
#include "front/sibling.h"
#include "params/cli.h"
#include "params/programs.h"
#include "util/exit_status.h"
#include "util/log.h"
#include "util/stdio.h"

static const struct front_command commands[] = {
	{"run", "PROGRAM [OPTIONS] [HOST]", "run a program of the suite: the same as to type its name", run_main},
	{"matrix", "[OPTIONS] [PATTERN] PROGRAM [ITS OPTIONS]",
	 "measure the pairs of many hosts, started the same on all: what is slow?", matrix_main},
	{"list", "", "list the programs, and what each measures", list_main},
	{"doctor", "[OPTIONS]", "examine this host and a device of it, as --doctor of each test does", doctor_main},
	{"merge", "[--part=PART] DOCUMENT...", "merge the latency histograms of several JSON documents", merge_main},
};

#define NUM_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static int print_help(void)
{
	printf("Usage: perftest COMMAND\n\n");
	for (size_t i = 0; i < NUM_COMMANDS; i++)
		printf("  %s%s%s\n      %s\n", commands[i].name, commands[i].words[0] ? " " : "", commands[i].words,
		       commands[i].meaning);
	printf("  --help, --version\n      print this, or the version of the suite\n\n"
	       "perftest(1) describes the commands, perftest(7) the suite.\n");
	return stdio_status();
}

static int usage_error(const char *command)
{
	char list[128] = "";
	size_t used = 0;

	for (size_t i = 0; i < NUM_COMMANDS; i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "", commands[i].name);
	if (command && (program_find(command) || sibling_find(command)))
		log_error("'%s' is a program: type its name alone, or perftest run %s", command, command);
	else if (command)
		log_error("'%.64s' is no command; there are %s", command, list);
	else
		log_error("which command? There are %s; perftest --help describes them", list);
	return EXIT_STATUS_USAGE;
}

int front_main(int argc, char **argv)
{
	stdio_guard();
	log_set_program("perftest");
	if (argc < 2)
		return usage_error(NULL);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
		return print_help();
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		cli_print_version();
		return stdio_status();
	}
	for (size_t i = 0; i < NUM_COMMANDS; i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].main(argc - 1, argv + 1);
	return usage_error(argv[1]);
}
