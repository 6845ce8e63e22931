/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rings that are shared with the NIC. Commands are written there, and the doorbell is rung after some of them, by
 * writing the slot after the last one: slots have 64 bytes, commands 32 to 256, each at a multiple of its size, and
 * gaps are filled with no-operation commands (NOOP). Events have 16 to 64 bytes; the first slot says whether some were
 * dropped.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cxi/libcxi/libcxi_abi.h"

/* --- commands --- */

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

/* --- events --- */

/* The parts of an event that are used here. */
struct libcxi_event {
	enum cassini_event_type type;
	unsigned return_code;
	unsigned counter;		     /* TRIGGERED_OP: the counter that has reached the threshold */
	uint64_t threshold;		     /* TRIGGERED_OP */
	unsigned portal;		     /* target events: its number */
	unsigned state;			     /* STATE_CHANGE */
	bool get_issued;		     /* RENDEZVOUS: the NIC has issued the get; otherwise the host must */
	uint64_t match_bits;		     /* RENDEZVOUS: those of its get */
	uint32_t moved_bytes, request_bytes; /* target events in long form, otherwise 0 */
	uint64_t remote_offset, start;
	uint64_t header_data;
};

/* Does the structure describe a ring in buffer, of this size? */
bool libcxi_events_are_sane(const struct libcxi_event_queue *queue, const void *buffer, size_t bytes);

/* True: *event is the oldest unread event, which is removed. */
bool libcxi_next_event(struct libcxi_event_queue *queue, struct libcxi_event *event);

/* Releases the space of all events that were read. */
void libcxi_ack_events(struct libcxi_event_queue *queue);

/* Were events dropped because the ring was full? They are not repeated. */
bool libcxi_events_lost(const struct libcxi_event_queue *queue);

/* "PUT", "ACK"; "?" if the type is unknown. */
const char *libcxi_event_text(enum cassini_event_type type);
/* The meaning of a return code, in a few words. */
const char *libcxi_return_text(unsigned return_code);
