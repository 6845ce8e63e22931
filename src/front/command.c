// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See command.h. */
#include "front/command.h"

#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "front/sheet.h"
#include "report/envelope.h"
#include "report/output_file.h"
#include "stats/clock.h"
#include "util/log.h"
#include "util/process.h"
#include "util/stop.h"
#include "util/terminal.h"

#define MOST_OPTIONS 32 /* of a command */
#define SENTENCE     1024

/* With the words up to own. */
static int begin(const struct cli *cli, int own, char **argv, void *params, int *status)
{
	bool given[MOST_OPTIONS] = {false}, idle[MOST_OPTIONS] = {false};
	struct opt_found found = {.given = given, .idle = idle};
	char reason[OPT_TEXT_SIZE];

	log_set_program(cli->name);
	opt_init(cli->options, 1, params);
	if (opt_parse(cli->options, 1, own, argv, params, &found, reason, sizeof(reason))) {
		*status = cli_usage_error(reason);
		return 0;
	}
	if (!*((const bool *)params + cli->options->rows[0].offset))
		return own;
	while (own > 1 && strcmp(argv[own - 1], "-h") != 0)
		own--;
	cli_print_help(cli, own == 1);
	*status = stdio_status();
	return 0;
}

int command_begin(const struct cli *cli, int argc, char **argv, void *params, int *status)
{
	return begin(cli, 1 + (int)opt_leading(cli->options, 1, argv + 1, (unsigned)argc - 1), argv, params, status);
}

int command_begin_operands(const struct cli *cli, int argc, char **argv, void *params, int *status)
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
	return begin(cli, own, argv, params, status);
}

int command_document(struct envelope *envelope, const struct output_options *output)
{
	return envelope_open(envelope, output->format, stdout, output->json_file, output->labels);
}

int command_open(struct envelope *envelope, const struct output_options *output)
{
	const int ret = stop_install();

	clock_start(false /* the counter, if it can be trusted */);
	return ret ? ret : command_document(envelope, output);
}

/* A measurement, which the name of an output that was forgotten behind -o would replace: report -o *.json. */
static bool is_document(const char *path)
{
	struct stat status;
	FILE *file = path[0] && !stat(path, &status) && S_ISREG(status.st_mode) ? fopen(path, "re") : NULL;
	const bool begins_so = file && getc(file) == '{';

	if (file)
		fclose(file);
	return begins_so;
}

int command_write(const char *path, int (*print)(const void *data, FILE *out), const void *data)
{
	struct output_file file = {.stream = NULL};
	int ret;

	if (is_document(path)) {
		log_error("cannot write %s: it is a JSON document, which would be lost; give -o another name", path);
		return EXIT_STATUS_FAILURE;
	}
	ret = path[0] ? output_file_open(&file, path) : 0;
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

int command_end(struct envelope *envelope, int status, const char *limit, const char *failure)
{
	switch (status) {
	case EXIT_STATUS_OK:
		return envelope_end(envelope, "complete", NULL);
	case EXIT_STATUS_LIMIT:
		return envelope_end(envelope, "below limit", limit);
	case EXIT_STATUS_INTERRUPTED:
		return envelope_end(envelope, "interrupted", "stopped by the user");
	default:
		return envelope_end(envelope, "failed", failure);
	}
}

void command_sentence(FILE *out, const char *format, ...)
{
	char text[SENTENCE], folded[2 * SENTENCE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	without_controls(text);
	if (out)
		fprintf(out, " %s\n", text_fold(text, terminal_columns(out), 1, 3, folded, sizeof(folded)));
	else
		log_error("%s", text);
}

void command_item(FILE *out, bool markdown, const char *format, ...)
{
	char text[SENTENCE], item[sizeof("- ") + 2 * SENTENCE] = "- ";
	size_t used = strlen(item);
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (const char *at = text; *at; at++) {
		if (markdown_is_special(*at))
			item[used++] = '\\';
		item[used++] = *at;
	}
	item[used] = '\0';
	command_sentence(out, "%s", markdown ? item : text);
}
