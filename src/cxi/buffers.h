/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where do sends lie? The rule of the manual page: each send begins at a multiple of its size rounded up to
 * --buf-align, and where the next one does not fit into --buf-sz or the buffer, offsets begin again at 0. Also what the
 * bytes are, with --verify those that memory/pattern.h defines.
 */
#ifndef CXI_BUFFERS_H
#define CXI_BUFFERS_H

#include <stdbool.h>
#include <stdint.h>

#include "cxi/ops.h"
#include "cxi/parameters.h"
#include "memory/memory.h"

struct cxi_buffers {
	struct buffer tx, rx;
	uint64_t length;     /* of the one that sends or receives, bytes, whole pages */
	uint64_t limit;	     /* sends end below it: the smaller of length and --buf-sz */
	const char *gpu;     /* "NVIDIA"; NULL: both are system memory */
	bool pages_are_huge; /* of system memory, as far as there is any */
};

/* From one send to the next. */
uint64_t cxi_granularity(const struct cxi_params *params, uint64_t size);
/* Bytes of a buffer for the largest size: whole pages of page bytes. */
uint64_t cxi_buffer_length(const struct cxi_params *params, uint64_t page);
/* One size: how sends lie. */
struct cxi_run cxi_run_layout(const struct cxi_params *params, const struct cxi_buffers *buffers, uint64_t size);
/* Of --use-hp, or of the system. */
uint64_t cxi_page_bytes(const struct cxi_params *params);

/*
 * Both buffers; the one of a direction that this side doesn't have is one page. 0 or -errno, reported but -EINTR:
 * memory, or huge pages, that the host doesn't have.
 */
int cxi_buffers_open(struct cxi_buffers *buffers, const struct cxi_params *params, bool sends, bool receives);
/* Takes one that was not opened. */
void cxi_buffers_close(struct cxi_buffers *buffers);

/* --verify: the bytes of list number `list` (counted from 0) in tx, and places in rx that wait for some. */
void cxi_fill_list(const struct cxi_buffers *buffers, const struct cxi_run *run, bool of_server, uint64_t list);
void cxi_vacate(const struct cxi_buffers *buffers, const struct cxi_run *run, bool of_server);
/*
 * Looks at a list in rx, and vacates it for the next. Number of slots that hold anything but this list; the first is
 * described in text.
 */
uint64_t cxi_check_list(const struct cxi_buffers *buffers, const struct cxi_run *run, bool of_server, uint64_t list,
			char *text, size_t text_size);

#endif
