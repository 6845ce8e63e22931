// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The bash completion: which options a program has, and which words an option takes. */
#include <stdio.h>
#include <string.h>

#include "params/gen_docs.h"
#include "params/options.h"
#include "params/programs.h"

static const char prologue[] =
	"# shellcheck shell=bash\n"
	"# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause\n"
	"# Completion of the options, and of their values where they are words. Written by gen_docs from the\n"
	"# option table: edit src/params/ and run \"make generate\". To try it: source this file.\n";

static const char epilogue[] =
	"_perftest() {\n"
	"    local program=${COMP_WORDS[0]##*/} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} "
	"values\n"
	"    # \"--option=value\" comes as three words, and as two while the value is still empty\n"
	"    if [[ $word == \"=\" ]]; then\n"
	"        word=\n"
	"    elif [[ $before == \"=\" ]]; then\n"
	"        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
	"    fi\n"
	"    values=$(_perftest_values \"$program\" \"$before\")\n"
	"    case $values in\n"
	"    @none) COMPREPLY=() ;;\n"
	"    @file)\n"
	"        compopt -o filenames 2>/dev/null\n"
	"        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
	"        ;;\n"
	"    @device)\n"
	"        values=$(cd /sys/class/infiniband 2>/dev/null && printf '%s ' *)\n"
	"        mapfile -t COMPREPLY < <(compgen -W \"${values/\\*/} soft0 soft1\" -- \"$word\")\n"
	"        ;;\n"
	"    '')\n"
	"        if [[ $word == -* ]]; then\n"
	"            mapfile -t COMPREPLY < <(compgen -W \"$(_perftest_options \"$program\")\" -- \"$word\")\n"
	"            [[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace 2>/dev/null\n"
	"        else\n"
	"            mapfile -t COMPREPLY < <(compgen -A hostname -- \"$word\")\n"
	"        fi\n"
	"        ;;\n"
	"    *) mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$word\") ;;\n"
	"    esac\n"
	"}\n";

static void print_options(void)
{
	printf("\n# Long options of a program; those that take a value end in \"=\".\n"
	       "_perftest_options() { # PROGRAM\n    case $1 in\n");
	for (size_t p = 0; p < num_programs; p++) {
		int column = printf("    %s) echo", programs[p].name);

		for (unsigned i = 0; i < params_options.num_rows; i++) {
			const struct opt_row *row = &params_options.rows[i];

			if (!(row->programs & program_bit(&programs[p])))
				continue;
			if (column > 90) {
				printf(" \\\n       ");
				column = 8;
			}
			column += printf(" --%s%s", row->long_name, row->argument ? "=" : "");
		}
		printf(" ;;\n");
	}
	printf("    esac\n}\n");
}

/* The words that an option takes: a list, or @file, @device, @none where they are not known beforehand. */
static void print_words(const struct opt_row *row, unsigned program)
{
	char words[OPT_TEXT_SIZE], *rest, *word;

	if (strcmp(row->long_name, "ib-dev") == 0) {
		printf("@device");
	} else if (row->kind == OPT_STRING && strcmp(row->argument, "FILE") == 0) {
		printf("@file");
	} else if (row->kind == OPT_CHOICE) {
		opt_allowed(row, program, words, sizeof(words));
		for (word = strtok_r(words, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest))
			if (strcmp(word, "or") != 0)
				printf("%s ", word);
	} else {
		printf("%s", row->special ? row->special : "@none");
	}
}

static void print_values(void)
{
	printf("\n# What may follow an option: words, @file, @device, @none (a number or the like), or nothing at "
	       "all.\n"
	       "_perftest_values() { # PROGRAM OPTION\n    case $1:$2 in\n");
	for (unsigned i = 0; i < params_options.num_rows; i++) {
		const struct opt_row *row = &params_options.rows[i];

		if (row->kind == OPT_FLAG)
			continue;
		for (size_t p = 0; p < num_programs; p++) {
			if (row->kind != OPT_CHOICE && p > 0)
				break;
			if (row->kind == OPT_CHOICE && !(row->programs & program_bit(&programs[p])))
				continue;
			printf("    %s:--%s", row->kind == OPT_CHOICE ? programs[p].name : "*", row->long_name);
			if (row->short_name)
				printf(" | %s:-%c", row->kind == OPT_CHOICE ? programs[p].name : "*", row->short_name);
			printf(") echo '");
			print_words(row, program_bit(&programs[p]));
			printf("' ;;\n");
		}
	}
	printf("    esac\n}\n\n");
}

void gen_completion(void)
{
	printf("%s", prologue);
	print_options();
	print_values();
	printf("%s\n", epilogue);
	printf("complete -F _perftest");
	for (size_t p = 0; p < num_programs; p++)
		printf(" %s", programs[p].name);
	printf("\n");
}
