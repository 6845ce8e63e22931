/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What memory kinds that the CPU can address have in common. */
#ifndef MEMORY_HOST_H
#define MEMORY_HOST_H

#include <stddef.h>

struct buffer;
struct ibv_context;

/* alloc() of memory_ops, for pages of ordinary memory. */
int memory_host_alloc(struct buffer *buffer, struct ibv_context *context);
void memory_host_free(struct buffer *buffer);
void memory_host_copy_in(const struct buffer *buffer, void *addr, const void *host, size_t bytes);
void memory_host_copy_out(const struct buffer *buffer, void *host, const void *addr, size_t bytes);

#endif
