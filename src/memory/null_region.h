/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A null memory region (ibv_alloc_null_mr(3)): what is written to it is dropped, and what is read from it is zeros, so
 * that a test has no part of the host's memory in it.
 */
#ifndef MEMORY_NULL_REGION_H
#define MEMORY_NULL_REGION_H

#include "memory/memory.h"

extern const struct memory_ops memory_null_region;

#endif
