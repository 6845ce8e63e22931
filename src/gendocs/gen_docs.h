/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The documents that gen_docs writes, to stdout. */
#ifndef GENDOCS_GEN_DOCS_H
#define GENDOCS_GEN_DOCS_H

#include <stddef.h>

#include "params/page.h"

/* Plain text for roff; "%s" in it stands for name. */
void roff_text(const char *text, const char *name);
/* The same, one sentence a line. */
void roff_prose(const char *text, const char *name);

/* An option's entry of a list: its names, its argument, its help. */
void roff_option(const struct opt_row *row);

/* perftest(7): what is common to all. */
void gen_overview(const struct page *pages, size_t count);
void gen_man(const struct page *page, const struct page *all, size_t count);
/* The options of linux-rdma perftest beside ours. 0; 1, said on stderr: one is in no table. */
int gen_compat(void);
void gen_completion(const struct page *all, size_t count);

#endif
