/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How much memory can this process still allocate without harming others? Queried before a peer makes it allocate some.
 */
#pragma once

#include <stdint.h>

/*
 * Bytes that the kernel can provide without swapping (MemAvailable of proc(5)), or what remains of the memory limit of
 * the process's control groups (versions 1 and 2), counting file cache as free, if that is less. UINT64_MAX: unknown.
 * root: "", or a folder that replaces / in tests.
 */
uint64_t memory_available(const char *root);
