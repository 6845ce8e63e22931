/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Writes commands for the NIC to the ring of a command queue, and rings the doorbell after some of them, by writing the
 * slot after the last one. Slots have 64 bytes, commands 32 to 256, each at a multiple of its size; gaps are filled
 * with no-operation commands (NOOP).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cxi/libcxi/libcxi_abi.h"

/* Can the ring hold commands of all sizes? False if the library has filled the structure in another layout. */
bool libcxi_queue_is_sane(const struct libcxi_queue *queue);

/*
 * Each writes one command, without ringing the doorbell: 0, or -ENOSPC, and nothing is written. Fills in size and type
 * in the command's first byte; the caller sets the opcode.
 */
int libcxi_put_dma(struct libcxi_queue *queue, const struct cassini_dma *dma);
int libcxi_put_state(struct libcxi_queue *queue, const struct cassini_state *state);
/* bytes <= CASSINI_IDC_BYTES; fills in the header's length. */
int libcxi_put_idc(struct libcxi_queue *queue, const struct cassini_idc *header, const void *payload, size_t bytes);
/* Others, of up to 64 bytes. */
int libcxi_put(struct libcxi_queue *queue, enum cassini_command_type type, const void *command, size_t bytes);

/* Rings the doorbell for all commands since the last call; does nothing if there are none. */
void libcxi_ring(struct libcxi_queue *queue);
/* Before what its commands name is freed: waits until the NIC has read them all, at most a second. */
void libcxi_queue_drain(const struct libcxi_queue *queue);
