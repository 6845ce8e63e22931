/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads events of the NIC: 16 to 64 bytes each, in a ring whose first slot says whether events were dropped. */
#pragma once

#include <stdbool.h>

#include "cxi/libcxi/libcxi_abi.h"

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
