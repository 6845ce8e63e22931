// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* -h, --help and --version, from the option table. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "params/engine/cli.h"
#include "util/log.h"
#include "util/process.h"
#include "util/terminal.h"

#define TEXT_COLUMN  34 /* where the second column starts */
#define MOST_COLUMNS 96 /* longer lines are hard to read */
#define MARGIN	     2
#define DEEPER	     4 /* additional indentation of a continued command */
#define GOES_ON	     " \\"

static int columns(void)
{
	const int wide = terminal_columns(stdout);

	if (!wide)
		return TERMINAL_USUAL_COLUMNS;
	return wide < MOST_COLUMNS ? wide : MOST_COLUMNS;
}

/* Prints words into the second column, or where that is too narrow below; column is the cursor's. */
static void help_print_wrapped(const char *text, int column)
{
	const int from = columns() < 2 * TEXT_COLUMN ? MARGIN + 2 * DEEPER : TEXT_COLUMN;
	char folded[4 * OPT_TEXT_SIZE];

	if (column >= from) {
		putchar('\n');
		column = 0;
	}
	printf("%*s%s\n", from - column, "", text_fold(text, columns(), from, from, folded, sizeof(folded)));
}

/* A line of its own, folded. */
__attribute__((format(printf, 1, 2))) static void help_print_line(const char *format, ...)
{
	char text[OPT_TEXT_SIZE], folded[OPT_TEXT_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	printf("%s\n", text_fold(text, columns(), 0, 0, folded, sizeof(folded)));
}

/* "Message size (1 to 2147483648, and K, M, G behind it; default 65536)"; without all "Message size (default 65536)" */
static void help_print_option(const struct opt_row *row, unsigned program, bool all)
{
	const char *usual = opt_default(row, program), *words = all ? row->help : row->brief;
	char allowed[OPT_TEXT_SIZE], text[2 * OPT_TEXT_SIZE];
	int column = row->short_name ? printf("  -%c, ", row->short_name) : printf("      ");

	if (all && row->shows_alias)
		column += printf("--%s, ", row->aliases[0]);
	column += printf(row->bare ? "--%s[%s%s]" : "--%s%s%s", row->long_name, row->argument ? "=" : "",
			 row->argument ? row->argument : "");
	opt_allowed(row, program, allowed, sizeof(allowed));
	if (row->kind == OPT_FLAG || (row->kind == OPT_STRING && !usual))
		snprintf(text, sizeof(text), "%s", words);
	else if (row->kind == OPT_STRING || !all)
		snprintf(text, sizeof(text), "%s (default %s)", words, usual);
	else
		snprintf(text, sizeof(text), "%s (%s; default %s)", words, allowed, usual);
	help_print_wrapped(text, column);
}

/* From the margin on, and on the next line as a shell would read it. Returns the cursor's column, or a full line's. */
static int print_command(const char *command)
{
	char folded[OPT_TEXT_SIZE];
	const char *line = folded;
	size_t length;
	int column;

	text_fold(command, columns() - MARGIN - (int)strlen(GOES_ON), 0, DEEPER, folded, sizeof(folded));
	while (line[length = strcspn(line, "\n")]) {
		printf("%*s%.*s" GOES_ON "\n", MARGIN, "", (int)length, line);
		line += length + 1;
	}
	column = printf("%*s%s", MARGIN, "", line);
	return line == folded ? column : columns();
}

/* The command, and its purpose behind it, in the second column if it can, or in lines of its own. */
static void print_example(const struct cli *cli, const struct cli_example *example)
{
	const char *name = strstr(example->command, "%s");
	const int before = (int)(name - example->command);
	char command[OPT_TEXT_SIZE], folded[OPT_TEXT_SIZE];
	int column, begin;

	snprintf(command, sizeof(command), "%.*s%s%s", before, example->command, cli->name, name + strlen("%s"));
	column = print_command(command);
	begin = column + MARGIN < TEXT_COLUMN ? TEXT_COLUMN : column + MARGIN;
	if (begin + (int)strlen(example->meaning) <= columns())
		printf("%*s%s\n", begin - column, "", example->meaning);
	else
		printf("\n%*s%s\n", MARGIN + DEEPER, "",
		       text_fold(example->meaning, columns(), MARGIN + DEEPER, MARGIN + DEEPER, folded,
				 sizeof(folded)));
}

/* One that leaves no choice to the users of this program is not. */
static bool is_most_used(const struct opt_row *row, unsigned program)
{
	const char *usual = opt_default(row, program);
	char allowed[OPT_TEXT_SIZE];

	if (!row->brief || !(row->programs & program))
		return false;
	opt_allowed(row, program, allowed, sizeof(allowed));
	return row->kind != OPT_CHOICE || !usual || strcmp(allowed, usual) != 0;
}

static void print_usages(const struct cli *cli)
{
	char words[OPT_TEXT_SIZE], folded[OPT_TEXT_SIZE];
	int column;

	printf("Usage:\n");
	for (unsigned i = 0; i < CLI_MAX_USAGES && cli->usages[i].words; i++) {
		snprintf(words, sizeof(words), "%s [OPTIONS] %s", cli->name, cli->usages[i].words);
		column = printf("%*s%s", MARGIN, "",
				text_fold(words, columns(), MARGIN, MARGIN + DEEPER, folded, sizeof(folded)));
		help_print_wrapped(cli->usages[i].meaning, strchr(folded, '\n') ? columns() : column);
	}
}

/* Commands have none: how they are used is enough. */
static void print_most_used(const struct cli *cli)
{
	bool any = false;

	for (unsigned i = 0; i < cli->options->num_rows; i++) {
		if (!is_most_used(&cli->options->rows[i], cli->program))
			continue;
		if (!any)
			help_print_line("Most used options (%s --help lists all):", cli->name);
		any = true;
		help_print_option(&cli->options->rows[i], cli->program, false /* all */);
	}
	if (any)
		return;
	print_usages(cli);
	putchar('\n');
	help_print_line("%s --help lists the options.", cli->name);
}

static void print_all(const struct cli *cli)
{
	const struct opt_table *options = cli->options;

	print_usages(cli);
	if (cli->note) {
		putchar('\n');
		help_print_line("%s", cli->note);
	}
	for (unsigned group = 0; group < options->num_groups; group++) {
		if (!opt_group_is_used(options, group, cli->program))
			continue;
		printf("\n%s:\n", options->groups[group]);
		for (unsigned i = 0; i < options->num_rows; i++)
			if (options->rows[i].group == group && options->rows[i].programs & cli->program)
				help_print_option(&options->rows[i], cli->program, true /* all */);
	}
	putchar('\n');
	help_print_line("The manual page %.*s(1) defines every figure.", (int)strcspn(cli->name, " "), cli->name);
}

void cli_print_help(const struct cli *cli, bool all)
{
	help_print_line("%s: %s", cli->name, cli->purpose);
	printf("\nExamples:\n");
	for (unsigned i = 0; i < CLI_NUM_EXAMPLES && cli->examples[i].command; i++)
		print_example(cli, &cli->examples[i]);
	putchar('\n');
	if (all)
		print_all(cli);
	else
		print_most_used(cli);
}

void cli_print_version(void)
{
	printf("Version: %s\n", PACKAGE_VERSION);
}

int cli_usage_error(const char *reason)
{
	log_error("%s", reason);
	return EXIT_STATUS_USAGE;
}
