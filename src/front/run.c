// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* `perftest run`, `perftest list` and `perftest doctor`: the programs of the suite. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "front/command.h"
#include "front/sibling.h"
#include "params/programs.h"
#include "session/session.h"
#include "util/exit_status.h"
#include "util/log.h"
#include "util/stdio.h"

static int run_test(const struct program *program, int argc, char **argv)
{
	prctl(PR_SET_NAME, program->name);
	return session_main(program, argc, argv);
}

int run_main(int argc, char **argv)
{
	const struct program *program = argc > 1 ? program_find(argv[1]) : NULL;

	if (argc < 2) {
		log_error("which program? perftest list names them");
		return EXIT_STATUS_USAGE;
	}
	if (program)
		return run_test(program, argc - 1, argv + 1);
	if (sibling_find(argv[1]))
		return sibling_run((const char *const[]){argv[1], NULL}, argv + 1);
	log_error("'%.64s' is no program of the suite; perftest list names them", argv[1]);
	return EXIT_STATUS_USAGE;
}

int list_main(int argc, char **argv)
{
	if (argc > 1) {
		log_error("list takes no '%.64s'", argv[1]);
		return EXIT_STATUS_USAGE;
	}
	for (size_t i = 0; i < num_programs; i++)
		printf("%-22s  %s\n", programs[i].name, programs[i].summary);
	for (size_t i = 0; i < num_siblings; i++)
		printf("%-22s  %s\n", siblings[i].name, siblings[i].summary);
	return stdio_status();
}

int doctor_main(int argc, char **argv)
{
	/* Any test does; with a name of its own, because it may be executed again for the software device. */
	char **words = calloc((size_t)argc + 2, sizeof(*words));
	int status;

	if (!words) {
		log_error("out of memory");
		return EXIT_STATUS_FAILURE;
	}
	words[0] = (char *)programs[0].name;
	words[1] = "--doctor";
	memcpy(words + 2, argv + 1, ((size_t)argc - 1) * sizeof(*words));
	status = run_test(&programs[0], argc + 1, words);
	free(words);
	return status;
}
