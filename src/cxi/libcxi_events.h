/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What has the NIC reported? Events of 16 to 64 bytes in a ring, the first slot of which says whether some had no room.
 */
#ifndef CXI_LIBCXI_EVENTS_H
#define CXI_LIBCXI_EVENTS_H

#include <stdbool.h>

#include "cxi/libcxi_abi.h"

/* An event, as far as the benchmark uses one. */
struct libcxi_event {
	enum cassini_event_type type;
	unsigned return_code;
	unsigned counter;   /* TRIGGERED_OP: whose threshold was reached */
	uint64_t threshold; /* TRIGGERED_OP */
	unsigned portal;    /* of a target's event: its number */
	unsigned state;	    /* STATE_CHANGE */
	bool get_issued;    /* RENDEZVOUS: the NIC fetches the data itself; else the host has to ask for them */
	uint8_t rendezvous_id;
	uint32_t moved_bytes, request_bytes; /* of a target's event in its long form, else 0 */
	uint64_t remote_offset, start;
	uint64_t header_data;
};

/* Does it look like a ring that was made over buffer with so many bytes? */
bool libcxi_events_are_sane(const struct libcxi_event_queue *queue, const void *buffer, size_t bytes);

/* True: *event is the oldest one that was not taken yet. Takes it. */
bool libcxi_next_event(struct libcxi_event_queue *queue, struct libcxi_event *event);

/* Gives the room of all taken events back. */
void libcxi_ack_events(struct libcxi_event_queue *queue);

/* Were events lost, because the ring was full? They do not come again. */
bool libcxi_events_lost(const struct libcxi_event_queue *queue);

/* "PUT", "ACK"; "?" of a type that is not known. */
const char *libcxi_event_text(enum cassini_event_type type);
/* What a return code means, in a few words. */
const char *libcxi_return_text(unsigned return_code);

#endif
