// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The completion: the options of each program, and the values of each option. That of bash has the tables; those of zsh
 * and fish ask it, since what a word may be does not depend on the shell.
 */
#include <stdio.h>
#include <string.h>

#include "front/batch.h"
#include "front/compare/comparison.h"
#include "front/compare/gate.h"
#include "front/launch/ssh.h"
#include "front/matrix/matrix.h"
#include "front/matrix/pairing.h"
#include "front/report/metrics.h"
#include "front/report/report.h"
#include "front/serve.h"
#include "front/verify.h"
#include "gendocs/gen_docs.h"

#define SCRIPTS	   "perftest runme run_soft run_perftest_loopback krping_run"
#define SCRIPTS_OR "perftest | runme | run_soft | run_perftest_loopback | krping_run"
#define OLD_NAMES  "raw_ethernet_send_bw raw_ethernet_send_lat"
#define BASH_FILE  "perftest-completion.bash"

#define LICENCE	  "# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause\n"
#define ASKS_BASH "# Asks the completion of bash. Written by gen_docs.\n"

static const struct cli *const commands[] = {&batch_cli, &ssh_cli,    &serve_cli,   &matrix_cli, &compare_cli,
					     &gate_cli,	 &verify_cli, &metrics_cli, &report_cli};

#define NUM_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const char prologue[] =
	"# shellcheck shell=bash\n"
	"# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause\n"
	"# Completion of the options, and of their values where they are words. Written by gen_docs from the\n"
	"# option table: edit src/params/ and run \"make generate\". To try it: source this file.\n";

static const char epilogue[] =
	"_perftest() {\n"
	"    local program=${COMP_WORDS[0]##*/} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} "
	"values\n"
	"    program=${program/#raw_ethernet_send_/raw_ethernet_} # its old name\n"
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
	"        elif [[ $(_perftest_operands \"$program\") == @file ]]; then\n"
	"            compopt -o filenames 2>/dev/null\n"
	"            mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
	"        else\n"
	"            mapfile -t COMPREPLY < <(compgen -A hostname -W \"$(_perftest_operands \"$program\")\" -- "
	"\"$word\")\n"
	"        fi\n"
	"        ;;\n"
	"    *) mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$word\") ;;\n"
	"    esac\n"
	"}\n"
	"\n"
	"# Scripts that are given a program of the suite, or any other, with its options; and krping_run.\n"
	"_perftest_script() {\n"
	"    local script=${COMP_WORDS[0]##*/} word=${COMP_WORDS[COMP_CWORD]} program i\n"
	"    for ((i = COMP_CWORD - 1; i > 0; i--)); do\n"
	"        program=${COMP_WORDS[i]##*/}\n"
	"        [[ -n $(_perftest_options \"${program/#raw_ethernet_send_/raw_ethernet_}\") ]] || continue\n"
	"        COMP_WORDS=(\"${COMP_WORDS[@]:i}\") COMP_CWORD=$((COMP_CWORD - i))\n"
	"        _perftest\n"
	"        return\n"
	"    done\n"
	"    case $script:$COMP_CWORD in\n"
	"    run_soft:1) mapfile -t COMPREPLY < <(compgen -A command -W \"--list --help\" -- \"$word\") ;;\n"
	"    run_soft:2 | run_perftest_loopback:3) mapfile -t COMPREPLY < <(compgen -A command -- \"$word\") ;;\n"
	"    runme:1)\n"
	"        mapfile -t COMPREPLY < <(compgen -A hostname -W \"$_perftest_programs check install --help\" -- "
	"\"$word\")\n"
	"        ;;\n"
	"    runme:2) mapfile -t COMPREPLY < <(compgen -W \"$_perftest_programs\" -- \"$word\") ;;\n"
	"    perftest:1) mapfile -t COMPREPLY < <(compgen -W \"run serve matrix compare gate verify list doctor merge "
	"metrics "
	"report "
	"--ssh= "
	"--help "
	"--version\" "
	"-- "
	"\"$word\") "
	";;\n"
	"    perftest:*)\n"
	"        case ${COMP_WORDS[1]} in\n"
	"        doctor) mapfile -t COMPREPLY < <(compgen -W \"--ib-dev --ib-port\" -- \"$word\") ;;\n"
	"        merge)\n"
	"            compopt -o filenames 2>/dev/null\n"
	"            mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
	"            ;;\n"
	"        *) _perftest ;;\n"
	"        esac\n"
	"        ;;\n"
	"    krping_run:*)\n"
	"        if [[ ${COMP_WORDS[COMP_CWORD - 1]} == --json ]]; then\n"
	"            compopt -o filenames 2>/dev/null\n"
	"            mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
	"        else\n"
	"            mapfile -t COMPREPLY < <(compgen -W \"--json --quiet --help server client\" -- \"$word\")\n"
	"        fi\n"
	"        ;;\n"
	"    *) COMPREPLY=() ;;\n"
	"    esac\n"
	"}\n"
	"\n"
	"# For other shells: prints what the word at the end may become, one to a line.\n"
	"_perftest_list() { # WORD...\n"
	"    local prefix='' slash='' reply\n"
	"    # bash's has no meaning where bash does not complete\n"
	"    compopt() { [[ $2 != filenames ]] || slash=/; }\n"
	"    COMP_WORDS=(\"$@\") COMPREPLY=()\n"
	"    if [[ ${!#} == --*=* ]]; then\n"
	"        prefix=${!#}\n"
	"        COMP_WORDS=(\"${@:1:$#-1}\" \"${prefix%%=*}\" \"=\" \"${prefix#*=}\")\n"
	"        prefix=${prefix%%=*}=\n"
	"    fi\n"
	"    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
	"    case ${1##*/} in\n"
	"    " SCRIPTS_OR ") _perftest_script ;;\n"
	"    *) _perftest ;;\n"
	"    esac\n"
	"    for reply in \"${COMPREPLY[@]}\"; do\n"
	"        [[ ! -d $reply ]] || reply+=$slash\n"
	"        printf '%s\\n' \"$prefix$reply\"\n"
	"    done\n"
	"}\n";

/* The file of bash stands beside this one in the source tree. */
static const char zsh[] = "\n"
			  "local dir=${${funcsourcetrace[1]%:*}:A:h} file\n"
			  "local -a replies\n"
			  "for file in $dir/../../bash-completion/completions/" BASH_FILE " $dir/" BASH_FILE "; do\n"
			  "    [[ -e $file ]] && break\n"
			  "done\n"
			  "replies=(${(f)\"$(bash -c 'source \"$0\" && _perftest_list \"$@\"' $file "
			  "\"${(@Q)words[1,CURRENT]}\" 2>/dev/null)\"})\n"
			  "compadd -S '' -- ${(M)replies:#*[=/]}\n"
			  "compadd -- ${replies:#*[=/]}\n";

static const char fish[] =
	"\n"
	"set -g __perftest_dir (dirname (status filename))\n"
	"function __perftest_list\n"
	"    set -l file $__perftest_dir/../../bash-completion/completions/" BASH_FILE "\n"
	"    test -e $file; or set file $__perftest_dir/" BASH_FILE "\n"
	"    set -l word (commandline -ct)\n"
	"    bash -c 'source \"$0\" && _perftest_list \"$@\"' $file (commandline -opc) \"$word\" 2>/dev/null\n"
	"end\n";

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

	for (unsigned i = 0; i < options->num_rows; i++) {
		const struct opt_row *row = &options->rows[i];

		if (!(row->programs & cli->program))
			continue;
		if (column > 90) {
			printf(" \\\n       ");
			column = 8;
		}
		column += printf(" --%s%s", row->long_name, row->argument && !row->letters ? "=" : "");
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
	printf("    %s) echo \"$_perftest_programs\" ;;\n    %s) echo", key_of(&ssh_cli), key_of(&matrix_cli));
	for (const struct pairing *row = pairings; row->name; row++)
		printf(" %s", row->name);
	printf(" \"$_perftest_programs\" ;;\n    %s | %s | %s) echo \"$_perftest_programs\" ;;\n    %s | %s) echo "
	       "@file "
	       ";;\n    "
	       "esac\n}\n",
	       key_of(&batch_cli), key_of(&compare_cli), key_of(&gate_cli), key_of(&metrics_cli), key_of(&report_cli));
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

		if (row->kind == OPT_FLAG)
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
	printf("%s", prologue);
	completion_print_options(all, count);
	print_operands(all, count);
	completion_print_values(all, count);
	printf("%s\n_perftest_programs=\"", epilogue);
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
	printf(" " OLD_NAMES " " SCRIPTS "\n" LICENCE ASKS_BASH "%s", zsh);
}

void gen_completion_fish(const struct page *all, size_t count)
{
	printf(LICENCE ASKS_BASH "%sfor name in ", fish);
	completion_print_programs(all, count);
	printf(" " OLD_NAMES " " SCRIPTS "\n"
	       "    complete -c $name -f -a '(__perftest_list)'\n"
	       "end\n");
}
