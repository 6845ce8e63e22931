/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What lies behind the key of a null region? See null_memory.c. */
#ifndef SOFT_NULL_MEMORY_H
#define SOFT_NULL_MEMORY_H

#include "host/layout.h"

#include <stdbool.h>

/*
 * Where the rows say that `key` is a null region of that domain: SOFT_MAX_MSG_SIZE bytes of zeroes, or as many that may
 * be written and that is not read. NULL: it is none, or there is no memory.
 */
void *soft_null_memory(const struct mr_row *rows, uint32_t key, uint32_t pd, bool writes);

#endif
