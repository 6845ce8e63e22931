/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Detects input that may be in flight to this process's memory by DMA. See direct_io.c. */
#pragma once

#include <stdbool.h>

/*
 * Returns the first descriptor that may have such input in flight, and what it is ("a file opened with O_DIRECT"); -1:
 * none. -ENOTDIR and the like, below -1: the descriptors cannot be listed. has_threads: another thread of the program
 * may be in a system call.
 */
int soft_direct_io_find(bool has_threads, const char **what);
