/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where buffers live. A kind of memory is one file with one const struct memory_ops.
 * How to add one: docs/architecture.md.
 */
#ifndef MEMORY_MEMORY_H
#define MEMORY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory_ops {
	const char *name;
	bool is_pooled; /* from a pool that is no part of the memory that is available to programs */
	/* Page-aligned at least; 0 or -errno, reported. *buffer is written only on success. */
	int (*alloc)(size_t bytes, void **buffer);
	void (*free)(void *buffer, size_t bytes);
	/* to and from host memory */
	void (*copy_in)(void *buffer, const void *host, size_t bytes);
	void (*copy_out)(void *host, const void *buffer, size_t bytes);
};

extern const struct memory_ops memory_host;
extern const struct memory_ops memory_hugepages;

/*
 * Fills a buffer before the test: random data, or the text file payload_file (memory/payload.h) repeated; "": none.
 * Random filling is fast (a block is made once and copied). 0 or -errno, reported.
 */
int memory_fill(const struct memory_ops *ops, void *buffer, size_t bytes, const char *payload_file);

#endif
