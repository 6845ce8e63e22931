/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How does a command reach the NIC? It is written into the ring of a command queue, and once some are there the
 * doorbell is rung: a write of the slot behind the last of them. Slots have 64 bytes, commands 32 to 256, each at a
 * multiple of its size; what is between them is filled with commands that do nothing (NOOP).
 */
#ifndef CXI_LIBCXI_QUEUE_H
#define CXI_LIBCXI_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "cxi/libcxi_abi.h"

/* Is it a ring that commands of each size fit into whole? False of one that the library filled in another layout. */
bool libcxi_queue_is_sane(const struct libcxi_queue *queue);

/*
 * Each writes one command, without the doorbell: 0 or -ENOSPC, and then nothing is written. Size and type in the
 * command's first byte are theirs to fill, the opcode is the caller's.
 */
int libcxi_put_dma(struct libcxi_queue *queue, const struct cassini_dma *dma);
int libcxi_put_state(struct libcxi_queue *queue, const struct cassini_state *state);
/* bytes <= CASSINI_IDC_BYTES; the header's length is filled in. */
int libcxi_put_idc(struct libcxi_queue *queue, const struct cassini_idc *header, const void *payload, size_t bytes);
int libcxi_put_count(struct libcxi_queue *queue, const struct cassini_count_command *count);
int libcxi_put_append(struct libcxi_queue *queue, const struct cassini_append *append);
int libcxi_put_set_state(struct libcxi_queue *queue, const struct cassini_set_state *set_state);

/* Hands over what was written since the last call; without any, nothing happens. */
void libcxi_ring(struct libcxi_queue *queue);

#endif
