/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Registers memory that is shared already. See file_backed.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "memory/proc_maps.h"

/* Memory that is shared already, by a file or a SysV segment. */
struct mr_file {
	int fd;		    /* -1: a SysV segment */
	int sysv_id;	    /* shmid, -1: a file */
	uint64_t offset;    /* of the region's first byte */
	uint64_t page_size; /* a mapping's offset must be a multiple of this */
};

/*
 * Finds the file of the memory from start on; -EOPNOTSUPP: there is nothing to pass to a peer. The caller owns
 * file->fd.
 */
int soft_file_backed_take(const struct mapping *mapping, uint64_t start, bool needs_write, struct mr_file *file);
/* Private huge pages: first converts the whole mapping to a file of huge pages. */
int soft_file_backed_take_huge(const struct mapping *mapping, uint64_t start, struct mr_file *file);
