// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The completion: the options of each program, and the values of each option. That of bash has the tables; those of zsh
 * and fish ask it, since what a word may be does not depend on the shell. What is in no table is in completion.bash and
 * so on, which local.mk puts before this, or behind it for zsh.
 */
#include <stdio.h>
#include <string.h>

#include "front/compare/comparison.h"
#include "front/matrix/matrix.h"
#include "front/matrix/pairing.h"
#include "front/options.h"
#include "front/report/report.h"
#include "front/verify.h"
#include "gendocs/gen_docs.h"

#define SCRIPTS	  "perftest runme run_soft run_perftest_loopback krping_run"
#define OLD_NAMES "raw_ethernet_send_bw raw_ethernet_send_lat"

static const struct cli *const commands[] = {&batch_cli, &ssh_cli,    &serve_cli,   &matrix_cli, &compare_cli,
					     &gate_cli,	 &verify_cli, &metrics_cli, &report_cli};

#define NUM_COMMANDS (sizeof(commands) / sizeof(commands[0]))

/* Of a command of the front the last word. */
static const char *key_of(const struct cli *cli)
{
	const char *blank = strrchr(cli->name, ' ');

	return blank ? blank + 1 : cli->name;
}

static void print_options(const struct cli *cli)
{
	const struct opt_table *options = cli->options;
	int column = printf("    %s) echo", key_of(cli));
	const char *equals;

	for (unsigned i = 0; i < options->num_rows; i++) {
		const struct opt_row *row = &options->rows[i];

		if (!(row->programs & cli->program))
			continue;
		if (column > 90) {
			printf(" \\\n       ");
			column = 8;
		}
		equals = row->argument && !row->letters && !row->bare ? "=" : "";
		column += printf(" --%s%s", row->long_name, equals);
		if (row->shows_alias)
			column += printf(" --%s%s", row->aliases[0], equals);
	}
	printf(" ;;\n");
}

static void completion_print_options(const struct page *all, size_t count)
{
	printf("\n# Long options of a program; those that take a value end in \"=\".\n"
	       "_perftest_options() { # PROGRAM\n    case $1 in\n");
	for (size_t p = 0; p < count; p++)
		print_options(&all[p].cli);
	for (size_t i = 0; i < NUM_COMMANDS; i++)
		print_options(commands[i]);
	printf("    esac\n}\n");
}

static void print_operands(const struct page *all, size_t count)
{
	printf("\n# Operands that are known, beside hosts.\n"
	       "_perftest_operands() { # PROGRAM\n    case $1 in\n");
	for (size_t p = 0; p < count; p++) {
		int column = 8;

		if (!all[p].words)
			continue;
		printf("    %s) echo", all[p].cli.name);
		for (const char *const *word = all[p].words; *word; word++) {
			if (column > 90)
				column = printf(" \\\n       ") - 2;
			column += printf(" %s", *word);
		}
		printf(" ;;\n");
	}
	printf("    %s | %s | %s | %s) echo \"$_perftest_programs\" ;;\n    %s | %s) echo @file ;;\n    %s) echo",
	       key_of(&ssh_cli), key_of(&batch_cli), key_of(&compare_cli), key_of(&gate_cli), key_of(&metrics_cli),
	       key_of(&report_cli), key_of(&matrix_cli));
	for (const struct pairing *row = pairings; row->name; row++)
		printf(" %s", row->name);
	printf(" \"$_perftest_programs\" ;;\n    esac\n}\n");
}

/* "RC, UC or UD" */
static void print_list(char *words)
{
	char *rest;

	for (const char *word = strtok_r(words, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest))
		if (strcmp(word, "or") != 0)
			printf("%s ", word);
}

/* The possible values of an option: a list, or @file, @device, @none if they are not known in advance. */
static void print_words(const struct opt_row *row, unsigned program)
{
	char words[OPT_TEXT_SIZE];

	if (strcmp(row->long_name, "ib-dev") == 0) {
		printf("@device");
	} else if (row->kind == OPT_STRING && strcmp(row->argument, "FILE") == 0) {
		printf("@file");
	} else if (row->kind == OPT_CHOICE) {
		opt_allowed(row, program, words, sizeof(words));
		print_list(words);
	} else if (row->known) {
		snprintf(words, sizeof(words), "%s", row->known);
		print_list(words);
	} else {
		printf("%s", row->special ? row->special : "@none");
	}
}

static void print_case(const char *program, const struct opt_row *row, unsigned bit)
{
	printf("    %s:--%s", program, row->long_name);
	if (row->shows_alias)
		printf(" | %s:--%s", program, row->aliases[0]);
	if (row->short_name)
		printf(" | %s:-%c", program, row->short_name);
	if (row->letters && row->letters[0])
		printf(" | %s:-%s", program, row->letters);
	printf(") echo '");
	print_words(row, bit);
	printf("' ;;\n");
}

/* Of a table that no other program has. */
static void print_own_cases(const struct cli *cli)
{
	for (unsigned i = 0; i < cli->options->num_rows; i++)
		if (cli->options->rows[i].kind != OPT_FLAG)
			print_case(key_of(cli), &cli->options->rows[i], cli->program);
	printf("    %s:*) ;;\n", key_of(cli)); /* the options of the other programs do not apply */
}

/* The programs of the first table share their lines if possible: its options mean the same in all of them. */
static void completion_print_values(const struct page *all, size_t count)
{
	const struct opt_table *first = all[0].cli.options;

	printf("\n# What may follow an option: words, @file, @device, @none (a number or the like), or nothing at "
	       "all.\n"
	       "_perftest_values() { # PROGRAM OPTION\n    case $1:$2 in\n");
	for (size_t p = 0; p < count; p++)
		if (all[p].cli.options != first)
			print_own_cases(&all[p].cli);
	for (size_t i = 0; i < NUM_COMMANDS; i++)
		print_own_cases(commands[i]);
	for (unsigned i = 0; i < first->num_rows; i++) {
		const struct opt_row *row = &first->rows[i];

		if (row->kind == OPT_FLAG || row->bare)
			continue;
		if (row->kind != OPT_CHOICE)
			print_case("*", row, all[0].cli.program);
		for (size_t p = 0; row->kind == OPT_CHOICE && p < count && all[p].cli.options == first; p++)
			if (row->programs & all[p].cli.program)
				print_case(all[p].cli.name, row, all[p].cli.program);
	}
	printf("    esac\n}\n\n");
}

static void completion_print_programs(const struct page *all, size_t count)
{
	for (size_t p = 0; p < count; p++)
		printf("%s%s", p ? " " : "", all[p].cli.name);
}

void gen_completion(const struct page *all, size_t count)
{
	completion_print_options(all, count);
	print_operands(all, count);
	completion_print_values(all, count);
	printf("_perftest_programs=\"");
	completion_print_programs(all, count);
	printf("\"\n"
	       "# shellcheck disable=SC2086 # a name each\n"
	       "complete -F _perftest $_perftest_programs " OLD_NAMES "\n"
	       "complete -F _perftest_script " SCRIPTS "\n");
}

void gen_completion_zsh(const struct page *all, size_t count)
{
	printf("#compdef ");
	completion_print_programs(all, count);
	printf(" " OLD_NAMES " " SCRIPTS "\n");
}

void gen_completion_fish(const struct page *all, size_t count)
{
	printf("for name in ");
	completion_print_programs(all, count);
	printf(" " OLD_NAMES " " SCRIPTS "\n"
	       "    complete -c $name -f -a '(__perftest_list)'\n"
	       "end\n");
}
