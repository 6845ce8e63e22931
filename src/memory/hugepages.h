/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Huge pages of each size that the kernel has: buffers of them, and how many there are. */
#ifndef MEMORY_HUGEPAGES_H
#define MEMORY_HUGEPAGES_H

#include <stddef.h>
#include <stdint.h>

#include "memory/memory.h"

#define HUGEPAGES_MAX_SIZES 16

extern const struct memory_ops memory_hugepages;

/*
 * Of which size buffers are from now on; 0: the kernel's default. option: what asked for them, with its value, for
 * messages. 0, or -EINVAL, reported: the kernel has none of that size.
 */
int hugepages_choose(uint64_t bytes, const char *option);

/* The sizes that the kernel has, in bytes, ascending. Their number. */
unsigned hugepages_sizes(uint64_t sizes[HUGEPAGES_MAX_SIZES]);
/* The kernel's default, in bytes. */
uint64_t hugepages_default_size(void);
/* How many of a size are free, or with "nr_hugepages" reserved; 0 where the kernel does not say. */
uint64_t hugepages_count(uint64_t page, const char *file);
/* How root makes there be `count` pages. Returns text. */
const char *hugepages_command(uint64_t page, uint64_t count, char *text, size_t size);
/* "2 MiB". Returns text. */
const char *hugepages_title(uint64_t page, char *text, size_t size);

#endif
