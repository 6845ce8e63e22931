// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The command `perftest`: one row for each of its commands. */
#include "front/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "front/compare/comparison.h"
#include "front/launch/sibling.h"
#include "front/matrix/matrix.h"
#include "front/options.h"
#include "front/report/report.h"
#include "front/verify.h"
#include "params/engine/cli.h"
#include "params/engine/opt_name.h"
#include "params/options.h"
#include "params/programs.h"
#include "util/log.h"
#include "util/process.h"
#include "util/terminal.h"

static const struct front_command {
	const struct cli *cli;		    /* NULL: the next ones instead */
	int (*main)(int argc, char **argv); /* argv[0] is the command's name. Returns an enum exit_status. */
	const char *name;		    /* if it is not the last word of the cli's */
	const char *words;		    /* what follows it, if not as in the cli's usages */
	const char *meaning;
} commands[] = {
	{.cli = &batch_cli, .main = run_main, .words = "PROGRAM [OPTIONS] [HOST] | -f FILE [OPTIONS] [HOST]"},
	{.cli = &ssh_cli, .main = ssh_main, .name = "--ssh", .words = "NODE PROGRAM [OPTIONS]"},
	{.cli = &serve_cli, .main = serve_main},
	{.cli = &matrix_cli, .main = matrix_main},
	{.cli = &compare_cli, .main = compare_main},
	{.cli = &gate_cli, .main = gate_main},
	{.cli = &verify_cli, .main = verify_main},
	{NULL, list_main, "list", "", "list the programs, and what each measures"},
	{NULL, doctor_main, "doctor", "[OPTIONS]", "examine this host and a device, as --doctor of each test does"},
	{NULL, merge_main, "merge", "[--part=PART] DOCUMENT...",
	 "merge the latency histograms of several JSON documents"},
	{.cli = &metrics_cli, .main = metrics_main},
	{.cli = &report_cli, .main = report_main},
	{NULL, other_side_main, "other_side", "[OPTIONS] PROGRAM [ITS OPTIONS]",
	 "what --ssh starts there: a server that ends when stdin does"},
};

#define NUM_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const char *name_of(const struct front_command *command)
{
	return command->name ? command->name : strrchr(command->cli->name, ' ') + 1;
}

static bool is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* On lines of this indentation, the first of which may have begun, as wide as a terminal is. */
static void print_folded(int column, int indent, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void print_folded(int column, int indent, const char *format, ...)
{
	char text[OPT_TEXT_SIZE], folded[OPT_TEXT_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	printf("%*s%s\n", indent - column, "",
	       text_fold(text, terminal_columns(stdout), indent, indent, folded, sizeof(folded)));
}

static void print_usages(const struct front_command *command)
{
	if (command->words)
		print_folded(0, 2, "%s %s", name_of(command), command->words);
	for (unsigned i = 0; !command->words && i < CLI_MAX_USAGES && command->cli->usages[i].words; i++)
		print_folded(0, 2, "%s [OPTIONS] %s", name_of(command), command->cli->usages[i].words);
}

/* all: with the words behind each name. */
static int print_help(bool all)
{
	static const char *const examples[] = {"perftest --ssh node7 ib_write_bw -d mlx5_0 -D 5",
					       "perftest compare ib_write_bw -s 4096 -- ib_write_bw -s 4096 -q 2",
					       "perftest report *.json -o report.html",
					       "srun -N 16 perftest matrix ib_write_bw -D 2"};

	print_folded(0, 0, "Usage: perftest COMMAND [ITS OPTIONS]\n");
	for (const struct front_command *command = commands; command < commands + NUM_COMMANDS; command++) {
		const char *meaning = command->cli ? command->cli->purpose : command->meaning;

		if (all)
			print_usages(command);
		print_folded(all ? 0 : printf("  %-10s", name_of(command)), all ? 6 : 14, "%s", meaning);
	}
	print_folded(0, 2, "--help: all of this, -h: one screen; commands have both; see perftest(1)");
	print_folded(0, 2, "--version: print the version of the suite\n");
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++)
		print_folded(0, 2, "%s", examples[i]);
	return stdio_status();
}

static int usage_error(const char *command)
{
	struct opt_nearest nearest = opt_nearest_to(command, command ? strlen(command) : 0);
	char list[160] = "";

	for (size_t i = 0; i < NUM_COMMANDS; i++) {
		text_list_add(list, sizeof(list), name_of(&commands[i]));
		opt_nearest_try(&nearest, name_of(&commands[i]));
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
	if (argv[1][0] == '-' && strcmp(argv[1], "--doctor") != 0) {
		skipped = argc > 2 && is_help(argv[2]); /* "--ssh --help" names no host */
		return ssh_main(argc - skipped, argv + skipped);
	}
	/* the doctor is executed again so for the software device */
	word = strcmp(argv[1], "--doctor") == 0 ? "doctor" : argv[1];
	for (size_t i = 0; i < NUM_COMMANDS; i++)
		if (strcmp(word, name_of(&commands[i])) == 0)
			return commands[i].main(argc - 1, argv + 1);
	if (argc > 2 && argv[2] == help && (program_find(argv[1]) || sibling_find(argv[1])))
		return run_main(argc, argv);
	return usage_error(argv[1]);
}
