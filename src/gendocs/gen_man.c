// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A manual page in man(7) macros: options and rules from their tables, prose from manual.c. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "gendocs/gen_docs.h"

/* --- text --- */

/* Plain text for roff: dashes that can be copied, no requests at the start of a line. */
void roff_text(const char *text, const char *name)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	for (; *text; text++) {
		if (text[0] == '%' && text[1] == 's') {
			roff_text(name, name);
			text++;
		} else if (*text == '-') {
			fputs("\\-", stdout);
		} else if (*text == '\\') {
			fputs("\\e", stdout);
		} else if (*text == '^') {
			fputs("\\(ha", stdout);
		} else if (*text == '\'') {
			fputs("\\(cq", stdout);
		} else {
			putchar(*text);
		}
	}
}

void roff_around(const char *before, const char *text, const char *name, const char *behind)
{
	fputs(before, stdout);
	roff_text(text, name);
	fputs(behind, stdout);
}

/* One sentence per line, as is usual in manual pages. */
void roff_prose(const char *text, const char *name)
{
	char sentence[1024];

	while (*text) {
		size_t length = 0;

		while (text[length] &&
		       !(text[length] == '.' && text[length + 1] == ' ' && isupper((unsigned char)text[length + 2])))
			length++;
		if (text[length])
			length++;
		snprintf(sentence, sizeof(sentence), "%.*s", (int)length, text);
		roff_text(sentence, name);
		putchar('\n');
		text += length;
		text += strspn(text, " ");
	}
}

void roff_option(const struct opt_row *row)
{
	printf(".TP\n");
	if (row->short_name)
		printf("\\fB\\-%c\\fR, ", row->short_name);
	if (row->letters && row->letters[0])
		printf("\\fB\\-%s\\fR, ", row->letters);
	roff_around("\\fB\\-\\-", row->long_name, "", "\\fR");
	if (row->argument)
		printf(row->bare ? "[%s\\fI%s\\fR]" : "%s\\fI%s\\fR", row->letters ? " " : "=", row->argument);
	putchar('\n');
	roff_text(row->help, "");
	printf(".\n");
}

/* --- the page --- */

static void man_print_section(enum manual_section section, const struct page *page)
{
	for (size_t i = 0; i < page->num_paragraphs; i++) {
		const struct manual_paragraph *paragraph = &page->paragraphs[i];

		if (paragraph->section != section || !(paragraph->programs & page->cli.program))
			continue;
		if (paragraph->label)
			roff_around(".TP\n.B ", paragraph->label, page->cli.name, "\n");
		else
			printf(".PP\n");
		roff_prose(paragraph->text, page->cli.name);
	}
}

/* Those of --help, and others. */
static void man_print_examples(const struct page *page)
{
	const struct cli *cli = &page->cli;

	printf(".SH EXAMPLES\n");
	for (unsigned i = 0; i < CLI_NUM_EXAMPLES; i++) {
		roff_around(".TP\n.B ", cli->examples[i].command, cli->name, "\n");
		roff_around("", cli->examples[i].meaning, cli->name, ".\n");
	}
	man_print_section(MANUAL_EXAMPLES, page);
}

/* "Default: 65536. Allowed: 1 to 2147483648." */
static void man_print_values(const struct opt_row *row, unsigned program)
{
	const char *usual = opt_default(row, program);
	char allowed[OPT_TEXT_SIZE];

	if (row->kind == OPT_FLAG)
		return;
	if (row->kind != OPT_STRING)
		roff_around("Allowed: ", opt_allowed(row, program, allowed, sizeof(allowed)), "", ".\n");
	if (usual)
		roff_around("Default: ", usual, "", ".\n");
}

/* Explained before the options. */
static const char *reach_mark(const struct page *page, enum opt_reach reach)
{
	switch (reach) {
	case OPT_SHARED:
	case OPT_FOLLOWED:
	case OPT_FOLLOWED_IDLE:
		return page->reaches ? "\\fIShared.\\fR\n" : "";
	case OPT_OFFERED:
		return page->reaches ? "\\fIOffered.\\fR\n" : "";
	default:
		return "";
	}
}

static void man_print_option(const struct page *page, const struct opt_row *row)
{
	roff_option(row);
	man_print_values(row, page->cli.program);
	fputs(reach_mark(page, opt_reach_in(row, page->cli.program)), stdout);
	for (unsigned i = 0; i < OPT_MAX_ALIASES && row->aliases[i]; i++)
		roff_around("Also spelt \\fB\\-\\-", row->aliases[i], "", "\\fR.\n");
	if (strcmp(row->since, "7.0") == 0)
		printf("New in version 7.0.\n");
}

static void print_tolerated(const struct cli *cli)
{
	unsigned n = 0;

	for (unsigned i = 0; i < cli->options->num_rows; i++) {
		const struct opt_row *row = &cli->options->rows[i];

		if (!(row->tolerated & cli->program))
			continue;
		if (!n) {
			printf(".SS Accepted without effect\n");
			roff_prose("For scripts that give the same options to all programs; a note on standard error "
				   "says that they have no effect:",
				   "");
		}
		printf("%s\\fB\\-\\-", n++ ? ", " : "");
		roff_around("", row->long_name, "", "\\fR");
	}
	if (n)
		printf(".\n");
}

static const char usual_syntax[] =
	"Long options may be abbreviated as long as they are unique, and take their value after = or as the next word; "
	"dashes and underscores in them are equivalent. Numbers are decimal, or hexadecimal after 0x. An option that "
	"is given twice must have the same value both times.";

static void man_print_options(const struct page *page)
{
	const struct opt_table *options = page->cli.options;
	const char *rule;

	printf(".SH OPTIONS\n");
	roff_prose(page->syntax ? page->syntax : usual_syntax, "");
	if (page->reaches) {
		printf(".PP\n");
		roff_prose(page->reaches, "");
	}
	for (unsigned group = 0; group < options->num_groups; group++) {
		if (!opt_group_is_used(options, group, page->cli.program))
			continue;
		roff_around(".SS ", options->groups[group], "", "\n");
		for (unsigned i = 0; i < options->num_rows; i++)
			if (options->rows[i].group == group && options->rows[i].programs & page->cli.program)
				man_print_option(page, &options->rows[i]);
	}
	print_tolerated(&page->cli);
	printf(".SS Combinations that are refused\n");
	for (size_t n = 0; (rule = page->rule(&page->cli, n)); n++)
		roff_around(".IP \\(bu 2\n", rule, "", ".\n");
}

static void print_see_also(const struct page *page, const struct page *all, size_t count)
{
	printf(".SH SEE ALSO\n");
	for (size_t i = 0; i < count; i++)
		if (&all[i] != page && all[i].cli.options == page->cli.options)
			printf(".BR %s (1),\n", all[i].cli.name);
	fputs(page->see_also, stdout);
}

void gen_man(const struct page *page, const struct page *all, size_t count)
{
	static const struct {
		enum manual_section section;
		const char *title;
	} sections[] = {
		{MANUAL_OUTPUT, "OUTPUT"},
		{MANUAL_EXIT_STATUS, "EXIT STATUS"},
		{MANUAL_ENVIRONMENT, "ENVIRONMENT"},
		{MANUAL_NOTES, "NOTES"},
	};

	const struct cli *cli = &page->cli;

	printf(".\\\" SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause\n");
	printf(".\\\" Written by gen_docs from the option table: edit src/params/ and run \"make generate\".\n");
	printf(".TH %s 1 \"\" \"perftest %s\" \"User Commands\"\n", cli->name, PACKAGE_VERSION);
	printf(".SH NAME\n%s \\- %s\n", cli->name, cli->purpose);
	printf(".SH SYNOPSIS\n");
	for (unsigned i = 0; i < CLI_MAX_USAGES && cli->usages[i].words; i++) {
		printf("%s.B %s\n.RI [ OPTIONS ]\n", i ? ".br\n" : "", cli->name);
		if (cli->usages[i].words[0])
			roff_around(".I ", cli->usages[i].words, "", "\n");
	}
	printf(".SH DESCRIPTION\n");
	man_print_section(MANUAL_DESCRIPTION, page);
	man_print_examples(page);
	man_print_options(page);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		printf(".SH %s\n", sections[i].title);
		man_print_section(sections[i].section, page);
	}
	print_see_also(page, all, count);
}
