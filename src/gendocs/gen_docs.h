/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The documents that gen_docs writes, to stdout. */
#pragma once

#include <stddef.h>

#include "params/engine/page.h"

/* Prints plain text for roff; "%s" in it is replaced by name. */
void roff_text(const char *text, const char *name);
/* The same, between texts that are for roff already. */
void roff_around(const char *before, const char *text, const char *name, const char *behind);
/* The same, with one sentence per line. */
void roff_prose(const char *text, const char *name);

/* List entry of an option: names, argument, help. */
void roff_option(const struct opt_row *row);

/* perftest(7): what all programs have in common. */
void gen_overview(const struct page *pages, size_t count);
void gen_man(const struct page *page, const struct page *all, size_t count);
/* linux-rdma perftest's options and ours. 0, or 1 after a message on stderr: one is not in our tables. */
int gen_compat(void);
void gen_completion(const struct page *all, size_t count);
void gen_completion_zsh(const struct page *all, size_t count);
void gen_completion_fish(const struct page *all, size_t count);
