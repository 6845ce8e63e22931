/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What of registered memory does a forked child get? See fork_pages.c. Called by mr_backing.c, in this order. */
#ifndef SOFT_FORK_PAGES_H
#define SOFT_FORK_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void soft_fork_pages_open(size_t count); /* at most so many are added; nothing is kept if there is no memory for it */
void soft_fork_pages_add(uint64_t page, bool is_inside); /* is_inside: of a buffer, and otherwise not passed on */
void soft_fork_pages_detach(void);
/* After the fork; both end what open() began. */
void soft_fork_pages_attach(void);
void soft_fork_pages_keep(void); /* in the child */

/* The pages [*low, *high) of the calling thread's stack that are in use, as far as they lie in [start, end). */
void soft_fork_stack_within(uint64_t start, uint64_t end, uint64_t *low, uint64_t *high);

#endif
