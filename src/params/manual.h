/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The text of the manual pages that is in no row of a table. For gen_docs only. */
#pragma once

#include <stddef.h>

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

extern const struct manual_paragraph manual[];
extern const size_t manual_count;
