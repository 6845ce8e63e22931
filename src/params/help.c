// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What can this program be told? --help and --version, from the option table. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <stdio.h>
#include <string.h>

#include "params/cli.h"

#define COLUMNS	    96
#define TEXT_COLUMN 34 /* where the second column begins */

/* Prints words into the second column; column is where the cursor is. */
static void print_wrapped(const char *text, int column)
{
	if (column >= TEXT_COLUMN) {
		putchar('\n');
		column = 0;
	}
	printf("%*s", TEXT_COLUMN - column, "");
	column = TEXT_COLUMN;
	while (*text) {
		const int word = (int)strcspn(text, " ");

		if (column > TEXT_COLUMN && column + 1 + word > COLUMNS) {
			printf("\n%*s", TEXT_COLUMN, "");
			column = TEXT_COLUMN;
		} else if (column > TEXT_COLUMN) {
			putchar(' ');
			column++;
		}
		printf("%.*s", word, text);
		column += word;
		text += word;
		text += strspn(text, " ");
	}
	putchar('\n');
}

/* "Message size (1 to 2147483648, and K, M, G behind it; default 65536)" */
static void print_option(const struct opt_row *row, unsigned program)
{
	const char *usual = opt_default(row, program);
	char allowed[OPT_TEXT_SIZE], text[2 * OPT_TEXT_SIZE];
	int column = row->short_name ? printf("  -%c, ", row->short_name) : printf("      ");

	column += printf("--%s%s%s", row->long_name, row->argument ? "=" : "", row->argument ? row->argument : "");
	opt_allowed(row, program, allowed, sizeof(allowed));
	if (row->kind == OPT_FLAG || (row->kind == OPT_STRING && !usual))
		snprintf(text, sizeof(text), "%s", row->help);
	else if (row->kind == OPT_STRING)
		snprintf(text, sizeof(text), "%s (default %s)", row->help, usual);
	else
		snprintf(text, sizeof(text), "%s (%s; default %s)", row->help, allowed, usual);
	print_wrapped(text, column);
}

void cli_print_help(const struct cli *cli)
{
	const struct opt_table *options = cli->options;
	int width = 0;

	for (unsigned i = 0; i < CLI_MAX_USAGES; i++)
		if (cli->usages[i].words && (int)strlen(cli->usages[i].words) > width)
			width = (int)strlen(cli->usages[i].words);
	printf("%s: %s\n\n", cli->name, cli->purpose);
	printf("Usage:\n");
	for (unsigned i = 0; i < CLI_MAX_USAGES && cli->usages[i].words; i++)
		printf("  %s [OPTIONS] %-*s    %s\n", cli->name, width, cli->usages[i].words, cli->usages[i].meaning);
	printf("\n%s\n", cli->note);
	for (unsigned group = 0; group < options->num_groups; group++) {
		printf("\n%s:\n", options->groups[group]);
		for (unsigned i = 0; i < options->num_rows; i++)
			if (options->rows[i].group == group && options->rows[i].programs & cli->program)
				print_option(&options->rows[i], cli->program);
	}
	printf("\nThe manual page %s(1) says how every figure is computed.\n", cli->name);
}

void cli_print_version(void)
{
	printf("Version: %s\n", PACKAGE_VERSION);
}
