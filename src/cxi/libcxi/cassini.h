/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Structures in host memory that a Cassini NIC of HPE Slingshot reads and writes: the layouts of its commands, events
 * and status words, little-endian; names are ours. libcxi_rings.c writes and reads them.
 *
 * Source: the layouts of cassini_user_defs.h and cxi_prov_hw.h, which are the same in the releases 12.0 to 14.0 of the
 * Slingshot host software. tests/unit/test_cxi_abi.c checks each field's position, and compares everything with those
 * headers if configure finds them. Unnamed bits are zero.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* All words are little-endian, and so must be the host: libcxi_load() refuses others. */
#define CASSINI_HOST (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

#define CASSINI_IDC_BYTES  192 /* largest payload of an unrestricted command with immediate data (IDC) */
#define CASSINI_SLOT_BYTES 64  /* of a command queue, its doorbell's unit; events start at multiples, too */
#define CASSINI_UNIT_BYTES 32  /* smallest command */
#define CASSINI_FIRST_SLOT 4   /* of a command queue: the ones before hold the status */
#define CASSINI_PID_ANY	   0x1ff
#define CASSINI_NIC_BITS   20

enum cassini_command_type {
	CASSINI_TYPE_IDC = 0,
	CASSINI_TYPE_DMA = 1,
	CASSINI_TYPE_CT = 2,
	CASSINI_TYPE_CQ = 3, /* for the queue itself, and all commands for a target queue */
};

/* Size of a command: 32 bytes << value. */
enum cassini_command_size {
	CASSINI_32_BYTES = 0,
	CASSINI_64_BYTES = 1,
	CASSINI_128_BYTES = 2,
	CASSINI_256_BYTES = 3,
};

/* Opcodes of IDC and DMA commands. */
enum cassini_transmit {
	CASSINI_NOOP = 0,
	CASSINI_PUT = 1,
	CASSINI_GET = 2,
	CASSINI_RENDEZVOUS_PUT = 3,
	CASSINI_STATE = 10, /* C_STATE: parameters shared by the IDC commands that follow */
};

/* Opcodes of counter commands. */
enum cassini_count {
	CASSINI_COUNT_TRIGGER_EVENT = 8,
};

/* Opcodes of commands for a target queue. */
enum cassini_target {
	CASSINI_APPEND = 8,
	CASSINI_SET_STATE = 12,
};

enum cassini_list {
	CASSINI_LIST_PRIORITY = 0,
};

enum cassini_portal_state {
	CASSINI_PORTAL_ENABLED = 2,
};

enum cassini_event_type {
	CASSINI_EVENT_PUT = 0,
	CASSINI_EVENT_GET = 1,
	CASSINI_EVENT_ACK = 9,
	CASSINI_EVENT_REPLY = 10,
	CASSINI_EVENT_LINK = 11,
	CASSINI_EVENT_STATE_CHANGE = 13,
	CASSINI_EVENT_RENDEZVOUS = 15,
	CASSINI_EVENT_COMMAND_FAILURE = 17,
	CASSINI_EVENT_TRIGGERED_OP = 18,
	CASSINI_EVENT_NULL = 31, /* padding up to the end of a slot */
};

/* Size of an event: 8 bytes << value; 0: nothing has been written there yet. */
enum cassini_event_size {
	CASSINI_EVENT_NONE = 0,
	CASSINI_EVENT_16_BYTES = 1,
	CASSINI_EVENT_32_BYTES = 2,
	CASSINI_EVENT_64_BYTES = 3,
};

/* Return codes with a special meaning here; libcxi_rings.c has texts for more of them. 0: the event is incomplete. */
enum cassini_return_code {
	CASSINI_RC_NONE = 0,
	CASSINI_RC_OK = 1,
	CASSINI_RC_UNDELIVERABLE = 2,
	CASSINI_RC_PORTAL_DISABLED = 3,
	CASSINI_RC_OP_VIOLATION = 6,
	CASSINI_RC_NO_MATCH = 8,
	CASSINI_RC_NO_SPACE = 16,
	CASSINI_RC_ENTRY_NOT_FOUND = 18,
	CASSINI_RC_NO_TARGET = 19,
	CASSINI_RC_VNI_NOT_FOUND = 25,
	CASSINI_RC_PORTAL_NOT_FOUND = 26,
	CASSINI_RC_INVALID_AC = 33,
	CASSINI_RC_NO_TRANSLATION = 36,
	CASSINI_RC_ILLEGAL_OP = 46,
	CASSINI_RC_INVALID_ARGUMENT = 50,
	CASSINI_RC_ADDRESS_OUT_OF_RANGE = 52,
	CASSINI_RC_CANCELLED = 54,
};

/* The first byte of each command. */
struct cassini_command {
	uint8_t type : 2;
	uint8_t size : 2;
	uint8_t opcode : 4;
};

/* Which events and counts a transfer generates at its initiator: two bytes, the same in DMA and C_STATE commands. */
struct cassini_reports {
	uint8_t lac : 3; /* logical address context of the local memory */
	uint8_t event_send_disable : 1;
	uint8_t event_success_disable : 1; /* only failures generate events */
	uint8_t unused_0 : 1;
	uint8_t count_reply : 1;
	uint8_t count_ack : 1;
	uint8_t unused_1;
};

/* A put, get or rendezvous put whose data the NIC reads or writes itself. */
struct cassini_dma {
	struct cassini_command command;
	uint8_t index_ext; /* bits 0-4: low bits of the portal index */
	struct cassini_reports reports;
	uint32_t address;	/* of the target: cassini_address() */
	uint64_t remote_offset; /* bits 0-55 */
	uint64_t local_address; /* bits 0-56, IO virtual */
	uint32_t request_bytes;
	uint16_t counter;	   /* bits 0-10 */
	uint16_t event_queue;	   /* bits 0-10 */
	uint32_t eager_bytes : 24; /* in a rendezvous put; bits 0-19 */
	uint32_t rendezvous_id : 8;
	uint32_t initiator; /* cassini_process() of this side */
	uint64_t match_bits;
	uint64_t header_data;
	uint64_t user_pointer; /* returned in the initiator's events */
};

/* C_STATE: the initiator's parameters for the following IDC commands in the same queue. */
struct cassini_state {
	struct cassini_command command;
	uint8_t length; /* 32 */
	struct cassini_reports reports;
	uint32_t initiator;
	uint64_t index_ext; /* bits 0-4 */
	uint64_t user_pointer;
	uint32_t unused;
	uint16_t counter;
	uint16_t event_queue;
};

/* A put, followed by its payload within the command. */
struct cassini_idc {
	struct cassini_command command;
	uint8_t length; /* of header and payload; no bit is set for 256 */
	uint16_t unused;
	uint32_t address;
	uint64_t remote_offset; /* bits 0-55 */
};

/* A counter command that does not contain another command: 24 of its 64 bytes. */
struct cassini_count_command {
	struct cassini_command command;
	uint8_t unused;
	uint16_t counter;	  /* bits 0-10: to be changed */
	uint16_t trigger_counter; /* bits 0-10: fires when its success count reaches the threshold */
	uint16_t event_queue;	  /* bits 0-10 */
	uint64_t counts;	  /* 48 bits of successes, 7 of failures, and flags that select which of them to set */
	uint64_t threshold;	  /* bits 0-47 */
};

/* Appends a list entry to the list of a portal table entry. */
struct cassini_append {
	struct cassini_command command;
	uint8_t list;	 /* bits 0-1 */
	uint16_t portal; /* bits 0-10: the NIC's number, not the index in the domain */
	uint16_t unused_0 : 2;
	uint16_t count_comm : 1; /* count transfers when they are complete */
	uint16_t event_unlink_disable : 1;
	uint16_t event_success_disable : 1;
	uint16_t unused_1 : 2;
	uint16_t end_relaxed : 1;  /* PCIe relaxed ordering for the last write of a packet */
	uint16_t body_relaxed : 1; /* ... and for all others */
	uint16_t unused_2 : 4;
	uint16_t takes_gets : 1;
	uint16_t takes_puts : 1;
	uint16_t unused_3 : 1;
	uint16_t counter; /* bits 0-10 */
	uint16_t unused_4;
	uint8_t lac; /* bits 0-2 */
	uint8_t unused_5[5];
	uint64_t start;	 /* bits 0-56, IO virtual */
	uint64_t length; /* bits 0-55 */
	uint32_t unused_6;
	uint32_t match_process; /* cassini_process() of the permitted one; 0: the portal does not match by process */
	uint64_t match_bits;
	uint64_t ignore_bits;
	uint64_t unused_7;
};

/* Changes the state of a portal table entry. */
struct cassini_set_state {
	struct cassini_command command;
	uint8_t state;	 /* bits 0-2 */
	uint16_t portal; /* bits 0-10 */
	uint8_t unused[60];
};

/* At the start of a command queue. */
struct cassini_queue_status {
	uint16_t read_slot;
	uint16_t unused[3];
};

/* Bytes 14 and 15 of each event have its size and type; the last byte of an event has its return code. */
struct cassini_event {
	uint8_t body[14];
	uint8_t size : 2;
	uint8_t type : 5;
	uint8_t unused : 1;
	uint8_t last; /* of a 16-byte event; bits 0-5: return code */
};

/* A counter has reached a threshold, 16 bytes. */
struct cassini_trigger_event {
	uint64_t threshold; /* bits 0-47 */
	uint16_t counter;   /* bits 0-10 */
	uint32_t unused __attribute__((packed));
	uint8_t size : 2;
	uint8_t type : 5;
	uint8_t unused_bit : 1;
	uint8_t return_code;
};

/* Target events, 64 bytes: PUT, RENDEZVOUS, LINK, STATE_CHANGE. */
struct cassini_target_event {
	uint64_t header_data;
	uint32_t initiator; /* STATE_CHANGE: bits 0-2 have the new state */
	uint16_t portal;    /* bits 0-10 */
	uint8_t size : 2;
	uint8_t type : 5;
	uint8_t unused_0 : 1;
	uint8_t unused_1 : 3;
	uint8_t get_issued : 1; /* RENDEZVOUS: the NIC has issued the get itself */
	uint8_t unused_2 : 4;
	uint64_t match_bits;
	uint64_t unused_3;
	uint32_t moved_bytes;
	uint32_t request_bytes;
	uint64_t remote_offset; /* bits 0-55 */
	uint64_t start;		/* bits 0-56, IO virtual */
	uint8_t unused_4[6];
	uint8_t rendezvous_id;
	uint8_t return_code; /* bits 0-5 */
};

/* Their short form, used if the portal table entry does not request long ones: up to portal, size and type the same. */
#define CASSINI_SHORT_TARGET_BYTES 32

/* At the start of an event queue; written when events were dropped, and at thresholds. */
struct cassini_event_status {
	uint8_t unused_0[15];
	uint8_t dropped : 1; /* events dropped since this was last acknowledged */
	uint8_t unused_1 : 7;
	uint8_t unused_2[48];
};

/* What software reports to the NIC about an event queue, in one 64-bit write. */
union cassini_event_progress {
	uint64_t word;
	struct {
		uint64_t read_slot : 26;
		uint64_t unused : 38;
	};
};

#define CASSINI_INDEX_EXT_BITS 5
#define CASSINI_ENDPOINT_BITS  12

/* Destination fabric address of a portal index: the NIC, above 12 bits with the PID and the index's high bits. */
static inline uint32_t cassini_address(uint32_t nic, uint32_t pid, unsigned pid_bits, unsigned index)
{
	uint32_t endpoint = ((index >> CASSINI_INDEX_EXT_BITS) << pid_bits) + pid;

	return nic << CASSINI_ENDPOINT_BITS | (endpoint & ((1u << CASSINI_ENDPOINT_BITS) - 1));
}

/* The low bits of the index, which commands carry next to the address. */
static inline uint8_t cassini_index_ext(unsigned index)
{
	return index & ((1u << CASSINI_INDEX_EXT_BITS) - 1);
}

/* A process, for matching in list entries: the PID in the highest bits, the NIC in the lowest. */
static inline uint32_t cassini_process(uint32_t nic, uint32_t pid, unsigned pid_bits)
{
	uint32_t pid_mask = (1u << pid_bits) - 1;

	return (pid & pid_mask) << (32 - pid_bits) | (nic & (UINT32_MAX >> pid_bits));
}
