// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See command.h. */
#include "front/command.h"

#include <stdarg.h>
#include <string.h>

#include "report/output_file.h"
#include "util/exit_status.h"
#include "util/log.h"
#include "util/stdio.h"
#include "util/terminal.h"

#define MOST_OPTIONS 32 /* of a command */
#define SENTENCE     1024

/* The words up to own. */
static int parse(const struct cli *cli, int own, char **argv, void *params, char *reason, size_t size)
{
	bool given[MOST_OPTIONS] = {false}, idle[MOST_OPTIONS] = {false};
	struct opt_found found = {.given = given, .idle = idle};
	int ret;

	opt_init(cli->options, 1, params);
	ret = opt_parse(cli->options, 1, own, argv, params, &found, reason, size);
	return ret ? ret : own;
}

int command_options(const struct cli *cli, int argc, char **argv, void *params, char *reason, size_t size)
{
	const int own = 1 + (int)opt_leading(cli->options, 1, argv + 1, (unsigned)argc - 1);

	return parse(cli, own, argv, params, reason, size);
}

int command_operands(const struct cli *cli, int argc, char **argv, void *params, char *reason, size_t size)
{
	int own = 1;

	for (int at = 1; at < argc; at++) {
		const int end = at + (int)opt_leading(cli->options, 1, argv + at, (unsigned)(argc - at));

		for (; at < end; at++) {
			char *word = argv[at];

			memmove(argv + own + 1, argv + own, (size_t)(at - own) * sizeof(*argv));
			argv[own++] = word;
		}
	}
	return parse(cli, own, argv, params, reason, size);
}

int command_write(const char *path, int (*print)(const void *data, FILE *out), const void *data)
{
	struct output_file file = {.stream = NULL};
	int ret = path[0] ? output_file_open(&file, path) : 0;

	if (!ret)
		ret = print(data, path[0] ? file.stream : stdout);
	if (!ret && !path[0])
		return stdio_status();
	if (!ret)
		ret = output_file_commit(&file);
	if (ret)
		log_error("cannot write %s: %s", path[0] ? path : "the results", output_file_error(ret));
	output_file_discard(&file);
	return ret ? EXIT_STATUS_FAILURE : EXIT_STATUS_OK;
}

const char *command_status_word(int status)
{
	return status == EXIT_STATUS_OK		   ? "complete"
	       : status == EXIT_STATUS_LIMIT	   ? "below limit"
	       : status == EXIT_STATUS_INTERRUPTED ? "interrupted"
						   : "failed";
}

void command_sentence(FILE *out, const char *format, ...)
{
	char text[SENTENCE], folded[2 * SENTENCE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(out, " %s\n", text_fold(text, terminal_columns(out), 1, 3, folded, sizeof(folded)));
}
