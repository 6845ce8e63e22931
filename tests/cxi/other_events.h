/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a Cassini NIC writes and the program does not read all of, as cassini.h has the rest. */
#pragma once

#include "cxi/libcxi/cassini.h"

/* Initiator events, 16 bytes: ACK, REPLY. */
struct cassini_initiator_event {
	uint64_t user_pointer;
	uint32_t moved_bytes;
	uint8_t list : 2;
	uint8_t unused_0 : 2;
	uint8_t rendezvous : 1;
	uint8_t retry : 1;
	uint8_t target_error : 1;
	uint8_t unused_1 : 1;
	uint8_t unused_2;
	uint8_t size : 2;
	uint8_t type : 5;
	uint8_t unused_3 : 1;
	uint8_t return_code;
};

/* The NIC could not execute a command, 16 bytes. */
struct cassini_failure_event {
	uint16_t queue : 10;
	uint16_t is_target : 1;
	uint16_t unused_0 : 5;
	uint16_t place;
	struct cassini_command command;
	uint8_t unused_1[9];
	uint8_t size : 2;
	uint8_t type : 5;
	uint8_t unused_2 : 1;
	uint8_t return_code;
};

/* At the start of an event queue; written when events were dropped, and at thresholds. */
struct cassini_whole_status {
	uint64_t nanoseconds_first; /* bits 0-29; equal to the last member when the structure is complete */
	uint64_t seconds_first : 48;
	uint64_t threshold : 1;
	uint64_t unused_0 : 3;
	uint64_t threshold_id : 2;
	uint64_t unused_1 : 2;
	uint64_t dropped : 1; /* events dropped since this was last acknowledged */
	uint64_t unused_2 : 3;
	uint64_t drop_sequence : 1;
	uint64_t unused_3 : 3;
	uint32_t free_slots;	 /* bits 0-25 */
	uint32_t reserved_slots; /* bits 0-25 */
	uint32_t write_slot;	 /* bits 0-25 */
	uint32_t using_buffer_b; /* bit 0 */
	uint64_t unused_4[2];
	uint32_t unused_5;
	uint32_t nanoseconds; /* bits 0-29 */
	uint64_t seconds;     /* bits 0-47 */
};
