/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A null memory region (ibv_alloc_null_mr(3)): writes to it are discarded, and reads return zeros, so that a test does
 * not depend on the host's memory.
 */
#ifndef MEMORY_NULL_REGION_H
#define MEMORY_NULL_REGION_H

#include "memory/memory.h"

extern const struct memory_ops memory_null_region;

#endif
