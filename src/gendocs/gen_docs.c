// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writes a manual page or the completion of a shell from the option table: "gen_docs man ib_write_bw", "gen_docs
 * completion bash". Run by `make generate`, whose results are committed, so that a build needs not run a program of its
 * own (which a cross build could not), and by `make check-generated`.
 */
#include "gendocs/gen_docs.h"

#include <stdio.h>
#include <string.h>

#include "cmtime/cmtime.h"
#include "cxi/cxi.h"
#include "params/options.h"
#include "params/programs.h"
#include "params/rules/rules.h"
#include "qperf/qperf.h"

#define MAX_PAGES 16

static const struct {
	const char *name;
	void (*generate)(const struct page *all, size_t count);
} shells[] = {{"bash", gen_completion}, {"zsh", gen_completion_zsh}, {"fish", gen_completion_fish}};

#define NUM_SHELLS (sizeof(shells) / sizeof(shells[0]))

static const char *program_rule_sentence(const struct cli *cli, size_t n)
{
	struct params params;
	struct rules rules;

	params_init(&params, program_find(cli->name));
	rules_list(&rules, &params);
	for (size_t i = 0; i < rules.count; i++)
		if (rules.rows[i].programs & cli->program && n-- == 0)
			return rules.rows[i].sentence;
	return NULL;
}

/* Explains the labels of its options; NULL if it has only one side, where they mean nothing. */
static const char *program_reaches(const struct program *program)
{
#define REACHES                                                                                                        \
	"The client sends the options marked shared to the server, and both sides must use the same value: a server "  \
	"that was given another one refuses the client or, if it does not measure or the option changes no figure, "   \
	"uses the client's value and says so; those marked offered are sent too, but the server keeps its own value "  \
	"if it was given one. The others concern one side only."

	if (program->metric == METRIC_STEERING)
		return NULL;
	if (program->silent)
		return "Without --side_channel options are not exchanged, and those marked shared must have the same "
		       "value on both sides. With it: " REACHES;
	return REACHES;
}

static void page_describe(struct page *page, const struct program *program, char purpose[PROGRAM_PURPOSE_SIZE])
{
	program_describe(program, purpose, &page->cli);
	page->paragraphs = manual;
	page->num_paragraphs = manual_count;
	page->reaches = program_reaches(program);
	page->rule = program_rule_sentence;
	page->see_also = ".BR perftest (7),\n.BR run_soft (1),\n.BR ibv_devinfo (1)\n";
}

int main(int argc, char **argv)
{
	static struct page pages[MAX_PAGES];
	static char purposes[MAX_PAGES][PROGRAM_PURPOSE_SIZE];
	size_t count = 0;

	while (count < num_programs) {
		page_describe(&pages[count], &programs[count], purposes[count]);
		count++;
	}
	pages[count++] = cmtime_page;
	pages[count++] = *qperf_page();
	pages[count++] = cxi_page;
	for (size_t i = 0; argc == 3 && strcmp(argv[1], "completion") == 0 && i < NUM_SHELLS; i++) {
		if (strcmp(shells[i].name, argv[2]) == 0) {
			shells[i].generate(pages, count);
			return 0;
		}
	}
	if (argc == 2 && strcmp(argv[1], "compat") == 0)
		return gen_compat();
	if (argc == 3 && strcmp(argv[1], "man") == 0 && strcmp(argv[2], "perftest") == 0) {
		gen_overview(pages, count);
		return 0;
	}
	for (size_t i = 0; argc == 3 && strcmp(argv[1], "man") == 0 && i < count; i++) {
		if (strcmp(pages[i].cli.name, argv[2]) == 0) {
			gen_man(&pages[i], pages, count);
			return 0;
		}
	}
	fprintf(stderr, "usage: gen_docs man PROGRAM | man perftest | completion SHELL | compat\n");
	return 2;
}
