// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* `perftest run`, `merge`, `list` and `doctor`: the programs of the suite. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "front/command.h"
#include "front/launch/sibling.h"
#include "params/engine/cli.h"
#include "params/options.h"
#include "params/programs.h"
#include "session/session.h"
#include "util/log.h"
#include "util/process.h"
#include "util/terminal.h"

#define LIST_COLUMN 24

static int run_test(const struct program *program, int argc, char **argv)
{
	prctl(PR_SET_NAME, program->name);
	return session_main(program, argc, argv);
}

int run_main(int argc, char **argv)
{
	const struct program *program = argc > 1 ? program_find(argv[1]) : NULL;
	char fault[SIBLING_FAULT_SIZE];

	if (argc < 2) {
		log_error("which program? perftest list names them");
		return EXIT_STATUS_USAGE;
	}
	if (argv[1][0] == '-')
		return batch_main(argc, argv);
	if (program)
		return run_test(program, argc - 1, argv + 1);
	if (sibling_find(argv[1]))
		return sibling_run((const char *const[]){argv[1], NULL}, argv + 1);
	log_error("%s", sibling_fault(argv[1], fault));
	return EXIT_STATUS_USAGE;
}

/* The script that reads JSON documents. */
int merge_main(int argc, char **argv)
{
	(void)argc;
	return sibling_run((const char *const[]){"scripts/merge_documents", "../share/perftest/merge_documents",
						 PKGDATADIR "/merge_documents", NULL},
			   argv);
}

static void list_print(const char *name, const char *summary)
{
	char folded[OPT_TEXT_SIZE];

	printf("%-22s  %s\n", name,
	       text_fold(summary, terminal_columns(stdout), LIST_COLUMN, LIST_COLUMN, folded, sizeof(folded)));
}

int list_main(int argc, char **argv)
{
	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		printf("Usage: perftest list\n      list the programs, and what each measures\n");
		return stdio_status();
	}
	if (argc > 1) {
		log_error("list takes no '%.64s'", argv[1]);
		return EXIT_STATUS_USAGE;
	}
	for (size_t i = 0; i < num_programs; i++)
		list_print(programs[i].name, programs[i].summary);
	for (size_t i = 0; i < num_siblings; i++)
		list_print(siblings[i].name, siblings[i].summary);
	return stdio_status();
}

/* What matters to the doctor, of a test's options; the others are accepted, too. */
static void doctor_help(const struct program *program, bool all)
{
	static const char *const names[] = {"help",	  "verbose",	   "ib-dev",	   "ib-port",
					    "connection", "use_hugepages", "disable_numa", "output_format",
					    "out_json",	  "out_json_file"};
	struct opt_row rows[sizeof(names) / sizeof(names[0])];
	struct opt_table table = params_options;
	const struct cli cli = {
		.name = program->name,
		.purpose = "what on this host and device may make a test slow, or fail?",
		.options = &table,
		.program = program_bit(program),
		.usages = {{"", "print a page; nothing is changed"}},
		.note = "Exit status: 0 if there is nothing to look at, 5 if there is, 1 without such a device. The "
			"other options of ib_send_bw are accepted, too.",
		.examples = {{"%s", "the device that a test would use"},
			     {"%s -d mlx5_1 -i 2", "another one"},
			     {"%s --use_hugepages", "are there pages for a test with this option?"},
			     {"%s --output_format=json", "for a program"}},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		rows[i] = *opt_find(&params_options, names[i]);
	table.rows = rows;
	table.num_rows = sizeof(names) / sizeof(names[0]);
	cli_print_help(&cli, all);
}

int doctor_main(int argc, char **argv)
{
	/* Any test does. It may be executed again for the software device, with these words. */
	struct program program = programs[0];
	char **words;
	int status;

	program.name = "perftest doctor";
	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		doctor_help(&program, strcmp(argv[1], "-h") != 0);
		return stdio_status();
	}
	words = calloc((size_t)argc + 2, sizeof(*words));
	if (!words) {
		log_error("out of memory");
		return EXIT_STATUS_FAILURE;
	}
	words[0] = "perftest";
	words[1] = "--doctor";
	memcpy(words + 2, argv + 1, ((size_t)argc - 1) * sizeof(*words));
	status = run_test(&program, argc + 1, words);
	free(words);
	return status;
}
