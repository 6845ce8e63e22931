/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Huge pages of each size that the kernel supports: buffers in them, and their number. */
#ifndef MEMORY_HUGEPAGES_H
#define MEMORY_HUGEPAGES_H

#include <stddef.h>
#include <stdint.h>

#include "memory/memory.h"

#define HUGEPAGES_MAX_SIZES 16

extern const struct memory_ops memory_hugepages;

/*
 * Page size of subsequent buffers; 0: the kernel's default. option: what requested them, with its value, for messages.
 * 0, or -EINVAL, reported, if the kernel does not have that size.
 */
int hugepages_choose(uint64_t bytes, const char *option);

/* The supported sizes in bytes, ascending. Returns their number. */
unsigned hugepages_sizes(uint64_t sizes[HUGEPAGES_MAX_SIZES]);
/* The kernel's default, in bytes. */
uint64_t hugepages_default_size(void);
/* The number of free pages of a size, or with "nr_hugepages" of all; 0 if the kernel does not say. */
uint64_t hugepages_count(uint64_t page, const char *file);
/* The command with which root allocates `count` pages. Returns text. */
const char *hugepages_command(uint64_t page, uint64_t count, char *text, size_t size);
/* "2 MiB". Returns text. */
const char *hugepages_title(uint64_t page, char *text, size_t size);

#endif
