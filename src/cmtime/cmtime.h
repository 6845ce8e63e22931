/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The life of cmtime, in order; called by its main file and, for the documents, by gen_docs. */
#ifndef CMTIME_CMTIME_H
#define CMTIME_CMTIME_H

#include "params/page.h"

/* Returns what the process shall exit with. */
int cmtime_main(int argc, char **argv);

/* What --help, the manual page and the completion say. */
extern const struct page cmtime_page;

#endif
