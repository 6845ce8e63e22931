// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* -h, --help and --version, from the option table. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

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

/* Prints words into the second column; column is the cursor's. */
static void help_print_wrapped(const char *text, int column)
{
	char folded[4 * OPT_TEXT_SIZE];

	if (column >= TEXT_COLUMN) {
		putchar('\n');
		column = 0;
	}
	printf("%*s%s\n", TEXT_COLUMN - column, "",
	       text_fold(text, columns(), TEXT_COLUMN, TEXT_COLUMN, folded, sizeof(folded)));
}

/* "Message size (1 to 2147483648, and K, M, G behind it; default 65536)"; without all "Message size (default 65536)" */
static void help_print_option(const struct opt_row *row, unsigned program, bool all)
{
	const char *usual = opt_default(row, program), *words = all ? row->help : row->brief;
	char allowed[OPT_TEXT_SIZE], text[2 * OPT_TEXT_SIZE];
	int column = row->short_name ? printf("  -%c, ", row->short_name) : printf("      ");

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
	printf("Usage:\n");
	for (unsigned i = 0; i < CLI_MAX_USAGES && cli->usages[i].words; i++)
		help_print_wrapped(cli->usages[i].meaning,
				   printf("  %s [OPTIONS] %s", cli->name, cli->usages[i].words));
}

/* Commands have none: how they are used is enough. */
static void print_most_used(const struct cli *cli)
{
	bool any = false;

	for (unsigned i = 0; i < cli->options->num_rows; i++) {
		if (!is_most_used(&cli->options->rows[i], cli->program))
			continue;
		if (!any)
			printf("Most used options (%s --help lists all):\n", cli->name);
		any = true;
		help_print_option(&cli->options->rows[i], cli->program, false /* all */);
	}
	if (any)
		return;
	print_usages(cli);
	printf("\n%s --help lists the options.\n", cli->name);
}

static void print_all(const struct cli *cli)
{
	const struct opt_table *options = cli->options;
	char folded[OPT_TEXT_SIZE];

	print_usages(cli);
	if (cli->note)
		printf("\n%s\n", text_fold(cli->note, columns(), 0, 0, folded, sizeof(folded)));
	for (unsigned group = 0; group < options->num_groups; group++) {
		if (!opt_group_is_used(options, group, cli->program))
			continue;
		printf("\n%s:\n", options->groups[group]);
		for (unsigned i = 0; i < options->num_rows; i++)
			if (options->rows[i].group == group && options->rows[i].programs & cli->program)
				help_print_option(&options->rows[i], cli->program, true /* all */);
	}
	printf("\nThe manual page %.*s(1) defines every figure.\n", (int)strcspn(cli->name, " "), cli->name);
}

void cli_print_help(const struct cli *cli, bool all)
{
	printf("%s: %s\n\nExamples:\n", cli->name, cli->purpose);
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
