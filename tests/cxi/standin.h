/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A stand-in for libcxi.so.1 and the Cassini NIC behind it, for tests on hosts that have neither; never installed.
 * What it claims to be like, and what it can't show, is in README.md here.
 *
 * One thread per open device looks at the doorbells, decodes the command words, matches list entries, moves bytes,
 * counts and writes events. Devices of two processes talk by datagrams on abstract UNIX sockets; bytes are read out of
 * the sender's memory.
 *
 *	CXI_STANDIN=TEXT           devices see those of the same text only
 *	CXI_STANDIN_NIC=NUMBER     address of the NIC, 18
 *	CXI_STANDIN_PID_BITS=N     what the device says, 9
 *	CXI_STANDIN_SERVICE=TEXT   service 1: "disabled", or its VNIs, as "10,20"; without: not restricted
 *	CXI_STANDIN_RANGE=A-B      services without VNIs of their own have this range of them; not in an old library
 *	CXI_STANDIN_GETS=WORD      who gets rendezvous data: "hardware" (default), "software", "both" in turn
 *	CXI_STANDIN_FAIL=CALL:ERRNO[:N]  the Nth (1st) call of this function fails
 *	CXI_STANDIN_SLOW=N         cxil_map() of more than a page takes N seconds, as pinning does
 *	CXI_STANDIN_LOSE=N         the Nth event is never written
 *	CXI_STANDIN_EVENTS=N       event queues hold N events
 *	CXI_STANDIN_SLOTS=N        command queues have N slots at most, whatever was asked for; 64 and up
 *	CXI_STANDIN_REFUSE=N       the Nth put that arrives is answered with an error
 *	CXI_STANDIN_REPORT=FILE    when the device is closed, counts are written to FILE.PID-of-the-domain
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cxi/libcxi/libcxi_abi.h"
#include "other_events.h"

#define MAX_OBJECTS	 32
#define MAX_ENTRIES	 4
#define MAX_TRIGGERS	 64
#define FIRST_COUNTER	 101
#define IOVA_BASE	 (1ULL << 46) /* an IO virtual address is never the CPU's: who mixes them up is found out */
#define RENDEZVOUS_INDEX 255

/* X(name): what the tests read. */
#define COUNTS(X)                                                                                                      \
	X(doorbells) /* of transmit queues, but for those of triggers */                                               \
	X(commands)                                                                                                    \
	X(largest_batch) /* commands that one doorbell was rung for */                                                 \
	X(noops)                                                                                                       \
	X(states)                                                                                                      \
	X(idc_puts)                                                                                                    \
	X(dma_puts)                                                                                                    \
	X(rendezvous_puts)                                                                                             \
	X(hardware_gets)                                                                                               \
	X(software_gets)                                                                                               \
	X(queue_wraps)                                                                                                 \
	X(events)                                                                                                      \
	X(event_wraps)                                                                                                 \
	X(lost_events)                                                                                                 \
	X(triggers)                                                                                                    \
	X(arrived_puts)                                                                                                \
	X(strict_entries) /* list entries for puts whose writes PCIe may not reorder */                                \
	X(trig_profiles)  /* by cxil_alloc_trig_cp */                                                                  \
	X(old_profiles)	  /* by cxil_alloc_cp */                                                                       \
	X(left_objects)	  /* when the device was closed */                                                             \
	X(violations)

struct nic;

struct eq {
	struct libcxi_event_queue public;
	struct nic *nic;
	uint64_t progress; /* the program writes it */
	unsigned write_slot;
};

struct queue {
	struct libcxi_queue public;
	struct nic *nic;
	struct eq *errors;
	uint64_t doorbell; /* the program writes it */
	uint64_t seen;	   /* slot */
	uint64_t read_unit;
	uint32_t flags;
	size_t bytes;
	unsigned batch;
	bool has_state;
	struct cassini_state state;
};

struct counter {
	struct libcxi_counter public;
	struct nic *nic;
	uint64_t doorbell[64];
	uint64_t success, failure;
};

struct portal {
	struct libcxi_portal public;
	struct nic *nic;
	struct eq *events;
	bool is_enabled;
	unsigned entry_count;
	struct cassini_append entries[MAX_ENTRIES];
};

struct portal_map {
	struct nic *nic;
	struct portal *portal;
	unsigned index;
};

struct mapping {
	struct libcxi_memory public;
	struct nic *nic;
};

struct domain {
	struct libcxi_domain public;
	struct nic *nic;
};

struct profile {
	struct libcxi_profile public;
	struct nic *nic;
};

struct interface {
	struct libcxi_interface public;
	struct nic *nic;
};

struct trigger {
	unsigned counter;
	unsigned event_queue;
	uint64_t threshold;
};

enum packet_kind {
	PACKET_PUT,
	PACKET_RENDEZVOUS,
	PACKET_GET,
	PACKET_ACK,
	PACKET_REPLY,
};

/* What comes back with an answer, so that the initiator keeps nothing. */
struct origin {
	struct cassini_reports reports;
	uint16_t counter, event_queue;
	uint64_t user_pointer;
	uint64_t local; /* of a get: where the bytes belong, the CPU's address */
};

struct packet {
	uint32_t kind; /* enum packet_kind */
	uint32_t return_code;
	uint32_t nic, pid; /* of the sender */
	uint32_t index;	   /* of the portal at the receiver */
	uint32_t initiator;
	uint32_t length, moved;
	uint32_t rendezvous_id;
	int32_t process; /* whose memory holds the bytes; 0: payload does */
	uint64_t address;
	uint64_t remote_offset, match_bits, header_data;
	struct origin origin;
	uint8_t payload[CASSINI_IDC_BYTES];
};

struct nic {
	struct libcxi_device public;
	pthread_mutex_t lock; /* of all below, but for what the program writes without it */
	pthread_t thread;
	bool is_running, must_stop;
	int socket;
	unsigned vni, pid;
	struct eq *eqs[MAX_OBJECTS];
	struct queue *queues[MAX_OBJECTS];
	struct counter *counters[MAX_OBJECTS];
	struct portal *portals[MAX_OBJECTS];
	bool closes; /* one of them was destroyed */
	struct portal_map *maps[MAX_OBJECTS];
	struct mapping *mappings[MAX_OBJECTS];
	struct profile *profiles[MAX_OBJECTS];
	struct domain *domain;
	struct trigger triggers[MAX_TRIGGERS];
	unsigned trigger_count;
	struct {
		struct packet packet;
		uint32_t nic, pid;
	} * waiting; /* for room at their receiver, oldest first */
	size_t waiting_count, waiting_room;
	unsigned gets; /* so far, to take turns */
	struct {
#define COUNT(name) uint64_t name;
		COUNTS(COUNT)
#undef COUNT
	} counts;
};

/* A value of the environment, fallback without one. */
uint64_t standin_number(const char *name, uint64_t fallback);

/* The program did what no NIC would bear: counted, and said on stderr. */
void standin_violation(struct nic *nic, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* events.c; the caller has the lock. */
void standin_write_event(struct eq *eq, const void *event, unsigned bytes);
void standin_count(struct nic *nic, unsigned counter, uint64_t success, uint64_t failure);
void standin_add_trigger(struct nic *nic, const struct cassini_count_command *command);
void standin_look_at_counters(struct nic *nic);
struct eq *standin_eq(struct nic *nic, unsigned number);

/* transfers.c; the caller has the lock. */
void standin_start(struct nic *nic, struct queue *queue, const struct cassini_dma *dma, const uint8_t *payload);
bool standin_receive(struct nic *nic);
bool standin_send_waiting(struct nic *nic);
int standin_bind(struct nic *nic, unsigned vni);

/* commands.c */
void *standin_run(void *nic);
