/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where buffers live. A kind of memory is one file with one const struct memory_ops, whose functions get the buffer.
 * How to add one: docs/architecture.md.
 */
#ifndef MEMORY_MEMORY_H
#define MEMORY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ibv_context;
struct ibv_mr;
struct ibv_pd;
struct memory_ops;

struct buffer {
	const struct memory_ops *ops; /* NULL: there is none */
	uint8_t *addr;		      /* as work requests name it; the CPU uses it only where the kind is not far */
	size_t length;		      /* bytes that were asked for */
	int fd;			      /* of a dmabuf that it is part of, the kind's own; -1: none */
	uint64_t fd_offset;	      /* of addr in it, bytes */
	void *private;		      /* the kind's */
	void *touch;		      /* the kind's: what uses it during the test (--gpu_touch); NULL: nothing */
};

struct memory_ops {
	const char *name;
	bool is_pooled; /* from a pool that is no part of the memory that is available to programs */
	bool is_far;	/* the CPU neither loads nor stores by addr: copy_in() and copy_out() do */
	/*
	 * length is set. Fills addr, page-aligned at least, and what else the kind has. context: of the device that
	 * will use it; NULL: none. 0 or -errno, reported.
	 */
	int (*alloc)(struct buffer *buffer, struct ibv_context *context);
	void (*free)(struct buffer *buffer);
	/* All are filled and registered, the test begins. 0 or -errno, reported. NULL: nothing is left to do. */
	int (*begin)(struct buffer *buffer);
	/* To and from host memory; addr lies in the buffer. What was not copied memory_copy_failed() is told. */
	void (*copy_in)(const struct buffer *buffer, void *addr, const void *host, size_t bytes);
	void (*copy_out)(const struct buffer *buffer, void *host, const void *addr, size_t bytes);
	/* Bytes that there are of it, which all processes share. NULL: it is the host's. */
	uint64_t (*supply)(struct ibv_context *context);
	/* NULL with errno when the device refuses. No function: it is registered by fd, or without one by addr. */
	struct ibv_mr *(*register_mr)(const struct buffer *buffer, struct ibv_pd *pd, unsigned access);
};

extern const struct memory_ops memory_host;

/* 0 or -errno, reported; then *buffer has no ops. */
int buffer_open(struct buffer *buffer, const struct memory_ops *ops, size_t bytes, struct ibv_context *context);
/* Also of one that was not opened. */
void buffer_close(struct buffer *buffer);

/*
 * The owner of a buffer's memory has not copied: nothing that is found there, or sent from there, can be trusted.
 * Reported, the first time. why: in the owner's words.
 */
void memory_copy_failed(const struct buffer *buffer, const char *why);
/* Has it ever been? */
bool memory_copies_failed(void);

/*
 * Fills a buffer before the test: random data, or the text file payload_file (memory/payload.h) repeated; "": none.
 * Random filling is fast (a block is made once and copied). 0 or -errno, reported.
 */
int buffer_fill(const struct buffer *buffer, const char *payload_file);

#endif
