/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Events of a Cassini NIC of which the program reads only type and return code, as cassini.h has the others. */
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
