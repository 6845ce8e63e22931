/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How much memory can this process still have, before others suffer? Asked before some is taken on a peer's word. */
#ifndef MEMORY_AVAILABLE_H
#define MEMORY_AVAILABLE_H

#include <stdint.h>

/*
 * Bytes that the kernel says can be had without swapping (MemAvailable of proc(5)), or those that are left in the
 * memory limit of the process's control groups (version 2), file cache counted as free, where they are fewer.
 * UINT64_MAX: not known. root: "", or a folder that stands for / in tests.
 */
uint64_t memory_available(const char *root);

#endif
