/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Registered memory in a forked child. See fork_pages.c. Called by mr_backing.c, in this order. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void soft_fork_pages_open(size_t count);		 /* at most `count` are added; without memory none are kept */
void soft_fork_pages_add(uint64_t page, bool is_inside); /* is_inside: entirely in a buffer, otherwise not inherited */
void soft_fork_pages_detach(void);
/* After the fork; either one completes soft_fork_pages_open(). */
void soft_fork_pages_attach(void);
void soft_fork_pages_keep(void); /* in the child */

/* The used pages [*low, *high) of the calling thread's stack, within [start, end). */
void soft_fork_stack_within(uint64_t start, uint64_t end, uint64_t *low, uint64_t *high);
