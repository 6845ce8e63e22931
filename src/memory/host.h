/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The copies of every kind of memory that the CPU can address. */
#ifndef MEMORY_HOST_H
#define MEMORY_HOST_H

#include <stddef.h>

struct buffer;

void memory_host_copy_in(const struct buffer *buffer, void *addr, const void *host, size_t bytes);
void memory_host_copy_out(const struct buffer *buffer, void *host, const void *addr, size_t bytes);

#endif
