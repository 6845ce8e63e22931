/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What of memory that the program shares already, by a file or a SysV segment? See file_backed.c. */
#ifndef SOFT_FILE_BACKED_H
#define SOFT_FILE_BACKED_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/proc_maps.h"

/* Memory that is shared already, by a file or a SysV segment. */
struct mr_file {
	int fd;		    /* -1: a SysV segment */
	int sysv_id;	    /* shmid, -1: a file */
	uint64_t offset;    /* of the region's first byte */
	uint64_t page_size; /* what a mapping's offset has to be a multiple of */
};

/* The memory from start on; -EOPNOTSUPP: nothing can be handed to a peer. file->fd is the caller's. */
int soft_file_backed_take(const struct mapping *mapping, uint64_t start, bool needs_write, struct mr_file *file);
/* Private huge pages become a file of huge pages first, the whole mapping. */
int soft_file_backed_take_huge(const struct mapping *mapping, uint64_t start, struct mr_file *file);

#endif
