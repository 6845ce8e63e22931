/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How does memory of the program become memory that peers can map, in place? See region.c. */
#ifndef SOFT_REGION_H
#define SOFT_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory that is shared already, by a file or a SysV segment. */
struct region_foreign {
	int fd;		    /* -1: a SysV segment */
	int sysv_id;	    /* shmid, -1: a file */
	uint64_t offset;    /* of the region's first byte */
	uint64_t page_size; /* what a mapping's offset has to be a multiple of */
};

struct region; /* a registration's hold on its pages */

void soft_region_close_data(void); /* gives every page back */
void soft_region_reset(void);	   /* in a forked child */
void soft_region_fork_prepare(void);
void soft_region_fork_parent(void);

/* 0, -EFAULT (not mapped, or not writable where needs_write), -EOPNOTSUPP (cannot be shared), -ENOMEM. */
int soft_region_take(void *addr, size_t length, bool needs_write, struct region **region);
void soft_region_give(struct region *region);
/* NULL: its pages are in the data file, offset = address. */
const struct region_foreign *soft_region_foreign(const struct region *region);

#endif
