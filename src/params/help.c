// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What can this program be told? --help and --version, from the option table. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <stdio.h>
#include <string.h>

#include "params/options.h"
#include "params/programs.h"

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

void params_print_help(const struct program *program)
{
	const unsigned bit = program_bit(program);

	printf("%s: measure the %s\n\n", program->name, program->summary);
	printf("Usage:\n");
	printf("  %s [OPTIONS]         on the server: wait for a client\n", program->name);
	printf("  %s [OPTIONS] HOST    on the client: connect to the server and measure\n\n", program->name);
	printf("The client's options go to the server; those that it must share need to be given only there.\n");
	for (unsigned group = 0; group < params_options.num_groups; group++) {
		printf("\n%s:\n", params_options.groups[group]);
		for (unsigned i = 0; i < params_options.num_rows; i++)
			if (params_options.rows[i].group == group && params_options.rows[i].programs & bit)
				print_option(&params_options.rows[i], bit);
	}
	printf("\nThe manual page %s(1) says how every figure is computed.\n", program->name);
}

void params_print_version(const struct program *program)
{
	(void)program; /* one version for the whole suite; scripts read the classic line */
	printf("Version: %s\n", PACKAGE_VERSION);
}
