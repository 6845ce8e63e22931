/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What of memory that the program shares already, by a file or a SysV segment? See foreign.c. */
#ifndef SOFT_FOREIGN_H
#define SOFT_FOREIGN_H

#include "memory/maps.h"
#include "memory/region.h"

/* The memory from start on; -EOPNOTSUPP: nothing can be handed to a peer. foreign->fd is the caller's. */
int soft_foreign_take(const struct mapping *mapping, uint64_t start, bool needs_write, struct region_foreign *foreign);
/* Private huge pages become a file of huge pages first, the whole mapping. */
int soft_foreign_take_huge(const struct mapping *mapping, uint64_t start, struct region_foreign *foreign);

#endif
