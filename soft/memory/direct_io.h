/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* By what may the kernel write to this process's memory without its CPUs? See direct_io.c. */
#ifndef SOFT_DIRECT_IO_H
#define SOFT_DIRECT_IO_H

#include <stdbool.h>

/*
 * The first descriptor found that such input may be in flight through, and what it is ("a file opened with O_DIRECT");
 * -1: none. -ENOTDIR and the like, below -1: the descriptors can't be listed. has_threads: another thread of the
 * program may be in a system call.
 */
int soft_direct_io_find(bool has_threads, const char **what);

#endif
