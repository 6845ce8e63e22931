/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory for the keys of null regions. See null_memory.c. */
#pragma once

#include "host/layout.h"

#include <stdbool.h>

/*
 * If `key` is a null region of that domain: SOFT_MAX_MSG_SIZE bytes of zeroes or, for writes, as many bytes of which
 * the content is discarded. NULL: it is not one, or there is no memory.
 */
void *soft_null_memory(const struct mr_row *rows, uint32_t key, uint32_t pd, bool writes);
