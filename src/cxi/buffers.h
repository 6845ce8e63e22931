/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The layout of sends in the buffers, by the rule of the manual page: each send starts at a multiple of its size,
 * rounded up to --buf-align; if the next one does not fit into --buf-sz or the buffer, offsets start again at 0. Also
 * the contents, with --verify those of memory/pattern.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cxi/ops.h"
#include "cxi/parameters.h"
#include "memory/memory.h"

struct cxi_buffers {
	struct buffer tx, rx;
	uint64_t length;     /* bytes of the buffer in use, whole pages */
	uint64_t limit;	     /* sends must end below it: the smaller of length and --buf-sz */
	const char *gpu;     /* "NVIDIA"; NULL: both are in system memory */
	bool pages_are_huge; /* those of system memory, if any */
};

/* Bytes of a buffer for the largest size, in whole pages of `page` bytes. */
uint64_t cxi_buffer_length(const struct cxi_params *params, uint64_t page);
/* The layout for a size. */
struct cxi_run cxi_run_layout(const struct cxi_params *params, const struct cxi_buffers *buffers, uint64_t size);

/*
 * Opens both buffers; that of an unused direction is one page. 0 or -errno, reported except -EINTR, if the host does
 * not have the memory or the huge pages.
 */
int cxi_buffers_open(struct cxi_buffers *buffers, const struct cxi_params *params, bool sends, bool receives);
/* Does nothing if they are not open. */
void cxi_buffers_close(struct cxi_buffers *buffers);

/* --verify: fills a list (numbered from 0) in tx, and places in rx that wait for one. */
void cxi_fill_list(const struct cxi_buffers *buffers, const struct cxi_run *run, bool of_server, uint64_t list);
void cxi_vacate(const struct cxi_buffers *buffers, const struct cxi_run *run, bool of_server);
/*
 * Checks a list in rx, and clears it for the next one. Returns the number of wrong slots, of which the first is
 * described in text.
 */
uint64_t cxi_check_list(const struct cxi_buffers *buffers, const struct cxi_run *run, bool of_server, uint64_t list,
			char *text, size_t text_size);
