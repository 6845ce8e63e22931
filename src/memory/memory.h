/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kinds of memory for buffers. Each kind is a file with a const struct memory_ops, whose functions get the buffer.
 * docs/architecture.md says how to add one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ibv_context;
struct ibv_mr;
struct ibv_pd;
struct memory_ops;

struct buffer {
	const struct memory_ops *ops; /* NULL: not open */
	uint8_t *addr;		      /* as in work requests; the CPU may only use it if the kind is not far */
	size_t length;		      /* requested bytes */
	int fd;			      /* of the dmabuf that contains the buffer, owned by the kind; -1: none */
	uint64_t fd_offset;	      /* of addr in the dmabuf, bytes */
	char refused[64];	      /* why there is no dmabuf, in the words of the memory's owner; "": unknown */
	const char *doubt;	      /* why a device may not reach that, even if it registers it; NULL: unknown */
	bool is_sealed;		      /* this buffer cannot be copied to or from: it is not filled */
	void *private;		      /* owned by the kind */
	void *touch; /* owned by the kind: accesses the buffer during the test (--gpu_touch); NULL: none */
};

enum copy_direction { COPY_IN, COPY_OUT }; /* to the buffer, from it */

struct memory_ops {
	const char *name;
	bool is_pooled; /* from a pool that is not part of the available memory */
	bool is_far;	/* the CPU can't access addr, only copy() can */
	/*
	 * length is set. Fills addr, at least page-aligned, and the members that the kind uses. context: of the device
	 * that will use the buffer; NULL: none. 0 or -errno, reported.
	 */
	int (*alloc)(struct buffer *buffer, struct ibv_context *context);
	void (*free)(struct buffer *buffer);
	/*
	 * Called once all buffers are filled and registered, before the test. 0 or -errno, reported. NULL: nothing to
	 * do.
	 */
	int (*begin)(struct buffer *buffer);
	/* Copies between the buffer and host memory. Failures are reported with memory_copy_failed(). */
	void (*copy)(const struct buffer *buffer, void *to, const void *from, size_t bytes, enum copy_direction which);
	/* Bytes of this memory, which all processes share. NULL: host memory. */
	uint64_t (*supply)(struct ibv_context *context);
	/* NULL with errno if the device refuses. If there is no function, fd is registered or, without one, addr. */
	struct ibv_mr *(*register_mr)(const struct buffer *buffer, struct ibv_pd *pd, unsigned access);
};

extern const struct memory_ops memory_host;

/* 0 or -errno, reported, with buffer->ops NULL. */
int buffer_open(struct buffer *buffer, const struct memory_ops *ops, size_t bytes, struct ibv_context *context);
/* Does nothing if it is not open. */
void buffer_close(struct buffer *buffer);

/* addr: in the buffer. */
static inline void buffer_copy_in(const struct buffer *buffer, void *addr, const void *host, size_t bytes)
{
	buffer->ops->copy(buffer, addr, host, bytes, COPY_IN);
}

static inline void buffer_copy_out(const struct buffer *buffer, void *host, const void *addr, size_t bytes)
{
	buffer->ops->copy(buffer, host, addr, bytes, COPY_OUT);
}

/*
 * Reports, once, that a copy has failed, so that no data in the buffer or sent from it can be trusted. why: in the
 * words of the memory's owner.
 */
void memory_copy_failed(const struct buffer *buffer, const char *why);
/* Has a copy failed since a buffer was last closed? A server in the same process gets new buffers for each client. */
bool memory_copies_failed(void);

/*
 * Fills a buffer before the test: with random data, or with the contents of the text file payload_file, repeated; "":
 * random. Random filling is fast: one block is generated and copied. 0 or -errno, reported.
 */
int buffer_fill(const struct buffer *buffer, const char *payload_file);

/*
 * --- payload.c: the text of --payload_file_path ---
 *
 * Dwords of 0x and one to eight hexadecimal digits, separated by commas and any white space; a comma may follow the
 * last one. They are stored little-endian: "0x11223344" becomes the bytes 44 33 22 11.
 */

/*
 * 0 and *bytes (to be freed with free()) with *count bytes, a multiple of 4 and not 0; -EINVAL and a reason with line
 * and column; -ENOMEM.
 */
int payload_parse(const char *text, uint8_t **bytes, size_t *count, char *reason, size_t reason_size);
/* Reads it from a file; failures are reported with its name. */
int payload_read(const char *path, uint8_t **bytes, size_t *count);

/* --- available.c: how much can this process still allocate without harming others? --- */

/*
 * Bytes that the kernel can provide without swapping (MemAvailable of proc(5)), or what remains of the memory limit of
 * the process's control groups (versions 1 and 2), counting file cache as free, if that is less. UINT64_MAX: unknown.
 * root: "", or a folder that replaces / in tests.
 */
uint64_t memory_available(const char *root);
