/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Buffers in a file or device that can be mapped: persistent memory, a PCIe BAR in sysfs, hugetlbfs. */
#ifndef MEMORY_MAPPED_FILE_H
#define MEMORY_MAPPED_FILE_H

#include <stdint.h>

#include "memory/memory.h"

extern const struct memory_ops memory_mapped_file;

/* The file in which buffers follow each other; to be called before the first one. Keeps path. 0 or -errno, reported. */
int mapped_file_choose(const char *path, uint64_t offset);

#endif
