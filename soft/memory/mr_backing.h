/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Converts memory of the program, in place, to memory that peers can map. See mr_backing.c. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/file_backed.h"

struct mr_backing; /* a registration's hold on its pages */

void soft_mr_backing_close_data(void);	 /* returns every page */
void soft_mr_backing_fork_prepare(void); /* locked; afterwards soft_fork_pages_attach() in the parent */
void soft_mr_backing_reset(void);	 /* in a forked child */
extern pthread_mutex_t soft_mr_backing_lock __attribute__((visibility("hidden")));

/* 0, -EFAULT (not mapped, or not writable where needs_write), -EOPNOTSUPP (cannot be shared), -ENOMEM. */
int soft_mr_backing_take(void *addr, size_t length, bool needs_write, struct mr_backing **backing);
void soft_mr_backing_give(struct mr_backing *backing);
/* Does it cover the whole range? */
bool soft_mr_backing_covers(const struct mr_backing *backing, uint64_t start, uint64_t length, bool needs_write);
/* NULL: its pages are in the data file, offset = address. */
const struct mr_file *soft_mr_backing_file(const struct mr_backing *backing);
