// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The command `perftest`: one row for each of its commands. */
#include "front/command.h"

#include <stdio.h>
#include <string.h>

#include "front/launch/sibling.h"
#include "params/engine/cli.h"
#include "params/engine/opt_name.h"
#include "params/options.h"
#include "params/programs.h"
#include "util/log.h"
#include "util/process.h"

static const struct front_command {
	const char *name;
	const char *words;   /* what follows the name: "PROGRAM [OPTIONS] [HOST]", or "" */
	const char *meaning; /* what fits behind the name */
	bool helps;	     /* it prints its own --help */
	/* argv[0] is the command's name. Returns an enum exit_status. */
	int (*main)(int argc, char **argv);
} commands[] = {
	{"run", "PROGRAM [OPTIONS] [HOST] | -f FILE [OPTIONS] [HOST]",
	 "run a program of the suite, or with -f the runs of a file", true, run_main},
	{"--ssh", "NODE PROGRAM [OPTIONS]", "the same with its server on another host, started and ended there", true,
	 ssh_main},
	{"serve", "[OPTIONS] [-- [PROGRAM] OPTIONS]...", "one server for the clients of all programs, on one port",
	 true, serve_main},
	{"matrix", "[OPTIONS] [PATTERN] PROGRAM [ITS OPTIONS]",
	 "measure the pairs of many hosts, started on all: what is slow?", true, matrix_main},
	{"compare", "[OPTIONS] A -- B", "run two command lines in turn: is B faster, and by how much?", true,
	 compare_main},
	{"gate", "[OPTIONS] PROGRAM [ITS OPTIONS] [HOST]", "fail if a program is slower than its baseline was: for CI",
	 true, gate_main},
	{"verify", "[OPTIONS] [-- OPTIONS OF THE PROGRAMS]",
	 "does a device do what it claims? Verbs and transports, validated", true, verify_main},
	{"list", "", "list the programs, and what each measures", false, list_main},
	{"doctor", "[OPTIONS]", "examine this host and a device, as --doctor of each test does", true, doctor_main},
	{"merge", "[--part=PART] DOCUMENT...", "merge the latency histograms of several JSON documents", true,
	 merge_main},
	{"metrics", "[-o FILE] DOCUMENT...", "the results of JSON documents for a monitor, as OpenMetrics", true,
	 metrics_main},
	{"report", "DOCUMENT... [-o FILE]", "the results of JSON documents as a page with charts, for people", true,
	 report_main},
	{"other_side", "[OPTIONS] PROGRAM [ITS OPTIONS]", "what --ssh starts there: a server that ends when stdin does",
	 true, other_side_main},
};

#define NUM_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static bool is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* all: with the words behind each name. */
static int print_help(bool all)
{
	printf("Usage: perftest COMMAND [ITS OPTIONS]\n\n");
	for (size_t i = 0; i < NUM_COMMANDS; i++) {
		const struct front_command *command = &commands[i];

		if (all)
			printf("  %s%s%s\n      %s\n", command->name, command->words[0] ? " " : "", command->words,
			       command->meaning);
		else
			printf("  %-10s  %s\n", command->name, command->meaning);
	}
	printf("  --help      all of this, -h one screen; commands have both; see perftest(1)\n"
	       "  --version   print the version of the suite\n\n"
	       "  perftest --ssh node7 ib_write_bw -d mlx5_0 -D 5\n"
	       "  perftest compare ib_write_bw -s 4096 -- ib_write_bw -s 4096 -q 2\n"
	       "  perftest report *.json -o report.html\n"
	       "  srun -N 16 perftest matrix ib_write_bw -D 2\n");
	return stdio_status();
}

static int usage_error(const char *command)
{
	struct opt_nearest nearest = opt_nearest_to(command, command ? strlen(command) : 0);
	char list[160] = "";
	size_t used = 0;

	for (size_t i = 0; i < NUM_COMMANDS; i++) {
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "", commands[i].name);
		opt_nearest_try(&nearest, commands[i].name);
	}
	if (command && (program_find(command) || sibling_find(command)))
		log_error("'%s' is a program: type its name alone, or perftest run %s", command, command);
	else if (nearest.name)
		log_error("%s is no command; did you mean %s?", opt_quote(command).text, nearest.name);
	else if (command && opt_find(&params_options, command))
		log_error("'%s' is no command, but an option: --%s of ib_* programs", command, command);
	else if (command)
		log_error("%s is no command; there are %s", opt_quote(command).text, list);
	else
		log_error("which command? There are %s; perftest --help describes them", list);
	return EXIT_STATUS_USAGE;
}

int front_main(int argc, char **argv)
{
	static char help[] = "--help";
	const char *word;
	int skipped;

	stdio_guard();
	log_set_program("perftest");
	if (argc < 2)
		return usage_error(NULL);
	if (argc > 2 && strcmp(argv[1], "help") == 0) { /* "help gate" is "gate --help" */
		argv[1] = argv[2];
		argv[2] = help;
	}
	if (is_help(argv[1]) || strcmp(argv[1], "help") == 0)
		return print_help(strcmp(argv[1], "-h") != 0);
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		cli_print_version();
		return stdio_status();
	}
	if (argv[1][0] == '-' && strcmp(argv[1], "--doctor") != 0) {
		skipped = argc > 2 && is_help(argv[2]); /* "--ssh --help" names no host */
		return ssh_main(argc - skipped, argv + skipped);
	}
	/* the doctor is executed again so for the software device */
	word = strcmp(argv[1], "--doctor") == 0 ? "doctor" : argv[1];
	for (size_t i = 0; i < NUM_COMMANDS; i++) {
		if (strcmp(word, commands[i].name) != 0)
			continue;
		if (argc == 2 || commands[i].helps || !is_help(argv[2]))
			return commands[i].main(argc - 1, argv + 1);
		printf("Usage: perftest %s\n      %s\n", commands[i].name, commands[i].meaning);
		return stdio_status();
	}
	if (argc > 2 && argv[2] == help && (program_find(argv[1]) || sibling_find(argv[1])))
		return run_main(argc, argv);
	return usage_error(argv[1]);
}
