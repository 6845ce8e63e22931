/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* All that is written about a program: its options, rules, and the text that is in no row of a table. For gen_docs
 * only. */
#pragma once

#include <stddef.h>

#include "params/engine/cli.h"

enum manual_section {
	MANUAL_DESCRIPTION,
	MANUAL_OUTPUT,
	MANUAL_EXIT_STATUS,
	MANUAL_ENVIRONMENT,
	MANUAL_EXAMPLES,
	MANUAL_NOTES,
};

/* Plain text; gen_man.c adds markup. "%s" is the program's name. */
struct manual_paragraph {
	enum manual_section section;
	unsigned programs;
	const char *label; /* NULL: a plain paragraph; in MANUAL_EXAMPLES a command line */
	const char *text;
};

/* What the pages of several programs say. */
#define MANUAL_USAGE_ERROR "The command line is wrong; nothing was tried."
#define MANUAL_CLOCK                                                                                                   \
	"gettime: use clock_gettime(2) instead of the CPU's cycle counter. counter: use the counter of an x86 "        \
	"although "                                                                                                    \
	"the kernel does not, as in a virtual machine whose host is known to keep it."
#define MANUAL_EXPLAIN                                                                                                 \
	"what slows the test down, the likeliest first, where (client, server, the path between them, or a parameter " \
	"of the test), the evidence, and what to do. "

/* Of the ib_* programs. */
extern const struct manual_paragraph manual[];
extern const size_t manual_count;

struct page {
	struct cli cli;
	const struct manual_paragraph *paragraphs;
	size_t num_paragraphs;
	const char *reaches; /* the meaning of the marks shared and offered, under OPTIONS; NULL: there is one side */
	/* The n-th rule between options of this program, NULL if there are no more. */
	const char *(*rule)(const struct cli *cli, size_t n);
	const char *syntax;	  /* how options are written; NULL: as params/engine/opt.h describes */
	const char *const *words; /* known operands, up to a NULL; NULL: none */
	const char *see_also;	  /* roff: what follows the other programs of the same table */
};
