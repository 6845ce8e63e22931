/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the mapping at an address of this process. See proc_maps.c. */
#pragma once

#include <limits.h>

#include "host/mapping.h"

struct mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset; /* in the file */
	uint64_t inode;
	uint64_t device; /* as st_dev */
	int protection;	 /* PROT_* */
	bool is_shared;
	char name[PATH_MAX]; /* as /proc/self/maps shows it, empty for anonymous memory */
};

static inline void *move_at(uint64_t addr)
{
	return (void *)(uintptr_t)addr;
}

struct maps {
	int fd;
	bool has_query; /* the kernel can query one address (6.11) */
	char *text;	/* otherwise the whole file, read once */
	char *next;
};

int soft_proc_maps_open(struct maps *maps);
void soft_proc_maps_close(struct maps *maps);
/* Addresses must ascend from call to call. The mapping that contains addr, or the first after it; -EFAULT: none. */
int soft_proc_maps_next(struct maps *maps, uint64_t addr, struct mapping *mapping);
/* The mapping that contains addr; -EFAULT: none. */
int soft_proc_maps_find(struct maps *maps, uint64_t addr, struct mapping *mapping);
