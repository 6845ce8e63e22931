/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Converts memory of the program, in place, to memory that peers can map. See mr_backing.c. */
#pragma once

#include <pthread.h>

#include "memory/proc_maps.h"

/* Memory that is shared already, by a file or a SysV segment. */
struct mr_file {
	int fd;		    /* -1: a SysV segment */
	int sysv_id;	    /* shmid, -1: a file */
	uint64_t offset;    /* of the region's first byte */
	uint64_t page_size; /* a mapping's offset must be a multiple of this */
};

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

/* file_backed.c: */
/*
 * Finds the file of the memory from start on; -EOPNOTSUPP: there is nothing to pass to a peer. The caller owns
 * file->fd.
 */
int soft_file_backed_take(const struct mapping *mapping, uint64_t start, bool needs_write, struct mr_file *file);
/* Private huge pages: first converts the whole mapping to a file of huge pages. */
int soft_file_backed_take_huge(const struct mapping *mapping, uint64_t start, struct mr_file *file);
